// These tests run `verify` of the real program. It must find faces that are still visible in a clip
// by accident or by intention. It must find no such faces in good clips.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/verify_clips.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::Arguments;
using test::CommandResult;
using testing::HasSubstr;

constexpr const char* kLossless = " -c:v ffv1";

class VerifyAttacks : public test::VerifyClips {
 protected:
  // The shown part of the photo has only large faces.
  static void SetUpTestSuite() {
    make_clips({".mkv",
                {256, 160},
                "740:220",
                "-frames:v 2 -r 25 -pix_fmt yuv420p" + std::string(kLossless)});
  }

  static CommandResult verify_of(const std::string& original, const std::string& hidden,
                                 const Arguments& more = {}) {
    return verify(test::joined({"--quick", "--threads", "1", original, hidden}, more));
  }
  static CommandResult verify_a(const std::string& hidden, const Arguments& more = {}) {
    return verify_of(file("a.mkv"), hidden, more);
  }

  /// @param options  ffmpeg's options; its inputs are a.mkv (0) and black.mkv (1)
  static std::string made(const std::string& name, const std::string& options) {
    test::ffmpeg("-i " + file("a.mkv") + " -i " + file("black.mkv") + " " + options, file(name));
    return file(name);
  }
};

TEST_F(VerifyAttacks, A1FindsFacesThatAPersonStillKnows) {
  for (const std::string filter :
       {"drawbox=c=black@0.5:t=fill", "drawbox=c=black@0.8:t=fill", "negate", "eq=contrast=0.15",
        "hue=h=120", "hflip", "scale=262:-2,crop=256:160", "gblur=sigma=1.2",
        "noise=alls=40:allf=t"}) {
    const CommandResult result =
        verify_a(made("attacked.mkv", "-vf " + filter + kLossless + " -y"));
    EXPECT_EQ(result.exit_code, 7) << filter << result.err;
    EXPECT_THAT(result.err, HasSubstr("where a face may be seen")) << filter;
  }
}

TEST_F(VerifyAttacks, A4FindsFacesThatLieTurned) {
  const std::string turned = made("turned.mkv", "-vf transpose=clock" + std::string(kLossless));
  const CommandResult result = verify_of(turned, turned);
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("seem to be turned in the pixels"));
  EXPECT_THAT(result.err, HasSubstr("90 degrees counter-clockwise"));
}

TEST_F(VerifyAttacks, A5FindsFacesInOtherStreamsOfTheFile) {
  // The second video stream shows the original. By default, players don't choose this stream.
  const CommandResult second =
      verify_a(made("second.mkv", "-map 1:v -map 0:v -c copy -disposition:v:0 default"));
  EXPECT_EQ(second.exit_code, 7) << second.err;
  EXPECT_THAT(second.err, HasSubstr("in stream 1 (ffv1)"));
  EXPECT_THAT(second.err, HasSubstr("stream 1 (ffv1): 2 pictures searched, too"));
  made("cover.jpg", "-frames:v 1");
  const CommandResult cover =
      verify_a(made("cover.mp4", "-i " + file("cover.jpg") +
                                     " -map 1:v -map 2:v -c:v:0 libx264 -c:v:1 copy"
                                     " -disposition:v:1 attached_pic"));
  EXPECT_EQ(cover.exit_code, 7) << cover.err;
  EXPECT_THAT(cover.err, HasSubstr("in stream 1 (mjpeg, attached picture)"));
}

TEST_F(VerifyAttacks, A5FindsFacesInAttachments) {
  made("cover.jpg", "-frames:v 1 -y");
  for (const std::string type : {"image/jpeg", "application/x-truetype-font"}) {
    const CommandResult result =
        verify_a(made("attached.mkv", "-map 1:v -c copy -y -attach " + file("cover.jpg") +
                                          " -metadata:s:t mimetype=" + type));
    EXPECT_EQ(result.exit_code, 7) << type << result.err;
    EXPECT_THAT(result.err, HasSubstr("where a face may be seen")) << type;
  }
}

