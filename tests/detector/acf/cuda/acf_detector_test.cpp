// These tests compare the detector of channel features on the device with the CPU's. Channels and
// candidates must be bit-equal.
#include "detector/acf/cuda/acf_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/detector/acf/cuda/on_cpu.h"
#include "tests/detector/acf/models.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/detector/cuda_candidates.h"
#include "tests/detector/files.h"
#include "tests/detector/jpeg.h"
#include "tests/support/all_pictures.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using acf::Model;
using acf::SizeLimits;
using test::count_of;
using test::run;

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr PixelFormat kP010{true, 1, 1, 10, 6, true};
constexpr std::uint32_t kCapacity = 40000;

/// Returns a part of the photo whose samples are converted to `format`.
Frame photo(Size size, const PixelFormat& format = kNv12, Orientation orientation = {},
            bool full_range = false, Size corner = {160, 90}) {
  static const Frame city = test::read_jpeg(test::city_file());
  test::FrameSpec spec{.format = format, .size = size, .orientation = orientation};
  spec.color.full_range = full_range;
  Frame frame = test::make_noise_frame(spec, 1);
  const auto copy = [&](int plane, int columns, int rows, Size from, int step) {
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) {
        // The photo has separate chroma planes (4:2:0), and the frame has interleaved chroma.
        const std::size_t source =
            plane == 0 ? 0 : static_cast<std::size_t>(1 + (step == 2 ? x % 2 : 0));
        const Plane& of = city.planes[source];
        const Size limit = source == 0 ? city.size : city.chroma_size();
        const int at_x = (from.width + x / step) % limit.width;
        const int at_y = (from.height + y) % limit.height;
        const auto sample = static_cast<std::uint8_t>(of.data[at_y * of.stride + at_x]);
        // The photo has 8 bits, so this makes the lower two bits of a 10-bit sample.
        const unsigned low = static_cast<unsigned>(x * 7 + y * 3) % 4;
        const unsigned value = format.bits == 8 ? sample : (4U * sample + low) << format.shift;
        test::set_raw_sample(frame, static_cast<std::size_t>(plane), x, y, value);
      }
  };
  copy(0, size.width, size.height, corner, 1);
  const Size chroma = frame.chroma_size();
  copy(1, 2 * chroma.width, chroma.height, {corner.width / 2, corner.height / 2}, 2);
  return frame;
}

std::unique_ptr<CudaDetection> detection_of(const Model& model, const Frame& frame,
                                            const acf::CudaAcfOptions& options) {
  return acf::make_cuda_acf_detector(model, test::layout_of(frame), options)->make_detection();
}

void expect_same(const Model& model, const Frame& frame, acf::CudaAcfOptions options,
                 std::size_t at_least) {
  options.capacity = kCapacity;
  const Detections expected = test::on_cpu(model, frame, options.sizes, options.score_threshold);
  EXPECT_GE(expected.size(), at_least) << "or the case tells nothing";
  const Detections found = run(*detection_of(model, frame, options), frame);
  EXPECT_EQ(found.boxes, expected.boxes);
  EXPECT_EQ(found.scores, expected.scores);
  EXPECT_FALSE(found.has_landmarks());
}

/// Compares the channels of all scales over which windows slide, sample by sample.
void expect_same_channels(const Model& model, const Frame& frame, const SizeLimits& sizes) {
  const cuda::Stream stream;
  const test::DescribedFrame device(frame, stream);
  const auto found = acf::cuda_channels(model, test::layout_of(frame), sizes, device.descriptor());
  const auto expected = test::channels_on_cpu(model, frame, sizes);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size()) << "scale " << i;
    const auto [here, there] = std::ranges::mismatch(found[i], expected[i]);
    ASSERT_EQ(here, found[i].end())
        << "scale " << i << ", sample " << here - found[i].begin() << " of " << found[i].size()
        << ": " << *here << " for " << *there;
  }
}

Model face_model() { return acf::read_model(FACEPIPE_SOURCE_DIR "/data/acf_face.json"); }

TEST(CudaAcfChannels, AreTheCpusBits) {
  const Model model = test::small_model(1, 5);
  for (const Size size : {Size{400, 300}, {402, 298}, {131, 217}, {64, 64}, {97, 121}})
    expect_same_channels(model, photo(size), {});
}

TEST(CudaAcfChannels, AreTheCpusBitsWhereThePictureIsEnlarged) {
  const Model model = test::small_model(1, 5);
  expect_same_channels(model, photo({182, 140}), {10, 0});
  expect_same_channels(model, photo({83, 70}), {5, 0});
}

TEST(CudaAcfChannels, AreTheCpusBitsOnNoiseAndFlatPictures) {
  const Model model = test::small_model(1, 5);
  for (const Size size : {Size{41, 53}, {20, 26}, {21, 27}, {22, 26}, {23, 95}, {130, 31}})
    expect_same_channels(model, test::make_noise_frame({.format = kNv12, .size = size}, 9), {});
  for (const unsigned value : {0U, 16U, 128U, 255U}) {
    Frame frame = test::make_noise_frame({.format = kNv12, .size = {60, 70}}, 9);
    for (int y = 0; y < 70; ++y)
      for (int x = 0; x < 60; ++x) test::set_raw_sample(frame, 0, x, y, value);
    for (int y = 0; y < 35; ++y)
      for (int x = 0; x < 60; ++x) test::set_raw_sample(frame, 1, x, y, 128);
    expect_same_channels(model, frame, {});
  }
}

