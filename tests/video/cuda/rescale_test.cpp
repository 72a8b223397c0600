// These tests convert pictures on the device to the format and size of the first picture. They
// compare the results with those of the CPU's Normalizer.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/video/cuda/decoding.h"
#include "video/cuda/picture_fit.h"
#include "video/cuda/rescale.h"
#include "video/cuda/transfer.h"
#include "video/frames/normalizer.h"

namespace facepipe::test {
namespace {

constexpr Device kDevice{DeviceKind::cuda, 0};

struct Case {
  const char* name;
  AVPixelFormat from;
  AVPixelFormat to;
};

void PrintTo(const Case& made, std::ostream* out) { *out << made.name; }

/// Returns noise with samples in the middle half of their range. Otherwise swscale would clamp
/// overshoot between its two passes.
video::UniqueAVFrame noise(AVPixelFormat format, Size size, unsigned seed) {
  std::mt19937 random(seed);
  video::UniqueAVFrame picture = video::new_av_frame();
  picture->format = format;
  picture->width = size.width;
  picture->height = size.height;
  picture->color_range = format == AV_PIX_FMT_YUVJ420P ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
  const unsigned codes = 1U << video::bits_of(format);
  for (int c = 0; c < 3; ++c) {
    const int width = c == 0 ? size.width : (size.width + 1) / 2;
    const int height = c == 0 ? size.height : (size.height + 1) / 2;
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::uint8_t* const row = picture->data[c] + y * picture->linesize[c];
        const auto value = static_cast<std::uint16_t>(codes / 4 + random() % (codes / 2));
        if (codes == 256)
          row[x] = static_cast<std::uint8_t>(value);
        else
          reinterpret_cast<std::uint16_t*>(row)[x] = value;
      }
  }
  return picture;
}

video::UniqueAVFrame copy_of(const video::UniqueAVFrame& picture) {
  video::UniqueAVFrame copy(av_frame_clone(picture.get()));
  if (!copy) throw std::bad_alloc();
  return copy;
}

Frame uploaded(video::UniqueAVFrame picture, cuda::StreamView stream) {
  const Frame there = video::wrap(std::move(picture));
  CopyCounter copies;
  video::PictureUpload upload(there.size, there.format.bits, 1, kDevice, copies);
  return upload.upload(there, stream);
}

Samples downloaded(Frame frame, cuda::StreamView stream) {
  CopyCounter copies;
  video::PictureDownload download(frame.size, frame.format.bits, 1, copies);
  return samples_of(download.start(std::move(frame), stream).wait());
}

struct Difference {
  double mean = 0;
  int most = 0;
};

Difference difference(const Samples& one, const Samples& other) {
  Difference result;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const int apart = std::abs(int{one[i]} - int{other[i]});
    result.mean += apart / static_cast<double>(one.size());
    result.most = std::max(result.most, apart);
  }
  return result;
}

class Rescale : public testing::TestWithParam<Case> {};