TEST_F(VerifyAttacks, A5FindsFacesInAlpha) {
  const CommandResult result = verify_a(
      made("alpha.mkv", "-filter_complex [0:v]format=gray[m];[1:v][m]alphamerge -pix_fmt yuva420p" +
                            std::string(kLossless)));
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("in another plane"));
}

TEST_F(VerifyAttacks, A5FindsFacesInFramesThatTheOriginalLacks) {
  const CommandResult result =
      verify_a(made("longer.mkv", "-filter_complex [1:v][0:v]concat -r 25 -fps_mode passthrough" +
                                      std::string(kLossless)));
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("in a frame that the original lacks"));
}

TEST_F(VerifyAttacks, A5NamesWhatItCantLookAt) {
  const test::TemporaryFolder dir;
  const std::string broken = dir.write("broken.jpg", "\xFF\xD8\xFF\xE0 this is not a picture");
  const std::string hidden = made(
      "broken.mkv", "-map 1:v -c copy -attach " + broken + " -metadata:s:t mimetype=image/jpeg");
  const CommandResult result = verify_a(hidden, {"--report", dir / "r.json"});
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("was not searched"));
  EXPECT_THAT(result.err, HasSubstr("not all pictures were searched"));
  const nlohmann::json report = nlohmann::json::parse(test::read_file(dir / "r.json"));
  EXPECT_EQ(report["pictures_beside"].size(), 1U);
  EXPECT_TRUE(report["pictures_beside"][0]["not_looked_at"].is_string());
  // verify ignores files that are no pictures.
  const std::string text = dir.write("readme.txt", "these are words\n");
  const CommandResult words = verify_a(
      made("words.mkv", "-map 1:v -c copy -attach " + text + " -metadata:s:t mimetype=text/plain"));
  EXPECT_EQ(words.exit_code, 0) << words.err;
}

TEST_F(VerifyAttacks, A5FindsFacesInTheThumbnailOfAStillImage) {
  // The JPEG file's comment (FFFE) holds a second JPEG file. Pictures in EXIF and pictures that
  // phones append are similar.
  const std::string thumbnail = test::read_file(made("thumb.jpg", "-frames:v 1 -vf scale=192:-2"));
  std::string image = test::read_file(made("black.jpg", "-map 1:v -frames:v 1"));
  const std::size_t length = thumbnail.size() + 2;
  ASSERT_LT(length, 65536U);
  const std::string comment = std::string("\xFF\xFE") + static_cast<char>(length >> 8U) +
                              static_cast<char>(length & 255U) + thumbnail;
  const std::string hidden =
      folder_->write("with_thumb.jpg", image.substr(0, 2) + comment + image.substr(2));
  const std::string original = made("still.jpg", "-map 0:v -frames:v 1");
  const CommandResult result = verify_of(original, hidden);
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_THAT(result.err, HasSubstr("in the picture at byte"));
}

TEST_F(VerifyAttacks, A1FindsNoMoreInOtherContainersAndCodecs) {
  const std::string hidden = file("hidden.mkv");
  const CommandResult made_hidden =
      test::run_program({"hide", file("a.mkv"), "-o", hidden, "--model", kModel, "--threads", "1"});
  ASSERT_EQ(made_hidden.exit_code, 0) << made_hidden.err;
  const CommandResult before = verify_a(hidden, {"--score", "0.3"});
  EXPECT_EQ(before.exit_code, 0) << before.err;
  for (const auto& [name, options] : std::vector<std::pair<std::string, std::string>>{
           {"h.mp4", "-c:v libx264 -crf 30"},
           {"h.webm", "-c:v libvpx-vp9 -crf 40 -b:v 0"},
           {"h.avi", "-c:v mpeg4 -q:v 6"},
           {"tags.mp4", "-c:v libx264 -crf 18 -color_range pc -colorspace bt709"}}) {
    test::ffmpeg("-i " + hidden + " " + options, file(name));
    const CommandResult result = verify_a(file(name), {"--score", "0.3"});
    EXPECT_NE(result.exit_code, 7) << name << result.err;
  }
}

}  // namespace
}  // namespace facepipe::app
