// These tests run the variants of Van Ranst et al. on the device. The variants must find the same
// windows as a loop over single trees, and their features must equal the detector's channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/cuda/graph.h"
#include "detector/acf/cuda/acf_detector.h"
#include "experiments/programs/acf_variants/coarse_scan.h"
#include "experiments/programs/acf_variants/features.h"
#include "experiments/programs/acf_variants/pyramid_on_device.h"
#include "tests/detector/acf/models.h"
#include "tests/detector/acf/oracle_windows.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/experiments/coarse_oracle.h"
#include "tests/support/test_frame.h"

namespace facepipe::acf_variants {
namespace {

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr Variant kExact[] = {Variant::window, Variant::stage, Variant::hybrid_compaction,
                              Variant::hybrid_tail_launch, Variant::hybrid_launches};

Frame noise(Size size) { return test::make_noise_frame({.format = kNv12, .size = size}, 11); }

/// Returns the windows of all scales, by plain loops over the detector's channels, without windows
/// that lie outside of the picture.
std::vector<detector::acf::SummedPlace> by_plain_loops(const detector::acf::Model& model,
                                                       const PyramidOnDevice& pyramid,
                                                       const Frame& frame,
                                                       const FrameDescriptor* descriptor) {
  const auto channels = detector::acf::cuda_channels(model, test::layout_of(frame), {}, descriptor);
  std::vector<detector::acf::SummedPlace> found;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const detector::acf::DeviceScale& of = pyramid.tables().scales[i];
    const Size padded = of.scale.padded;
    const auto cell = [&](int channel, int x, int y) {
      return channels[i]
                     [static_cast<std::size_t>((channel * padded.height + y) * padded.width + x)];
    };
    for (const test::OracleWindow& window : test::oracle_windows(model, padded, cell)) {
      const Box box =
          clipped(detector::acf::window_box(of.scale, window.column, window.row), frame.size);
      if (box.width() > 0 && box.height() > 0)
        found.push_back({of.first_place + static_cast<std::uint32_t>(
                                              window.row * of.scale.places.width + window.column),
                         window.sum});
    }
  }
  return found;
}

/// Holds a frame's channels on the device, as the detector computes them.
struct Case {
  explicit Case(std::size_t trees, Size size)
      : model(test::small_model(trees, 5)),
        frame(noise(size)),
        on_device(frame, stream),
        pyramid(model, test::layout_of(frame), {}) {
    pyramid.enqueue_channels(on_device.descriptor(), stream);
  }

