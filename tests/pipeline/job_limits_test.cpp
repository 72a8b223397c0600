// These tests check that pictures above the user's limit are refused before they are decoded. The
// error must be one line with the file, the size, the limit and the option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/clips.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MaxPixels : public testing::Test {
 protected:
  [[nodiscard]] static pipeline::JobOptions options_for(const std::filesystem::path& input,
                                                        std::int64_t max_pixels) {
    pipeline::JobOptions options = lossless_job(input, {});
    options.input.max_pixels = max_pixels;
    return options;
  }

  /// @param size  size of the picture in the form in which the error contains it
  void expect_refused(const std::filesystem::path& input, const std::string& size,
                      std::int64_t max_pixels) const {
    pipeline::JobOptions options = options_for(input, max_pixels);
    options.output.path = folder_ / "out.mkv";
    const std::vector<std::string> before = folder_.names();
    try {
      run_fake_job(options);
      ADD_FAILURE() << "not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(input.string()), HasSubstr(size),
                                      HasSubstr(std::to_string(max_pixels)),
                                      HasSubstr("--max-pixels"), Not(HasSubstr("\n"))));
    }
    EXPECT_EQ(folder_.names(), before);
  }

  void append(const std::filesystem::path& from, const std::filesystem::path& to) const {
    std::ofstream(to, std::ios::binary | std::ios::app) << read_file(from);
  }

  TemporaryFolder folder_;
};

TEST_F(MaxPixels, RefusesAStillImageBeforeItIsDecoded) {
  for (const char* name : {"a.png", "a.jpg", "a.bmp", "a.tiff", "a.webp"}) {
    SCOPED_TRACE(name);
    ffmpeg("-f lavfi -i testsrc2=s=320x240 -frames:v 1", folder_ / name);
    expect_refused(folder_ / name, "320x240", 320 * 240 - 1);
    EXPECT_EQ(run_fake_job(options_for(folder_ / name, 320 * 240)).result.ledger.decoded, 1);
  }
}

TEST_F(MaxPixels, RefusesWhatAHeaderPromises) {
  ffmpeg("-f lavfi -i color=s=16x16 -frames:v 1", folder_ / "small.png");
  std::string bytes = read_file(folder_ / "small.png");
  constexpr std::size_t kWidth = 16;
  bytes.replace(kWidth, 8, std::string("\0\0\x3e\x80\0\0\x3e\x80", 8));
  std::ofstream(folder_ / "huge.png", std::ios::binary) << bytes;
  expect_refused(folder_ / "huge.png", "16000x16000", kDefaultMaxPixels);
}

TEST_F(MaxPixels, RefusesAVideo) {
  ffmpeg("-f lavfi -i testsrc2=s=320x240:d=0.2 -c:v libx264", folder_ / "a.mp4");
  expect_refused(folder_ / "a.mp4", "320x240", 320 * 240 - 1);
  EXPECT_EQ(run_fake_job(options_for(folder_ / "a.mp4", 320 * 240)).result.ledger.lost, 0);
}

TEST_F(MaxPixels, RefusesPicturesThatGrowMidway) {
  for (const char* codec :
       {"-c:v libx264 -f h264", "-c:v mpeg2video -f mpeg2video", "-c:v mjpeg -f mjpeg"}) {
    SCOPED_TRACE(codec);
    const std::string as = codec;
    ffmpeg("-f lavfi -i testsrc2=s=160x120:d=0.4 " + as, folder_ / "small.raw");
    ffmpeg("-f lavfi -i testsrc2=s=640x480:d=0.4 " + as, folder_ / "large.raw");
    std::filesystem::copy_file(folder_ / "small.raw", folder_ / "grows.raw",
                               std::filesystem::copy_options::overwrite_existing);
    append(folder_ / "large.raw", folder_ / "grows.raw");
    expect_refused(folder_ / "grows.raw", "640x480", 320 * 240);
    const JobRun run = run_fake_job(options_for(folder_ / "grows.raw", 640 * 480));
    EXPECT_GE(run.result.ledger.decoded, 19);
  }
}

TEST_F(MaxPixels, CountsWhatIsCodedNotWhatIsShown) {
  ffmpeg(
      "-f lavfi -i testsrc2=s=640x480:d=0.2 -c:v libx264 "
      "-bsf:v h264_metadata=crop_right=600:crop_bottom=440",
      folder_ / "cropped.mp4");
  expect_refused(folder_ / "cropped.mp4", "640x480", 320 * 240);
}

}  // namespace
}  // namespace facepipe::test