TEST(CudaAcfChannels, AreTheCpusBitsOfAllFormatsAndOrientations) {
  const Model model = test::small_model(1, 5);
  for (const PixelFormat& format : {kNv12, kP010})
    for (const bool full_range : {false, true})
      for (const Orientation orientation : test::all_orientations())
        expect_same_channels(model, photo({101, 75}, format, orientation, full_range), {});
}

TEST(CudaAcfChannels, AreTheCpusBitsOfTenBitsOfNoise) {
  for (const bool full_range : {false, true}) {
    test::FrameSpec spec{.format = kP010, .size = {90, 66}};
    spec.color.full_range = full_range;
    expect_same_channels(test::small_model(1, 5), test::make_noise_frame(spec, 3), {});
  }
}

TEST(CudaAcf, FindsTheCpusFacesInThePhoto) {
  const Frame frame = photo({800, 448}, kNv12, {}, true, {0, 0});
  for (const SizeLimits sizes : {SizeLimits{}, {22, 60}, {20, 0}, {50, 0}})
    expect_same(face_model(), frame, {.sizes = sizes, .score_threshold = .3F}, 1);
}

// Trees reject some windows early, some late and some never.
TEST(CudaAcf, FindsTheCpusWindowsWithAnyNumberOfTrees) {
  const Frame frame = photo({400, 300});
  for (const std::size_t count : {1U, 3U, 8U, 9U, 60U, 64U, 65U, 127U, 128U, 129U, 161U, 700U})
    expect_same(test::small_model(count, 5), frame, {.score_threshold = 0}, 1);
}

// The windows of large models have too many samples for shared memory. The test reduces the limit.
TEST(CudaAcf, FindsTheCpusWindowsWhereSharedMemoryHasNoRoom) {
  const Frame frame = photo({400, 300});
  for (const std::size_t samples : {0U, 8'000U, 14'000U})
    for (const std::size_t count : {5U, 160U, 700U})
      expect_same(test::small_model(count, 5), frame,
                  {.score_threshold = 0, .shared_samples = samples}, 1);
}

TEST(CudaAcf, FindsTheCpusWindowsInBatches) {
  const Model model = test::small_model(160, 5);
  const Frame frame = photo({200, 150});
  for (const std::int64_t cells : {1, 20'000, 60'000})
    expect_same(model, frame, {.sizes = {10, 0}, .score_threshold = .2F, .batch_cells = cells},
                100);
}

TEST(CudaAcf, FindsNothingInSmallPictures) {
  for (const Size size : {Size{38, 100}, {100, 2}, {2, 2}}) {
    const Frame frame = test::make_noise_frame({.format = kNv12, .size = size}, 1);
    EXPECT_EQ(run(*detection_of(face_model(), frame, {}), frame).size(), 0U);
  }
}

TEST(CudaAcf, FindsTheSameAHundredTimes) {
  const Model model = test::small_model(160, 5);
  const Frame frame = photo({400, 300});
  const acf::CudaAcfOptions options{.score_threshold = 0, .capacity = kCapacity};
  const Detections expected = test::on_cpu(model, frame, {}, 0);
  EXPECT_GT(expected.size(), 10U);
  const auto detection = detection_of(model, frame, options);
  test::expect_always(*detection, frame, expected);
}

TEST(CudaAcfCapacity, KeepsTheFirstAndCountsAll) {
  const Model model = test::small_model(60, 5);
  const Frame frame = photo({400, 300});
  Detections expected = test::on_cpu(model, frame, {}, 0);
  ASSERT_GT(expected.size(), 25U);
  const auto detection = detection_of(model, frame, {.score_threshold = 0, .capacity = 20});
  const Detections found = run(*detection, frame);
  EXPECT_EQ(count_of(*detection), expected.size());
  expected.boxes.resize(20);
  EXPECT_EQ(found.boxes, expected.boxes);
}

TEST(CudaAcfCapacity, TellsOfMoreWindowsThanItKeeps) {
  Model model = test::small_model(1, 1);
  model.trees[0].leaves = {1, 1, 1, 1};
  const Frame frame = photo({1280, 720});
  const auto detection = detection_of(model, frame, {.score_threshold = 0, .capacity = 1000});
  (void)run(*detection, frame);
  EXPECT_GT(count_of(*detection), 1000U);
}

TEST(CudaAcf, RefusesWhatItCannotDo) {
  const Model model = test::small_model(1, 1);
  PixelFormat planar;
  test::expect_error(ErrorKind::device, "NV12 or P016", [&] {
    (void)acf::make_cuda_acf_detector(model, {{64, 64}, planar, {}}, {});
  });
  test::expect_error(ErrorKind::usage, "the capacity must be 1 or more", [&] {
    (void)acf::make_cuda_acf_detector(model, {{64, 64}, kNv12, {}}, {.capacity = 0});
  });
  test::expect_error(ErrorKind::device, "the enlarged picture would be too large", [&] {
    (void)acf::make_cuda_acf_detector(model, {{32768, 32768}, kNv12, {}}, {.sizes = {5, 0}});
  });
}

}  // namespace
}  // namespace facepipe::detector