// swscale counts positions in 1/65536 of a sample and rounds its step, so it has small errors at
// the end of a long axis. If a plane has fewer samples than swscale's cubic filter has taps,
// swscale leaves out taps.
TEST_P(Rescale, GivesThePicturesOfTheCpu) {
  const auto& [name, from, to] = GetParam();
  const int unit = video::bits_of(to) > 8 ? 4 : 1;
  const Size sizes[][2] = {
      {{320, 240}, {640, 360}}, {{640, 360}, {320, 240}}, {{642, 361}, {640, 360}},
      {{320, 241}, {641, 361}}, {{37, 51}, {400, 300}},   {{1280, 720}, {64, 36}},
      {{16, 12}, {65, 43}},     {{320, 240}, {1, 1}},     {{175, 143}, {175, 143}}};
  const cuda::Stream stream;
  for (const auto& [small, wanted] : sizes) {
    SCOPED_TRACE(to_string(small) + " -> " + to_string(wanted));
    const video::UniqueAVFrame picture = noise(from, small, 7);
    video::Notices notices("clip");
    video::Normalizer normalizer({wanted, to, {}, {}}, video::kind_of(*picture), true, "clip",
                                 notices);
    const Samples expected = samples_of(video::wrap(normalizer.apply(copy_of(picture))));
    video::PictureFit fit({wanted}, video::bits_of(to), to == AV_PIX_FMT_YUVJ420P, 2, kDevice);
    const Samples found = downloaded(fit.apply(uploaded(copy_of(picture), stream), stream), stream);
    ASSERT_EQ(found.size(), expected.size());
    const Difference apart = difference(found, expected);
    EXPECT_LT(apart.mean, 1.0 * unit);
    EXPECT_LE(apart.most, 8 * unit);
  }
  EXPECT_EQ(video::live_frames(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, Rescale,
    testing::Values(Case{"eight_bits", AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P},
                    Case{"ten_bits", AV_PIX_FMT_YUV420P10, AV_PIX_FMT_YUV420P10},
                    Case{"eight_to_ten", AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10},
                    Case{"ten_to_eight", AV_PIX_FMT_YUV420P10, AV_PIX_FMT_YUV420P},
                    Case{"full_to_limited", AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P},
                    Case{"limited_to_full", AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(PictureFit, KeepsSamplesWhoseSizeAndKindStay) {
  const cuda::Stream stream;
  const video::UniqueAVFrame picture = noise(AV_PIX_FMT_YUV420P, {175, 143}, 3);
  const Samples sent = samples_of(video::wrap(copy_of(picture)));
  video::PictureFit same({{175, 143}}, 8, false, 1, kDevice);
  EXPECT_EQ(downloaded(same.apply(uploaded(copy_of(picture), stream), stream), stream), sent);
  video::PictureFit deeper({{175, 143}}, 10, false, 1, kDevice);
  const Samples deep = downloaded(deeper.apply(uploaded(copy_of(picture), stream), stream), stream);
  for (std::size_t i = 0; i < sent.size(); ++i) ASSERT_EQ(deep[i], 4 * sent[i]);
}

TEST(PictureFit, KeepsWhatElseIsKnownOfAPicture) {
  const cuda::Stream stream;
  Frame frame = uploaded(noise(AV_PIX_FMT_YUVJ420P, {64, 48}, 1), stream);
  frame.pts = 77;
  frame.index = 12;
  frame.sample_aspect = {5, 4};
  frame.color.matrix = 9;
  video::unwrap(frame).colorspace = AVCOL_SPC_BT2020_NCL;
  video::PictureFit fit({{96, 64}}, 8, false, 1, kDevice);
  const Frame result = fit.apply(std::move(frame), stream);
  EXPECT_EQ(result.size, (Size{96, 64}));
  EXPECT_EQ(result.pts, 77);
  EXPECT_EQ(result.index, 12);
  EXPECT_EQ(result.sample_aspect, (Rational{5, 4}));
  EXPECT_EQ(result.color.matrix, 9);
  EXPECT_FALSE(result.color.full_range);
  EXPECT_EQ(video::unwrap(result).color_range, AVCOL_RANGE_MPEG);
  ASSERT_NE(result.ready, nullptr);
}

// If the source were released before it has been read, its NVDEC surface would be reused for
// another picture, or freed with the decoder.
TEST(PictureFit, LetsASourceGoOnlyOnceItHasBeenRead) {
  const cuda::Stream stream;
  const video::PictureLayout layout = video::picture_layout({4096, 2160}, 8);
  const cuda::DeviceBuffer<std::byte> memory(layout.bytes);
  cuda::fill(memory.span(), 100, stream);
  video::PictureFit fit({{4095, 2159}}, 8, false, 2, kDevice);
  stream.synchronize();
  int gone = 0;
  int early = 0;
  const video::UniqueAVFrame like = video::new_av_frame();
  for (int i = 0; i < 8; ++i) {
    const std::shared_ptr<void> holder(nullptr, [&](void*) {
      ++gone;
      if (cudaStreamQuery(stream.view().get()) != cudaSuccess) ++early;
    });
    Frame source = video::wrap(video::picture_over(memory.data(), layout, *like, holder),
                               layout.format, kDevice);
    static_cast<void>(fit.apply(std::move(source), stream));  // the result is released at once
  }
  EXPECT_EQ(gone, 8);
  EXPECT_EQ(early, 0);
}

}  // namespace
}  // namespace facepipe::test
