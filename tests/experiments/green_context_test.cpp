// These tests check work in a green context: where it runs, and that suppression planned for it is
// exact.
#include "experiments/programs/hardware/green_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/cuda/devices.h"
#include "experiments/programs/hardware/multiprocessors_used.h"
#include "experiments/programs/hardware/places.h"
#include "nms/cpu/suppressor.h"
#include "tests/nms/cuda/device_nms.h"
#include "tests/support/nms_cases.h"

namespace facepipe::experiments {
namespace {

class GreenContexts : public testing::Test {
 protected:
  static constexpr int kFirstWithThem = 12040;

  void SetUp() override {
    if (cuda::versions().driver < kFirstWithThem) GTEST_SKIP() << "the driver has none";
    all_ = static_cast<std::uint32_t>(cuda::devices().front().multiprocessors);
  }

  std::uint32_t all_ = 0;
};

TEST_F(GreenContexts, RunOnTheirMultiprocessorsAlone) {
  for (const std::uint32_t asked : {8U, 16U, 32U, all_}) {
    if (asked > all_) continue;
    const GreenContext context(asked);
    EXPECT_GE(context.multiprocessors(), asked);
    const cuda::Stream stream;
    EXPECT_EQ(multiprocessors_used(stream), context.multiprocessors());
  }
  const cuda::Stream stream;
  EXPECT_EQ(multiprocessors_used(stream), all_);
}

TEST_F(GreenContexts, MeasureOnEachPartOnce) {
  std::vector<std::uint32_t> numbers;
  on_parts({7, 8, all_, all_ + 100}, [&](const Place& place) {
    numbers.push_back(place.multiprocessors);
    EXPECT_EQ(place.words, " on " + std::to_string(place.multiprocessors) + " multiprocessors");
  });
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{8, all_}));
  int whole = 0;
  on_parts({}, [&](const Place& place) {
    EXPECT_EQ(place.multiprocessors, kWholeDevice);
    ++whole;
  });
  EXPECT_EQ(whole, 1);
}

TEST_F(GreenContexts, StepsGrowToTheWholeDevice) {
  const std::vector<std::uint32_t> steps = steps_to_all();
  EXPECT_EQ(steps.back(), all_);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
}

TEST_F(GreenContexts, SuppressExactly) {
  nms::NmsOptions options;
  nms::CpuSuppressor cpu(options, 4096);
  for (const std::uint32_t asked : {8U, 16U, 48U}) {
    if (asked > all_) continue;
    const GreenContext context(asked);
    test::DeviceNms device(options, 4096, context.multiprocessors());
    for (const std::size_t count : {0U, 129U, 200U, 256U, 1027U, 2895U, 4096U})
      for (const test::NmsCase& all : {test::tight_faces(count), test::crowd(count)}) {
        const nms::NmsKept kept = cpu.run({all.boxes, all.scores});
        const std::vector<std::uint32_t> expected(kept.indices.begin(), kept.indices.end());
        EXPECT_EQ(device.run({all.boxes, all.scores}).indices, expected)
            << all.name << " of " << count << " on " << context.multiprocessors();
      }
  }
}

}  // namespace
}  // namespace facepipe::experiments
