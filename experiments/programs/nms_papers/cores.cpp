#include <set>
#include <stdexcept>

#include "bench/nms_cuda/suppression_times.h"
#include "core/cuda/devices.h"
#include "core/cuda/stream.h"
#include "experiments/programs/nms_papers/green_context.h"
#include "experiments/programs/nms_papers/measures.h"
#include "experiments/programs/nms_papers/multiprocessors_used.h"

namespace facepipe::nms_papers {
namespace {

/// More steps follow every 32 multiprocessors, up to all of them.
constexpr std::uint32_t kFirstSteps[] = {8, 16, 24, 32, 48, 64};

std::vector<std::uint32_t> steps_to(std::uint32_t all) {
  std::vector<std::uint32_t> steps;
  for (const std::uint32_t step : kFirstSteps)
    if (step < all) steps.push_back(step);
  for (std::uint32_t step = 96; step < all; step += 32) steps.push_back(step);
  steps.push_back(all);
  return steps;
}

/// A measurement that runs on other multiprocessors than those it names is worthless.
void expect_used(std::uint32_t expected) {
  const cuda::Stream stream;
  const std::uint32_t used = multiprocessors_used(stream);
  if (used != expected)
    throw std::runtime_error("a context of " + std::to_string(expected) +
                             " multiprocessors ran on " + std::to_string(used));
}

}  // namespace

void time_cores(const std::vector<Set>& sets, const std::vector<std::uint32_t>& ks, int replays) {
  const std::vector<cuda::DeviceFacts> devices = cuda::devices();
  if (devices.empty()) throw std::runtime_error("no CUDA device");
  std::set<std::uint32_t> measured;
  for (const std::uint32_t step :
       steps_to(static_cast<std::uint32_t>(devices.front().multiprocessors))) {
    const GreenContext context(step);
    const std::uint32_t count = context.multiprocessors();
    if (!measured.insert(count).second) continue;  // two steps were rounded to the same count
    expect_used(count);
    const std::string where = " on " + std::to_string(count) + " multiprocessors";
    time_matrix(sets, ks, replays, where, count);
    for (const Set& set : sets)
      bench::time_suppression("greedy" + where, bench::greedy_options(set), set, replays, count);
  }
}

}  // namespace facepipe::nms_papers
