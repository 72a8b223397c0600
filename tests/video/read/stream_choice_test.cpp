#include "video/read/stream_choice.h"

#include <gtest/gtest.h>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/read/demuxer.h"

namespace facepipe::test {
namespace {

class StreamChoice : public testing::Test {
 protected:
  AVStream& add(Size size, std::int64_t bit_rate = 0) {
    AVStream& stream = *video::allocated(avformat_new_stream(input_.get(), nullptr));
    AVCodecParameters& video = *stream.codecpar;
    video.codec_type = AVMEDIA_TYPE_VIDEO;
    video.codec_id = AV_CODEC_ID_H264;
    video.format = AV_PIX_FMT_YUV420P;
    video.width = size.width;
    video.height = size.height;
    video.bit_rate = bit_rate;
    stream.disposition = AV_DISPOSITION_DEFAULT;
    return stream;
  }
  [[nodiscard]] int chosen() const { return video::choose_video_stream(*input_); }

  video::UniqueOutputContext input_{video::allocated(avformat_alloc_context())};
};

TEST_F(StreamChoice, B15OfEqualVideosTheFirstIsTakenWhateverItsBitRate) {
  EXPECT_EQ(chosen(), -1);
  add({64, 48}, 1000);
  add({64, 48}, 1000000);
  EXPECT_EQ(chosen(), 0);
}

TEST_F(StreamChoice, B15TheDefaultOneIsTaken) {
  add({640, 480}).disposition = 0;
  add({64, 48});
  EXPECT_EQ(chosen(), 1);
  input_->streams[1]->disposition |= AV_DISPOSITION_VISUAL_IMPAIRED;
  EXPECT_EQ(chosen(), 0);
}

TEST_F(StreamChoice, B13DepthAndTransparencyAreNotTheVideo) {
  add({32, 24});
  add({64, 48}).codecpar->format = AV_PIX_FMT_GRAY8;
  add({64, 48});
  EXPECT_EQ(chosen(), 2);
}

TEST_F(StreamChoice, WhatCantBeDecodedIsTakenLast) {
  add({640, 480}).codecpar->codec_id = AV_CODEC_ID_NONE;
  add({0, 0});
  EXPECT_EQ(chosen(), 0);
  add({64, 48});
  EXPECT_EQ(chosen(), 2);
}

TEST_F(StreamChoice, CoversAndThumbnailsAreNoVideo) {
  add({640, 480}).disposition |= AV_DISPOSITION_ATTACHED_PIC;
  add({640, 480}).disposition |= AV_DISPOSITION_TIMED_THUMBNAILS;
  EXPECT_EQ(chosen(), -1);
}

TEST(StreamChoiceOfFiles, B15TheFirstOfTwoIsTakenFromAnMp4) {
  const TemporaryFolder folder;
  ffmpeg(
      "-f lavfi -i color=s=64x48:r=10:d=0.5 -f lavfi -i testsrc2=s=64x48:r=10:d=0.5 -map 0 -map 1 "
      "-c:v libx264 -preset ultrafast -disposition:v default",
      folder / "two.mp4");
  EXPECT_EQ(video::Demuxer(folder / "two.mp4", {}).video_index(), 0);
}

}  // namespace
}  // namespace facepipe::test
