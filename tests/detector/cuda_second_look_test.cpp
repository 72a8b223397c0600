// These tests compare second looks on the device with those on the CPU.
#include "detector/cuda_second_look.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/cuda/buffer.h"
#include "detector/cnn/cpu/crop_sheet.h"
#include "detector/detector.h"
#include "detector/second_look.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/detector/files.h"
#include "tests/detector/jpeg.h"
#include "tests/detector/nv12.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

constexpr Device kCuda{DeviceKind::cuda, 0};
constexpr CropGrid kGrid{2, 2};
constexpr Size kSize = kGrid.size();

/// Makes a frame whose colours change slowly, so that all ways to scale it give about the same.
Frame slow_frame(const PixelFormat& format, Size size, Orientation orientation) {
  Frame frame = test::make_noise_frame({format, size, orientation}, 1);
  const auto unit = 1U << static_cast<unsigned>(format.bits - 8 + format.shift);
  const auto wave = [](int x, float period) {
    return std::sin(static_cast<float>(x) * 6.2832F / period);
  };
  for (std::size_t p = 0; p < 2; ++p)
    for (int y = 0; y < test::rows(frame, p); ++y)
      for (int x = 0; x < test::row_samples(frame, p, false); ++x) {
        const float level = p == 0 ? 126 + 70 * wave(x, 190) + 30 * wave(y, 130)
                                   : 128 + 30 * wave(x / 2 + (x % 2) * 25, 100) + 20 * wave(y, 70);
        test::set_raw_sample(frame, p, x, y, static_cast<unsigned>(std::lround(level)) * unit);
      }
  return frame;
}

/// Draws a sheet on the device, and returns the green of each pixel.
std::vector<float> green_of_device(const Frame& frame, const std::vector<Box>& faces) {
  const cuda::Stream stream;
  const test::DescribedFrame on_device(frame, stream);
  const CudaCropSheet sheet(kGrid);
  SheetWork work;
  work.frame = on_device.host_descriptor();
  sheet.describe(frame.color, frame.size, work);
  work.crops = static_cast<int>(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i)
    work.crop[i] = crop_of(faces[i], frame.upright(), kGrid, i);
  const cuda::DeviceBuffer<SheetWork> device_work = cuda::uploaded<SheetWork>({work}, stream);
  sheet.enqueue(device_work.data(), test::layout_of(frame), stream);
  const auto luma_bytes = static_cast<std::size_t>(kSize.width) * kSize.height;
  std::vector<std::byte> samples(luma_bytes * 3 / 2);
  cuda::copy(std::span<std::byte>(samples),
             cuda::DeviceSpan<const std::byte>{work.sheet.luma, samples.size()}, stream);
  stream.synchronize();
  const auto value = [&](std::size_t at) {
    return static_cast<float>(std::to_integer<int>(samples[at]));
  };
  std::vector<float> green;
  for (int y = 0; y < kSize.height; ++y)
    for (int x = 0; x < kSize.width; ++x) {
      const std::size_t row = static_cast<std::size_t>(y) * kSize.width;
      const std::size_t cell = luma_bytes + static_cast<std::size_t>(y / 2) * kSize.width +
                               static_cast<std::size_t>(x / 2) * 2;
      const float(&m)[4] = work.sheet.to_rgb[1];
      green.push_back(std::clamp(m[0] * value(row + static_cast<std::size_t>(x)) +
                                     m[1] * value(cell) + m[2] * value(cell + 1) + m[3],
                                 0.0F, 255.0F));
    }
  return green;
}

TEST(CudaCropSheet, ShowsWhatTheSheetOfTheCpuShows) {
  for (const PixelFormat& format : {test::kNv12, test::kP010})
    for (const Orientation orientation : test::all_orientations()) {
      const Frame frame = slow_frame(format, {402, 302}, orientation);
      // A small face, a face as large as in the sheet, a large one, and one at the picture's edge.
      const std::vector<Box> faces{
          {100, 100, 115, 117}, {120, 90, 160, 130}, {60, 50, 200, 200}, {2, 3, 40, 50}};
      CropSheet expected;
      for (std::size_t i = 0; i < faces.size(); ++i) (void)expected.draw(frame, faces[i], i);
      const std::vector<float> green = green_of_device(frame, faces);
      const Frame sheet = expected.frame();
      double sum = 0;
      int far = 0;
      for (int y = 0; y < kSize.height; ++y)
        for (int x = 0; x < kSize.width; ++x) {
          const std::size_t at =
              static_cast<std::size_t>(y) * kSize.width + static_cast<std::size_t>(x);
          const double difference =
              std::abs(green[at] - static_cast<float>(test::raw_sample(sheet, 0, x, y)));
          sum += difference;
          far += difference > 20 ? 1 : 0;
        }
      const double pixels = static_cast<double>(kSize.width) * kSize.height;
      EXPECT_LT(sum / pixels, 2.5);
      EXPECT_LT(far / pixels, 0.01) << "a cell of chroma can lie across the edge of the picture";
    }
}