  detector::acf::Model model;
  Frame frame;
  cuda::Stream stream;
  test::DescribedFrame on_device;
  PyramidOnDevice pyramid;
};

TEST(AcfVariants, FindTheWindowsOfPlainLoops) {
  for (const std::size_t trees : {1U, 7U, 128U, 160U, 700U}) {
    const Case on(trees, {200, 150});
    const auto expected = by_plain_loops(on.model, on.pyramid, on.frame, on.on_device.descriptor());
    EXPECT_GT(expected.size(), 0U) << "or the case tells nothing";
    on.pyramid.enqueue_our_scan(on.stream);
    EXPECT_EQ(on.pyramid.found(on.stream), expected) << "ours, " << trees << " trees";
    for (const Variant variant : kExact)
      for (const int first : {1, 2, 32, 128, 700}) {
        if (first > static_cast<int>(trees)) continue;
        on.pyramid.enqueue_variant(variant, first, on.stream);
        EXPECT_EQ(on.pyramid.found(on.stream), expected)
            << "variant " << static_cast<int>(variant) << ", " << trees << " trees, " << first;
        if (variant == Variant::hybrid_launches) {
          EXPECT_TRUE(on.pyramid.variants().launched_all(on.stream));
        }
      }
  }
}

// The runs aren't separated by waits: only the download of the results waits.
TEST(AcfVariants, FindTheSameFiftyTimes) {
  const Case on(160, {200, 150});
  on.pyramid.enqueue_our_scan(on.stream);
  const auto expected = on.pyramid.found(on.stream);
  EXPECT_GT(expected.size(), 10U);
  for (int i = 0; i < 50; ++i)
    for (const Variant variant : kExact) {
      on.pyramid.enqueue_variant(variant, 8, on.stream);
      ASSERT_EQ(on.pyramid.found(on.stream), expected)
          << "variant " << static_cast<int>(variant) << ", " << i;
    }
}

TEST(AcfVariants, FindTheSameFiftyTimesInAGraph) {
  const Case on(160, {200, 150});
  on.pyramid.enqueue_our_scan(on.stream);
  const auto expected = on.pyramid.found(on.stream);
  for (const Variant variant : {Variant::window, Variant::stage, Variant::hybrid_compaction}) {
    const cuda::GraphExec graph(
        cuda::capture(on.stream, [&] { on.pyramid.enqueue_variant(variant, 8, on.stream); }));
    for (int i = 0; i < 50; ++i) {
      graph.launch(on.stream);
      ASSERT_EQ(on.pyramid.found(on.stream), expected)
          << "variant " << static_cast<int>(variant) << ", " << i;
    }
  }
}

TEST(AcfVariants, CountWhatTheFirstTreesLeave) {
  const Case on(160, {200, 150});
  std::uint32_t last = on.pyramid.variants().windows();
  for (const int first : {1, 4, 32, 160}) {
    on.pyramid.enqueue_variant(Variant::hybrid_compaction, first, on.stream);
    const std::uint32_t alive = on.pyramid.variants().alive(on.stream);
    EXPECT_LE(alive, last);
    last = alive;
    for (const Variant other : {Variant::hybrid_tail_launch, Variant::hybrid_launches}) {
      on.pyramid.enqueue_variant(other, first, on.stream);
      EXPECT_EQ(on.pyramid.variants().alive(on.stream), alive);
    }
  }
  EXPECT_LT(last, on.pyramid.variants().windows()) << "or the case tells nothing";
  EXPECT_GE(last, on.pyramid.found(on.stream).size());
}

/// Returns the windows that the oracle finds on each scale. `cells` are the device's cells.
std::vector<std::vector<PassedWindow>> expected_coarse_fine(const PyramidOnDevice& pyramid,
                                                            const detector::acf::Model& fine,
                                                            const detector::acf::Model& coarse,
                                                            const std::vector<float>& cells) {
  std::vector<std::vector<PassedWindow>> expected;
  for (std::size_t i = 0; i < pyramid.tables().scales.size(); ++i) {
    const ScaleCells of = pyramid.scale_cells(cells, i);
    const auto cell = [&](int channel, int x, int y) {
      return of.first[channel * of.plane + y * of.stride + x];
    };
    expected.push_back(test::passed_windows(test::oracle_coarse_fine(fine, coarse, of.size, cell)));
  }
  return expected;
}

TEST(AcfCoarse, FindsTheWindowsThatBothDetectorsPass) {
  constexpr std::int32_t kUnit = detector::acf::kUnit;
  std::size_t fewer = 0;
  std::size_t some_left = 0;
  for (const std::size_t trees : {1U, 7U, 160U, 300U})
    for (const std::int32_t lower : {kUnit / 5, kUnit / 3, kUnit / 2}) {
      const auto [fine, coarse] = test::fine_and_coarse(trees, 5, lower);
      const Frame frame = noise({200, 150});
      const cuda::Stream stream;
      const test::DescribedFrame on_device(frame, stream);
      const PyramidOnDevice pyramid(fine, test::layout_of(frame), {});
      pyramid.enqueue_channels(on_device.descriptor(), stream);
      const auto expected =
          pyramid.in_picture(expected_coarse_fine(pyramid, fine, coarse, pyramid.cells(stream)));
      const CoarseScan scan(pyramid.plan(), fine, coarse);
      for (int i = 0; i < 20; ++i) {
        pyramid.enqueue_coarse(scan, stream);
        ASSERT_EQ(pyramid.found(stream), expected) << trees << " trees, " << lower << ", " << i;
      }
      const std::uint32_t left = scan.left(stream);
      if (left > 0 && left < pyramid.variants().windows()) ++some_left;
      pyramid.enqueue_variant(Variant::window, 0, stream);
      if (!expected.empty() && expected.size() < pyramid.found(stream).size()) ++fewer;
    }
  EXPECT_GT(some_left, 0U) << "or the cases tell nothing";
  EXPECT_GT(fewer, 0U) << "or the cases tell nothing";
}

// The published rule for rejecting windows is another one. It may accept more windows, but never
// fewer.
TEST(AcfVariants, WholeGroupsLetPassAllOfThemAndOthers) {
  const Case on(160, {200, 150});
  on.pyramid.enqueue_variant(Variant::stage, 0, on.stream);
  const auto exact = on.pyramid.found(on.stream);
  on.pyramid.enqueue_variant(Variant::stage_whole_groups, 0, on.stream);
  const auto published = on.pyramid.found(on.stream);
  EXPECT_GT(published.size(), exact.size());
  EXPECT_TRUE(std::ranges::includes(published, exact, {}, &detector::acf::SummedPlace::place,
                                    &detector::acf::SummedPlace::place));
}

TEST(AcfVariants, RefuseWhatTheyCannotDo) {
  const Case on(7, {64, 64});
  for (const int first : {0, 8})
    EXPECT_THROW(on.pyramid.enqueue_variant(Variant::hybrid_compaction, first, on.stream),
                 std::invalid_argument);
  const Frame small = noise({16, 16});
  EXPECT_THROW(PyramidOnDevice(on.model, test::layout_of(small), {}), std::invalid_argument);
}

/// Returns the samples without padding.
std::vector<std::uint8_t> bytes_of(const Frame& frame) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t plane = 0; plane < 2; ++plane)
    for (int y = 0; y < frame.size.height / (plane == 0 ? 1 : 2); ++y) {
      const auto* const row = reinterpret_cast<const std::uint8_t*>(frame.planes[plane].data) +
                              y * frame.planes[plane].stride;
      bytes.insert(bytes.end(), row, row + frame.size.width);
    }
  return bytes;
}

