// These tests check the counter of a device's energy.
#include "experiments/programs/hardware/device_energy.h"

#include <gtest/gtest.h>

#include <memory>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/error.h"
#include "core/timing.h"

namespace facepipe::experiments {
namespace {

constexpr double kSeconds = 1;
constexpr double kMostWatts = 2000;  // no device uses so much

TEST(DeviceEnergy, GrowsAsADevicesDoes) {
  std::unique_ptr<DeviceEnergy> energy;
  try {
    energy = std::make_unique<DeviceEnergy>();
  } catch (const Error& none) {
    GTEST_SKIP() << none.what();
  }
  const cuda::Stream stream;
  const cuda::DeviceBuffer<char> memory(std::size_t{1} << 28);
  const double before = energy->joules();
  const Clock::time_point begin = Clock::now();
  while (in_seconds(Clock::now() - begin) < kSeconds) {
    for (int i = 0; i < 20; ++i) cuda::fill(memory.span(), i, stream);
    stream.synchronize();
  }
  const double took = energy->joules() - before;
  EXPECT_GT(took, 1 * kSeconds);
  EXPECT_LT(took, kMostWatts * kSeconds);
}

}  // namespace
}  // namespace facepipe::experiments
