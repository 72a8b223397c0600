// These tests compare faces that are hidden in device memory with faces that are hidden on the
// host, bit for bit.
#include "pipeline/cuda/hiding_pixels.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "pipeline/cuda/small_luma.h"
#include "tests/pipeline/cuda/device_frame.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_frame.h"
#include "video/cuda/transfer.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

constexpr Device kDevice{DeviceKind::cuda, 0};

const std::vector<PixelFormat> kFormats{
    {true, 1, 1, 8, 0, true},   // NV12
    {true, 1, 1, 10, 6, true},  // P010
    {true, 1, 1, 16, 0, true},  // P016
};

TEST(CudaSmallLuma, IsTheHostsAtEverySizeDepthAndOrientation) {
  const cuda::Stream stream;
  for (const PixelFormat& format : kFormats)
    for (const Size size : {Size{1, 1}, Size{2, 3}, Size{75, 62}, Size{130, 97}})
      for (int turns = 0; turns < 4; ++turns)
        for (const bool mirrored : {false, true}) {
          const Frame host = make_noise_frame({format, size, {turns, mirrored}}, 5);
          const DeviceFrame there(host, stream);
          CopyCounter copies;
          const track::Luma found = pipeline::SmallLuma(size, copies).of(there.frame());
          const track::Luma expected =
              track::make_luma(host.planes[0], host.format, host.size, host.orientation);
          EXPECT_EQ(found.picture, expected.picture);
          EXPECT_EQ(found.size, expected.size);
          ASSERT_EQ(found.samples, expected.samples)
              << to_string(size) << ' ' << format.bits << ' ' << turns << ' ' << mirrored;
          EXPECT_EQ(copies.total(CopyKind::luma),
                    (CopyTotal{1, static_cast<std::int64_t>(expected.samples.size())}));
        }
}

TEST(CudaSmallLuma, RefusesAPictureOfAnotherSize) {
  const cuda::Stream stream;
  CopyCounter copies;
  const DeviceFrame there(make_noise_frame({kFormats[0], {64, 48}}, 5), stream);
  pipeline::SmallLuma luma({64, 46}, copies);
  expect_error(ErrorKind::internal, "another size",
               [&] { static_cast<void>(luma.of(there.frame())); });
}

/// Makes noise pictures in the form that they have in the pipeline.
class Pictures {
 public:
  Pictures(Size size, AVPixelFormat format, int bits)
      : size_(size), format_(format), upload_(size, bits, 1, kDevice, copies_) {}

  Frame make(unsigned seed) {
    const Frame noise = make_noise_frame({*video::workable_format(format_), size_}, seed);
    video::UniqueAVFrame picture = video::new_av_frame();
    picture->format = format_;
    picture->width = size_.width;
    picture->height = size_.height;
    video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
    for (std::size_t p = 0; p < 3; ++p)
      for (int y = 0; y < rows(noise, p); ++y)
        std::memcpy(picture->data[p] + y * picture->linesize[p],
                    noise.planes[p].data + y * noise.planes[p].stride,
                    static_cast<std::size_t>(row_samples(noise, p, false)) *
                        static_cast<std::size_t>(noise.format.bytes_per_sample()));
    Frame frame = video::wrap(std::move(picture));
    frame.index = static_cast<std::int64_t>(seed);
    return upload_.upload(frame, stream_);
  }

  Frame on_host(Frame frame, int bits) {
    video::PictureDownload download(size_, bits, 1, copies_);
    return download.start(std::move(frame), stream_).wait();
  }

 private:
  Size size_;
  AVPixelFormat format_;
  CopyCounter copies_;
  cuda::Stream stream_;
  video::PictureUpload upload_;
};

int wrong_samples(const Frame& a, const Frame& b) {
  int wrong = 0;
  for (std::size_t p = 0; p < 2; ++p)
    for (int y = 0; y < rows(a, p); ++y)
      for (int x = 0; x < row_samples(a, p, false); ++x)
        wrong += raw_sample(a, p, x, y) != raw_sample(b, p, x, y) ? 1 : 0;
  return wrong;
}

struct Depth {
  AVPixelFormat format;
  int bits;     ///< bits of a sample in the uploaded picture
  int on_chip;  ///< bits of a sample on the device, in FFmpeg's format for the device
};

class CudaHiding : public testing::TestWithParam<Depth> {};

