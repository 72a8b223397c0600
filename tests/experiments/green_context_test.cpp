// These tests check work in a green context: where it runs, and that suppression planned for it is
// exact.
#include "experiments/programs/nms_papers/green_context.h"

#include <gtest/gtest.h>

#include "core/cuda/devices.h"
#include "experiments/programs/nms_papers/multiprocessors_used.h"
#include "nms/cpu/suppressor.h"
#include "tests/nms/cuda/device_nms.h"
#include "tests/support/nms_cases.h"

namespace facepipe::nms_papers {
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
}  // namespace facepipe::nms_papers
