#include "experiments/programs/hardware/places.h"

#include <set>
#include <stdexcept>

#include "core/cuda/devices.h"
#include "core/cuda/stream.h"
#include "experiments/programs/hardware/green_context.h"
#include "experiments/programs/hardware/multiprocessors_used.h"

namespace facepipe::experiments {
namespace {

/// After these, there is a step every 32 multiprocessors.
constexpr std::uint32_t kFirstSteps[] = {8, 16, 24, 32, 40, 48, 64, 80};

/// Throws if the current context runs on another number of multiprocessors, because the measurement
/// would then be worthless.
void expect_used(std::uint32_t expected) {
  const cuda::Stream stream;
  const std::uint32_t used = multiprocessors_used(stream);
  if (used != expected)
    throw std::runtime_error("a context of " + std::to_string(expected) +
                             " multiprocessors ran on " + std::to_string(used));
}

}  // namespace

void on_parts(const std::vector<std::uint32_t>& numbers,
              const std::function<void(const Place&)>& measure) {
  if (numbers.empty()) measure({});
  std::set<std::uint32_t> measured;
  for (const std::uint32_t number : numbers) {
    const GreenContext context(number);
    const std::uint32_t count = context.multiprocessors();
    if (!measured.insert(count).second) continue;
    expect_used(count);
    measure({" on " + std::to_string(count) + " multiprocessors", count});
  }
}

std::vector<std::uint32_t> steps_to_all() {
  const std::vector<cuda::DeviceFacts> devices = cuda::devices();
  if (devices.empty()) throw std::runtime_error("no CUDA device");
  const auto all = static_cast<std::uint32_t>(devices.front().multiprocessors);
  std::vector<std::uint32_t> steps;
  for (const std::uint32_t step : kFirstSteps)
    if (step < all) steps.push_back(step);
  for (std::uint32_t step = 96; step < all; step += 32) steps.push_back(step);
  steps.push_back(all);
  return steps;
}

}  // namespace facepipe::experiments