// Two lanes keep more frames than planned. Each frame must have its own memory, and must keep its
// number.
TEST_P(CudaHiding, KeptFramesAreCopiesOfTheirOwn) {
  const Size size{75, 62};
  Pictures pictures(size, GetParam().format, GetParam().bits);
  CopyCounter copies;
  pipeline::WaitingPictures memory(pictures.make(0), 2);
  const auto one = pipeline::make_cuda_keeper(memory, copies);
  const auto other = pipeline::make_cuda_keeper(memory, copies);
  std::vector<Frame> waiting;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    pipeline::PictureKeeper& keeper = seed % 2 == 0 ? *one : *other;
    waiting.push_back(keeper.kept(pictures.make(seed)));
    keeper.wait();
  }
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Frame& frame = waiting[seed - 1];
    EXPECT_EQ(frame.index, seed);
    EXPECT_EQ(frame.device, kDevice);
    const Frame expected = pictures.on_host(pictures.make(seed), GetParam().on_chip);
    EXPECT_EQ(wrong_samples(expected, pictures.on_host(std::move(frame), GetParam().on_chip)), 0);
  }
  EXPECT_EQ(copies.total(CopyKind::waiting).calls, 5);
}

TEST_P(CudaHiding, HidesAsTheHostDoes) {
  const Size size{130, 98};
  Pictures pictures(size, GetParam().format, GetParam().bits);
  CopyCounter copies;
  const std::vector<Box> faces{{10, 12, 40, 50}, {90.5F, 60.25F, 200, 97}, {30, 30, 35, 36}};
  for (const overlay::HideStyle style :
       {overlay::HideStyle::solid, overlay::HideStyle::blur, overlay::HideStyle::mosaic}) {
    overlay::HideOptions look;
    look.style = style;
    look.color = {0.8, 0.1, 0.2};
    pipeline::WaitingPictures memory(pictures.make(0), 1);
    const auto keeper = pipeline::make_cuda_keeper(memory, copies);
    const auto pixels = pipeline::make_cuda_hiding_pixels(look, size);
    Frame frame = keeper->kept(pictures.make(7));
    keeper->wait();
    pixels->hide(frame, faces);
    Frame expected = pictures.on_host(pictures.make(7), GetParam().on_chip);
    overlay::FaceHider(look).hide(expected, faces);
    EXPECT_EQ(wrong_samples(expected, pictures.on_host(std::move(frame), GetParam().on_chip)), 0);

    Frame whole = keeper->kept(pictures.make(8));
    keeper->wait();
    pixels->hide_all(whole);
    Frame nothing = pictures.on_host(pictures.make(8), GetParam().on_chip);
    overlay::hide_all(nothing, look.color);
    EXPECT_EQ(wrong_samples(nothing, pictures.on_host(std::move(whole), GetParam().on_chip)), 0);
  }
}

// Each style has its own stream, so the second style's stream must wait for the first style's.
TEST_P(CudaHiding, SeveralLooksHideOneAfterTheOther) {
  const Size size{130, 98};
  Pictures pictures(size, GetParam().format, GetParam().bits);
  CopyCounter copies;
  overlay::HideOptions blur;
  blur.style = overlay::HideStyle::blur;
  overlay::HideOptions red;
  red.color = {1, 0, 0};
  pipeline::WaitingPictures memory(pictures.make(0), 1);
  const auto keeper = pipeline::make_cuda_keeper(memory, copies);
  const auto first = pipeline::make_cuda_hiding_pixels(blur, size);
  const auto second = pipeline::make_cuda_hiding_pixels(red, size);
  const std::vector<Box> faces{{10, 12, 90, 80}};
  const std::vector<Box> others{{60, 40, 120, 90}};
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Frame frame = keeper->kept(pictures.make(seed));
    keeper->wait();
    first->hide(frame, faces);
    second->hide(frame, others);
    Frame expected = pictures.on_host(pictures.make(seed), GetParam().on_chip);
    overlay::FaceHider(blur).hide(expected, faces);
    overlay::FaceHider(red).hide(expected, others);
    EXPECT_EQ(wrong_samples(expected, pictures.on_host(std::move(frame), GetParam().on_chip)), 0);
  }
}

TEST_P(CudaHiding, RefusesAPictureUnlikeTheFirst) {
  CopyCounter copies;
  Pictures pictures({64, 48}, GetParam().format, GetParam().bits);
  pipeline::WaitingPictures memory(pictures.make(0), 1);
  const auto keeper = pipeline::make_cuda_keeper(memory, copies);
  Pictures others({66, 48}, GetParam().format, GetParam().bits);
  expect_error(ErrorKind::internal, "unlike the first",
               [&] { static_cast<void>(keeper->kept(others.make(1))); });
}

INSTANTIATE_TEST_SUITE_P(All, CudaHiding,
                         testing::Values(Depth{AV_PIX_FMT_YUV420P, 8, 8},
                                         Depth{AV_PIX_FMT_YUV420P10, 10, 10},
                                         Depth{AV_PIX_FMT_YUV420P16, 16, 16}),
                         [](const auto& test) { return std::to_string(test.param.bits) + "Bits"; });

}  // namespace
}  // namespace facepipe::test