// Sums in another order differ in their last bits.
TEST(AcfPublishedFeatures, AreTheDetectorsChannels) {
  const Case on(7, {200, 148});
  const detector::acf::DeviceReal& real = on.pyramid.tables().real.front();
  const std::size_t samples = std::size_t{50} * 37 * detector::acf::kChannels;
  ASSERT_EQ(real.cells, (Size{50, 37}));
  const auto channels = [&] {
    std::vector<float> values(samples);
    cuda::copy(std::span<float>(values),
               cuda::DeviceSpan<const float>{on.pyramid.real_channels(0), samples}, on.stream);
    on.stream.synchronize();
    return values;
  };
  const std::vector<float> expected = channels();
  cuda::fill(cuda::DeviceSpan<float>{on.pyramid.real_channels(0), samples}, 0xff, on.stream);
  const std::vector<std::uint8_t> bytes = bytes_of(on.frame);
  const PublishedFeatures features(bytes, on.frame.size, on.frame.color);
  features.enqueue_all(on.pyramid.real_channels(0), on.stream);
  const std::vector<float> found = channels();
  for (std::size_t i = 0; i < samples; ++i) ASSERT_NEAR(found[i], expected[i], 1e-5) << i;
}

TEST(AcfPublishedFeatures, RefuseOtherSizes) {
  const std::vector<std::uint8_t> bytes(64 * 64 * 3 / 2);
  EXPECT_THROW(PublishedFeatures(bytes, {64, 60}, {}), std::invalid_argument);
  EXPECT_THROW(PublishedFeatures(bytes, {32, 126}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace facepipe::acf_variants
