#include "video/write/container.h"

#include <gtest/gtest.h>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::video {
namespace {

const AVOutputFormat& format(const char* name) { return *av_guess_format(name, nullptr, nullptr); }

TEST(Container, KnowsWhatItHolds) {
  struct Case {
    const char* container;
    AVCodecID codec;
    AVMediaType type;
    bool held;
  };
  constexpr Case kCases[] = {
      {"mp4", AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO, true},
      {"mp4", AV_CODEC_ID_AAC, AVMEDIA_TYPE_AUDIO, true},
      {"mp4", AV_CODEC_ID_SUBRIP, AVMEDIA_TYPE_SUBTITLE, false},
      {"mp4", AV_CODEC_ID_MOV_TEXT, AVMEDIA_TYPE_SUBTITLE, true},
      {"matroska", AV_CODEC_ID_SUBRIP, AVMEDIA_TYPE_SUBTITLE, true},
      {"matroska", AV_CODEC_ID_MOV_TEXT, AVMEDIA_TYPE_SUBTITLE, false},
      {"webm", AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO, false},
      {"webm", AV_CODEC_ID_VP9, AVMEDIA_TYPE_VIDEO, true},
      {"mpegts", AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO, true},
      {"mpegts", AV_CODEC_ID_AAC, AVMEDIA_TYPE_AUDIO, true},
      {"mpegts", AV_CODEC_ID_SUBRIP, AVMEDIA_TYPE_SUBTITLE, false},
      {"avi", AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO, true},
      {"gif", AV_CODEC_ID_H264, AVMEDIA_TYPE_VIDEO, false},
  };
  for (const Case& c : kCases)
    EXPECT_EQ(can_hold(format(c.container), c.codec, c.type), c.held)
        << c.container << " " << avcodec_get_name(c.codec);
}

TEST(Container, AnUnknownExtensionIsAnError) {
  EXPECT_EQ(std::string(muxer_for("a.mkv").name), "matroska");
  EXPECT_THROW((void)muxer_for("a.xyz"), Error);
  EXPECT_THROW((void)muxer_for("noextension"), Error);
}

TEST(Container, AFormatThatIsNamedBeatsTheExtension) {
  EXPECT_EQ(std::string(muxer_for("a.mkv", "mpegts").name), "mpegts");
  EXPECT_EQ(std::string(muxer_for("noextension", "mp4").name), "mp4");
  EXPECT_THROW((void)muxer_for("a.mkv", "nothing"), Error);
  EXPECT_THROW((void)muxer_for("a.mkv", "hls"), Error);
}

TEST(Container, AnInputsExtensionStaysWhereItIsOneOfTheFormats) {
  EXPECT_EQ(extension_for(format("mpegts"), "a.m2ts"), ".m2ts");
  EXPECT_EQ(extension_for(format("mpegts"), "a.mkv"), ".ts");
  EXPECT_EQ(extension_for(format("mpegts"), "a"), ".ts");
  EXPECT_EQ(extension_for(format("framecrc"), "a.mkv"), "");
}

struct FormatCase {
  const char* file;
  const char* arguments;
  const char* extension;
};

TEST(OutputExtension, IsTheInputsOwnWhereItHoldsH264) {
  const test::TemporaryFolder folder;
  constexpr const char* kSource = "-f lavfi -i testsrc2=s=64x64:r=10:d=0.5 ";
  constexpr FormatCase kCases[] = {
      {"a.mp4", "", ".mp4"},
      {"a.MOV", "-f mov", ".mov"},
      {"a.m4v", "-f mp4", ".m4v"},
      {"a.mkv", "", ".mkv"},
      {"a.ts", "", ".ts"},
      {"a.avi", "", ".avi"},
      {"noextension", "-f mp4", ".mov"},
      {"wrong.mkv", "-f mp4", ".mov"},
      {"a.264", "-f h264", ".mkv"},
      {"a.webm", "-c:v libvpx -deadline realtime", ".mkv"},
      {"a.gif", "", ".mkv"},
      {"a.png", "-frames:v 1", ".png"},
      {"a.JPG", "-frames:v 1 -f image2", ".jpg"},
      {"a.bmp", "-frames:v 1", ".bmp"},
  };
  for (const FormatCase& c : kCases) {
    test::ffmpeg(std::string(kSource) + c.arguments, folder / c.file);
    EXPECT_EQ(output_extension(Demuxer((folder / c.file).string(), {}), ""), c.extension) << c.file;
  }
}

TEST(OutputExtension, FollowsTheEncoder) {
  const test::TemporaryFolder folder;
  test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=0.5 -c:v libvpx -deadline realtime",
               folder / "a.webm");
  EXPECT_EQ(output_extension(Demuxer((folder / "a.webm").string(), {}), "libvpx-vp9"), ".webm");
}

}  // namespace
}  // namespace facepipe::video