TEST(CudaCropSheet, IsBlackWhereNothingIsShown) {
  const Frame frame = slow_frame(test::kNv12, {402, 302}, {});
  const std::vector<float> green = green_of_device(frame, {{120, 90, 160, 130}});
  for (int y = 0; y < kSize.height; ++y)
    for (int x = 0; x < kSize.width; ++x) {
      if (x < kCropSide && y < kCropSide) continue;
      const std::size_t row = static_cast<std::size_t>(y) * kSize.width;
      ASSERT_LT(green[row + static_cast<std::size_t>(x)], 1.5F) << x << "," << y;
    }
}

TEST(CudaCropSheet, TakesBoxesOfAllShapesAndPlaces) {
  const Frame frame = slow_frame(test::kNv12, {321, 203}, {3, true});
  for (const Box& face : {Box{0, 0, 203, 321}, Box{202.5F, 320.5F, 202.9F, 320.9F},
                          Box{0, 100, 203, 100.5F}, Box{100, 0, 100.25F, 321},
                          Box{-3000, -2000, 4000, 3000}, Box{201, 0, 4000, 5}, Box{0, 0, 1, 1}})
    EXPECT_EQ(green_of_device(frame, {face, face}).size(),
              static_cast<std::size_t>(kSize.width) * kSize.height);
}

DetectorOptions options() {
  DetectorOptions options;
  options.model = test::centerface_file();
  options.score_threshold = 0.05F;
  return options;
}

TEST(CudaSecondLook, GivesTheScoresOfTheCpu) {
  const Frame planar = test::read_jpeg(test::city_file());
  const Frame frame = test::as_nv12(planar);
  const auto on_cpu = make_detector_factory(Device{}, options());
  const auto on_device = make_cuda_detector_factory(kCuda, options());
  const auto detector = on_cpu->detector(planar.upright());
  const auto request = detector->acquire({});
  request->prepare(planar);
  request->start();
  std::vector<Box> faces = request->collect().boxes;
  ASSERT_GE(faces.size(), 41U);
  if (faces.size() > 41) faces.resize(41);  // with six more, the last sheet isn't full
  for (int i = 0; i < 6; ++i)               // places without faces
    faces.push_back({static_cast<float>(40 + 90 * i), 30, static_cast<float>(90 + 90 * i), 80});

  const auto cpu = SecondLook::make(*on_cpu);
  const std::vector<float> expected = cpu->scores_of(planar, faces, {});
  const auto cuda = CudaSecondLook::make(*on_device, test::layout_of(frame));
  ASSERT_NE(cuda, nullptr);
  const cuda::Stream stream;
  const test::DescribedFrame device_frame(frame, stream);
  const FrameDescriptor& descriptor = device_frame.host_descriptor();
  CopyCounter copies;
  const std::vector<float> scores = cuda->scores_of(descriptor, frame.color, faces, copies);
  ASSERT_EQ(scores.size(), expected.size());
  double sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(scores[i], expected[i], 0.2) << i;
    sum += std::abs(scores[i] - expected[i]);
  }
  EXPECT_LT(sum / static_cast<double>(scores.size()), 0.05);
  EXPECT_GT(*std::ranges::max_element(expected), 0.7F);
  EXPECT_EQ(cuda->scores_of(descriptor, frame.color, faces, copies), scores) << "each time";
  EXPECT_EQ(copies.total(CopyKind::crops).calls, 2 * 3) << "of 16, 16 and up to 16 faces";
  EXPECT_EQ(copies.total(CopyKind::crop_scores).bytes, 2 * 3 * 64);
  // Smaller sheets find the same.
  for (const std::size_t few : {1U, 4U, 5U, 8U, 9U}) {
    const std::vector<float> alone =
        cuda->scores_of(descriptor, frame.color, std::span(faces).first(few), copies);
    ASSERT_EQ(alone.size(), few);
    for (std::size_t i = 0; i < few; ++i)
      EXPECT_NEAR(alone[i], scores[i], 0.2) << i << " of " << few;
  }
}

TEST(CudaSecondLook, IsOnlyForOneCenterfaceInOneLook) {
  const StreamLayout frames{{640, 480}, test::kNv12, {}};
  DetectorOptions smaller = options();
  smaller.detect_size = Size{160, 160};
  EXPECT_EQ(CudaSecondLook::make(*make_cuda_detector_factory(kCuda, smaller), frames), nullptr);
}

}  // namespace
}  // namespace facepipe::detector
