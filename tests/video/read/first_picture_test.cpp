// These tests check that the first picture determines which decoder is used, and that no packet is
// lost meanwhile.
#include "video/read/first_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/all_pictures.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "video/read/codec.h"
#include "video/read/cpu_decoder.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// This is FFmpeg's usual decoder, but it refuses the stream when check_decoded() is called for the
/// n-th time.
class RefusingDecoder final : public video::Decoder {
 public:
  RefusingDecoder(const video::Demuxer& demuxer, video::Notices& notices, int refuses_at)
      : video::Decoder(demuxer, {}, notices), left_(refuses_at) {
    RefusingDecoder::open_codec();
    if (left_ == 0) refuse("no such chip");
  }
  [[nodiscard]] bool may_refuse() const override { return true; }
  [[nodiscard]] std::unique_ptr<video::FrameMaker> make_frames(
      const AVFrame& /*first*/, const video::FrameTarget& /*target*/) override {
    return nullptr;
  }

 private:
  void open_codec() override { open(usual_codec(demuxer()), 1, nullptr); }
  void check_decoded(int /*code*/) override {
    if (--left_ == 0) refuse("no such chip");
  }
  int left_;
};

class FirstPictureTest : public testing::Test {
 protected:
  void SetUp() override {
    // The first picture comes late, because the encoder looks ahead and B frames are reordered.
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v libx264 -bf 3", folder_ / "clip.mp4");
  }

  /// Returns the time stamps of all pictures, including the picture that read_first_picture()
  /// decoded.
  std::vector<std::int64_t> stamps(const video::OpenDecoder& open, video::DecoderChoice choice) {
    video::Demuxer demuxer((folder_ / "clip.mp4").string(), {});
    demuxer_ = &demuxer;
    const auto none = [](const AVPacket&, const video::Decoder&) { return false; };
    video::FirstPicture first = video::read_first_picture(demuxer, open, choice, none, notices_);
    std::vector<std::int64_t> found;
    all_pictures(demuxer, first, [&](const video::DecodedPicture& picture) {
      found.push_back(picture.timing.pts);
      return true;
    });
    lost_ = first.decoder->ledger().lost;
    return found;
  }

  std::vector<std::int64_t> of_the_cpu() {
    return stamps(
        [this](video::DecoderChoice) { return video::make_cpu_decoder(*demuxer_, {}, notices_); },
        video::DecoderChoice::cpu);
  }

  video::OpenDecoder refusing_at(int call) {
    return [this, call](video::DecoderChoice choice) -> std::unique_ptr<video::Decoder> {
      if (choice == video::DecoderChoice::cpu)
        return video::make_cpu_decoder(*demuxer_, {}, notices_);
      return std::make_unique<RefusingDecoder>(*demuxer_, notices_, call);
    };
  }

  TemporaryFolder folder_;
  video::Notices notices_{"clip"};
  video::Demuxer* demuxer_ = nullptr;
  std::int64_t lost_ = 0;
};

TEST_F(FirstPictureTest, TheCpuTakesOverFromTheFirstPacketOn) {
  const std::vector<std::int64_t> expected = of_the_cpu();
  ASSERT_EQ(expected.size(), 25U);
  for (const int call : {0, 1, 2, 3}) {
    SCOPED_TRACE(call);
    EXPECT_EQ(stamps(refusing_at(call), video::DecoderChoice::automatic), expected);
    EXPECT_EQ(lost_, 0);
  }
  EXPECT_THAT(notices_.all(), Contains("decoded on the CPU and uploaded, because no such chip"));
}

TEST_F(FirstPictureTest, ADecoderThatWasNamedIsNotReplaced) {
  for (const int call : {0, 2})
    expect_error(ErrorKind::device, "clip.mp4: no such chip; use --decoder", [&] {
      static_cast<void>(stamps(refusing_at(call), video::DecoderChoice::nvdec));
    });
  EXPECT_THAT(notices_.all(), IsEmpty());
}

TEST_F(FirstPictureTest, OtherStreamsAreKeptUpToALimit) {
  ffmpeg(
      "-itsoffset 100 -f lavfi -i testsrc2=s=64x48:r=25:d=0.2 "
      "-f lavfi -i aevalsrc=0|0|0|0|0|0|0|0:s=192000:d=14 -c:v libx264 -c:a pcm_s32le",
      folder_ / "sound.mkv");
  for (const bool wanted : {true, false}) {
    video::Demuxer demuxer((folder_ / "sound.mkv").string(), {});
    const auto open = [&](video::DecoderChoice) {
      return video::make_cpu_decoder(demuxer, {}, notices_);
    };
    const auto wants = [&](const AVPacket&, const video::Decoder&) { return wanted; };
    const auto read = [&] {
      return video::read_first_picture(demuxer, open, video::DecoderChoice::cpu, wants, notices_);
    };
    if (wanted)
      expect_error(ErrorKind::input, "other streams have 64 MiB of data before the first picture",
                   [&] { static_cast<void>(read()); });
    else
      EXPECT_TRUE(read().picture.has_value());
  }
}

TEST_F(FirstPictureTest, WhatIsWantedOfOtherStreamsComesInItsOrder) {
  ffmpeg(
      "-itsoffset 0.5 -f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=2 -c:v libx264 "
      "-c:a pcm_s16le",
      folder_ / "sound.mkv");
  video::Demuxer demuxer((folder_ / "sound.mkv").string(), {});
  const auto open = [&](video::DecoderChoice) {
    return video::make_cpu_decoder(demuxer, {}, notices_);
  };
  const video::FirstPicture first = video::read_first_picture(
      demuxer, open, video::DecoderChoice::cpu,
      [](const AVPacket&, const video::Decoder&) { return true; }, notices_);
  ASSERT_TRUE(first.picture.has_value());
  ASSERT_GT(first.other_packets.size(), 2U);
  EXPECT_EQ(first.other_packets.front()->pts, 0);
  for (std::size_t i = 1; i < first.other_packets.size(); ++i)
    EXPECT_GT(first.other_packets[i]->pts, first.other_packets[i - 1]->pts);
}

}  // namespace
}  // namespace facepipe::test
