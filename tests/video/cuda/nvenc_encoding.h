// Sends frames through NVENC's encoder with the fake library.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <vector>

#include "tests/video/cuda/encode_all.h"
#include "tests/video/cuda/nvenc_script.h"
#include "video/cuda/encoder.h"
#include "video/cuda/transfer.h"
#include "video/frames/pictures.h"

namespace facepipe::test {

struct Kind {
  const char* name;
  const char* codec;
  int bits;  // bits of a sample
  AVPixelFormat surface;
  bool full_range = false;
  Size size{322, 194};
};

inline void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

using Planes = std::vector<std::vector<unsigned>>;  // Y, U, V

inline Planes noise(const Kind& kind, int number) {
  std::mt19937 random(static_cast<unsigned>(number) + 1);
  Planes planes(3);
  const int pixels = kind.size.width * kind.size.height;
  for (std::size_t c = 0; c < 3; ++c)
    for (int i = 0; i < (c == 0 ? pixels : pixels / 4); ++i)
      planes[c].push_back(static_cast<unsigned>(random()) & ((1U << kind.bits) - 1));
  return planes;
}

inline Frame source_frame(const Kind& kind, int number) {
  video::UniqueAVFrame picture = video::new_av_frame();
  const AVPixelFormat deep = kind.bits == 10 ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P16;
  picture->format = kind.bits == 8 ? AV_PIX_FMT_YUV420P : deep;
  picture->width = kind.size.width;
  picture->height = kind.size.height;
  picture->color_range = kind.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  picture->colorspace = AVCOL_SPC_BT709;
  picture->color_primaries = AVCOL_PRI_BT470BG;
  picture->color_trc = AVCOL_TRC_SMPTE170M;
  video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
  const Planes planes = noise(kind, number);
  for (std::size_t c = 0; c < 3; ++c) {
    const int width = c == 0 ? kind.size.width : kind.size.width / 2;
    for (std::size_t i = 0; i < planes[c].size(); ++i) {
      const int x = static_cast<int>(i) % width;
      std::uint8_t* const row =
          picture->data[c] + static_cast<int>(i) / width * picture->linesize[c];
      if (kind.bits == 8)
        row[x] = static_cast<std::uint8_t>(planes[c][i]);
      else
        reinterpret_cast<std::uint16_t*>(row)[x] = static_cast<std::uint16_t>(planes[c][i]);
    }
  }
  return video::wrap(std::move(picture));
}

/// Says which time stamps the frames have.
struct Rhythm {
  Rational time_base{1, 15360};
  Rational rate{30, 1};
  std::int64_t first = 1000;
  std::int64_t step = 512;
};

/// Sends frames through NVENC's encoder.
class Encoding {
 public:
  explicit Encoding(const Kind& kind, const video::EncoderOptions& options = {},
                    const Rhythm& rhythm = {},
                    const std::function<void(video::EncoderSetup&, Frame&)>& change = {})
      : kind_(kind), rhythm_(rhythm), upload_(kind.size, kind.bits, 3, kDevice, copies_) {
    video::EncoderSetup setup;
    setup.plan.codec = avcodec_find_encoder_by_name(kind.codec);
    setup.plan.encoded = kind.surface;
    setup.options = options;
    setup.frame_rate = rhythm.rate;
    setup.output = "out.mp4";
    Frame first = frame(0);
    if (change) change(setup, first);
    encoder_ = video::make_nvenc_encoder(setup, first, kDevice, notices_, copies_);
  }

  Frame frame(int number) {
    Frame source = source_frame(kind_, number);
    source.index = number;
    source.pts = rhythm_.first + rhythm_.step * number;
    source.duration = rhythm_.step;
    source.time_base = rhythm_.time_base;
    return upload_.upload(source, stream_);
  }

  std::vector<video::EncodedFrame> run(int count) {
    return encode_all(
        *encoder_, count, [this](int number) { return frame(number); },
        [this] { most_frames_ = std::max(most_frames_, video::live_frames()); });
  }

  [[nodiscard]] video::Encoder& encoder() const { return *encoder_; }
  [[nodiscard]] const CopyCounter& copies() const { return copies_; }
  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] std::int64_t most_frames() const { return most_frames_; }

 private:
  static constexpr Device kDevice{DeviceKind::cuda, 0};
  Kind kind_;
  Rhythm rhythm_;
  video::Notices notices_{"test"};
  CopyCounter copies_;
  cuda::Stream stream_;
  video::PictureUpload upload_;
  std::unique_ptr<video::Encoder> encoder_;
  std::int64_t most_frames_ = 0;
};

inline constexpr Kind kPlain{"plain", "h264_nvenc", 8, AV_PIX_FMT_NV12};

class Nvenc : public testing::Test {
 protected:
  void SetUp() override {
    become({});
    if (avcodec_find_encoder_by_name("hevc_nvenc") == nullptr)
      GTEST_SKIP() << "this FFmpeg was built without NVENC";
  }
  void TearDown() override {
    EXPECT_THAT(problems(), testing::IsEmpty());
    for (const FakeSession& session : sessions()) EXPECT_TRUE(session.closed);
    EXPECT_EQ(video::live_frames(), 0);
  }
  static void answer(std::size_t count, std::size_t b_frames) {
    FakeChip chip;
    chip.preset_b_frames = static_cast<int>(b_frames);
    chip.script = meaningless_script(count, b_frames);
    become(chip);
  }
};

}  // namespace facepipe::test
