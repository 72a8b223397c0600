// These tests check that the paper's variants and OpenCV's schedule find exactly the windows of a
// plain loop on a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/cuda/devices.h"
#include "experiments/programs/viola_jones/active_warps.h"
#include "experiments/programs/viola_jones/compacting_scan.h"
#include "experiments/programs/viola_jones/plain_loop.h"
#include "experiments/programs/viola_jones/several_devices.h"
#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/pictures.h"

namespace facepipe::viola_jones {
namespace {

constexpr std::uint32_t kRoom = 1 << 20;

detector::cascade::Cascade cascade_of(const std::string& name, std::size_t stages = 99) {
  detector::cascade::Cascade cascade =
      detector::cascade::read_cascade(test::installed_cascade(name));
  cascade.stages.resize(std::min(stages, cascade.stages.size()));
  return cascade;
}

Job job_of(const detector::cascade::Cascade& cascade, const test::PictureRecipe& recipe) {
  const std::vector<std::uint8_t> pixels = test::make_picture(recipe);
  return {cascade, recipe.size, "picture", {pixels.begin(), pixels.end()}};
}

std::vector<FoundWindow> expected_of(const Job& job, const std::vector<Scale>& scales) {
  return windows_of(scan(SummedPicture(job.bytes(), job.size), job.cascade, scales));
}

void give(const DeviceScan& scan, const Job& job) {
  std::copy(job.pixels.begin(), job.pixels.end(), scan.picture().begin());
}

std::vector<FoundWindow> found_by(Variant variant, const DeviceScan& scan) {
  const cuda::Stream stream;
  const cuda::GraphExec graph(
      graph_of(scan, variant, whole_parts(scan.scales()), Copies::picture_and_windows, stream));
  graph.launch(stream);
  stream.synchronize();
  return scan.windows();
}

std::vector<FoundWindow> found_by_blocks_of(const LaunchShape& shape, Variant variant,
                                            const DeviceScan& scan) {
  const cuda::Stream stream;
  scan.enqueue_upload(stream);
  scan.enqueue_sums(stream);
  for (std::size_t i = 0; i < scan.scales().size(); ++i) scan.enqueue(variant, i, shape, stream);
  scan.enqueue_download(stream);
  stream.synchronize();
  return scan.windows();
}

std::vector<FoundWindow> found_by_compaction(const DeviceScan& scan) {
  const cuda::Stream stream;
  CompactingScan compacting(scan);
  scan.enqueue_upload(stream);
  scan.enqueue_sums(stream);
  compacting.run(stream);
  scan.enqueue_download(stream);
  stream.synchronize();
  return scan.windows();
}

constexpr test::PictureRecipe kVga{{640, 480}, 3, 14};
constexpr test::PictureRecipe kOdd{{401, 299}, 2, 10};

struct Case {
  const char* cascade;
  std::size_t stages;
  test::PictureRecipe recipe;
  std::size_t at_least;
};

class ViolaJonesVariants : public testing::TestWithParam<Case> {};

TEST_P(ViolaJonesVariants, FindWhatThePlainLoopFinds) {
  const auto& [name, stages, recipe, at_least] = GetParam();
  const Job job = job_of(cascade_of(name, stages), recipe);
  const Size window = job.cascade.window;
  const DeviceScan scan(job.cascade, job.size, paper_scales(window, job.size), kRoom);
  give(scan, job);
  const std::vector<FoundWindow> expected = expected_of(job, scan.scales());
  EXPECT_GE(expected.size(), at_least) << "or the case tells nothing";
  for (const Variant variant : kVariants)
    EXPECT_EQ(found_by(variant, scan), expected) << name_of(variant);
  EXPECT_EQ(found_by_compaction(scan), expected);
}

TEST_P(ViolaJonesVariants, FindItWithBlocksOfAnyShape) {
  const auto& [name, stages, recipe, at_least] = GetParam();
  const Job job = job_of(cascade_of(name, stages), recipe);
  const DeviceScan scan(job.cascade, job.size, paper_scales(job.cascade.window, job.size), kRoom);
  give(scan, job);
  const std::vector<FoundWindow> expected = expected_of(job, scan.scales());
  for (const Variant variant : kVariants)
    for (const LaunchShape& shape :
         {LaunchShape{8, 7}, LaunchShape{32, 7}, LaunchShape{16, 1}, LaunchShape{16, 12}})
      EXPECT_EQ(found_by_blocks_of(shape, variant, scan), expected)
          << name_of(variant) << ", side " << shape.block_side << ", K " << shape.cached_stages;
  EXPECT_THROW((void)found_by_blocks_of({12, 7}, Variant::basic, scan), std::invalid_argument);
}

TEST_P(ViolaJonesVariants, FindItAtWholeScalesToo) {
  const auto& [name, stages, recipe, at_least] = GetParam();
  const Job job = job_of(cascade_of(name, stages), recipe);
  const std::vector<Scale> scales = whole_scales(job.cascade.window, job.size);
  const std::vector<FoundWindow> expected = expected_of(job, scales);
  for (const auto sums : {DeviceScan::Sums::as_they_are, DeviceScan::Sums::decimated}) {
    const DeviceScan scan(job.cascade, job.size, scales, kRoom, sums);
    give(scan, job);
    EXPECT_EQ(found_by_compaction(scan), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Cascades, ViolaJonesVariants,
                         testing::Values(Case{"frontalface_alt", 99, kVga, 50},
                                         Case{"frontalface_alt", 3, kVga, 10000},
                                         Case{"frontalface_alt", 12, kOdd, 50},
                                         Case{"frontalface_default", 99, kOdd, 20},
                                         Case{"frontalface_default", 1, kOdd, 10000},
                                         Case{"frontalface_alt", 99, {{20, 20}, 5, 1}, 0},
                                         Case{"frontalface_alt", 99, {{640, 480}, 5, 0, 0}, 0}),
                         [](const auto& parameter) {
                           return std::string(1, static_cast<char>('A' + parameter.index));
                         });

TEST(ViolaJonesScans, FindTheSameAHundredTimes) {
  const Job job = job_of(cascade_of("frontalface_alt"), kOdd);
  const DeviceScan scan(job.cascade, job.size, paper_scales(job.cascade.window, job.size), kRoom);
  give(scan, job);
  const std::vector<FoundWindow> expected = expected_of(job, scan.scales());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(found_by(Variant::dynamic_warp, scan), expected) << i;
}

TEST(ViolaJonesScans, TellWhereTheyHaveNoRoom) {
  const Job job = job_of(cascade_of("frontalface_alt", 1), kOdd);
  const DeviceScan scan(job.cascade, job.size, paper_scales(job.cascade.window, job.size), 100);
  give(scan, job);
  EXPECT_THROW((void)found_by(Variant::basic, scan), std::runtime_error);
}

TEST(ViolaJonesScans, ThatAreTimedWriteDownEachWarp) {
  const Job job = job_of(cascade_of("frontalface_alt"), kOdd);
  const DeviceScan scan(job.cascade, job.size, paper_scales(job.cascade.window, job.size), kRoom);
  give(scan, job);
  const Size blocks = scan.scales().front().blocks;
  const cuda::Stream stream;
  scan.enqueue_upload(stream);
  scan.enqueue_sums(stream);
  for (const Variant variant : kVariants) {
    std::vector<WarpTime> times(
        static_cast<std::size_t>(blocks.width * blocks.height * warps_of(variant)),
        WarpTime{0, 0, -1});
    const cuda::DeviceBuffer<WarpTime> device(times.size());
    cuda::fill(device.span(), 0xFF, stream);
    scan.enqueue(variant, whole_parts(scan.scales()).front(), stream, device.data());
    cuda::copy(std::span<WarpTime>(times), device.span(), stream);
    stream.synchronize();
    for (const WarpTime& time : times) {
      ASSERT_GE(time.multiprocessor, 0);
      ASSERT_GT(time.end, time.begin);
    }
    EXPECT_GE(active_warps(times), 1) << name_of(variant);
  }
}

TEST(ViolaJonesDevices, FindTogetherWhatOneFinds) {
  const Job job = job_of(cascade_of("frontalface_alt"), kVga);
  const std::vector<Scale> scales = paper_scales(job.cascade.window, job.size);
  const std::vector<FoundWindow> expected = expected_of(job, scales);
  const std::vector<double> work = work_of_scales(job, 3);
  for (std::size_t devices = 1; devices <= cuda::devices().size(); ++devices)
    for (const Deal& deal : {deal_scales(scales, work, devices), deal_bands(scales, devices)}) {
      const SharedTimes times = time_shared_frames(job, deal, 3);
      EXPECT_EQ(times.windows, expected);
      EXPECT_EQ(times.frames.size(), 3U);
    }
  EXPECT_GT(time_whole_frames(job, cuda::devices().size(), 3), 0);
}

/// One device scans all parts one after the other. The parts for several devices together must
/// contain all windows.
TEST(ViolaJonesDevices, HavePartsThatMakeAWhole) {
  const Job job = job_of(cascade_of("frontalface_alt", 6), kVga);
  const DeviceScan scan(job.cascade, job.size, paper_scales(job.cascade.window, job.size), kRoom);
  give(scan, job);
  const std::vector<FoundWindow> expected = expected_of(job, scan.scales());
  const cuda::Stream stream;
  std::vector<FoundWindow> found;
  for (const std::vector<Part>& parts : deal_bands(scan.scales(), 5)) {
    const cuda::GraphExec graph(
        graph_of(scan, Variant::dynamic_warp, parts, Copies::picture_and_windows, stream));
    graph.launch(stream);
    stream.synchronize();
    const std::vector<FoundWindow> part = scan.windows();
    found.insert(found.end(), part.begin(), part.end());
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

TEST(ViolaJonesDevices, ThatFailAreTold) {
  const Job job = job_of(cascade_of("frontalface_alt"), kOdd);
  const std::vector<Scale> scales = paper_scales(job.cascade.window, job.size);
  const std::size_t too_many = cuda::devices().size() + 1;
  EXPECT_THROW((void)time_shared_frames(job, deal_bands(scales, too_many), 1), std::exception);
  (void)cudaGetLastError();
}

}  // namespace
}  // namespace facepipe::viola_jones
