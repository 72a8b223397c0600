#include <algorithm>
#include <cstdio>
#include <set>

#include "bench/device_times.h"
#include "bench/nms_cuda/suppression_times.h"
#include "core/cuda/graph.h"
#include "experiments/programs/nms_papers/measures.h"
#include "tests/nms/cuda/device_nms.h"

namespace facepipe::nms_papers {
namespace {

constexpr std::uint32_t kPublishedDMax = 4096;
constexpr std::uint32_t kThreadsOfABlock = 1024;

nms::MatrixOptions matrix_of(std::uint32_t k) {
  nms::MatrixOptions matrix;
  matrix.k = k;
  matrix.d_max = std::min(kPublishedDMax, kThreadsOfABlock * k);
  return matrix;
}

std::string words_for(const nms::MatrixOptions& matrix) {
  std::string words = " k " + std::to_string(matrix.k);
  if (matrix.d_max != kPublishedDMax) words += " D_max " + std::to_string(matrix.d_max);
  return words;
}

void time_set(const Set& set, const nms::MatrixOptions& matrix, int replays,
              const std::string& where, std::uint32_t multiprocessors) {
  nms::NmsOptions options = bench::greedy_options(set);
  options.rule = nms::NmsRule::matrix;
  options.matrix = matrix;
  test::DeviceNms device(options, matrix.d_max, multiprocessors);
  const test::DeviceResult result = device.run({set.candidates.boxes, set.candidates.scores});
  const auto timed = [&](const std::string& who, auto enqueue) {
    const cuda::GraphExec graph(cuda::capture(device.stream(), enqueue));
    bench::show(who + words_for(matrix) + where, set, result.indices.size(),
                bench::microseconds_of_calls(device.stream(), bench::kWarmUp, replays,
                                             [&] { graph.launch(device.stream()); }));
  };
  const auto map = [&] { device.suppressor().enqueue_map(device.candidates(), device.stream()); };
  const auto reduce = [&] {
    device.suppressor().enqueue_reduce(device.candidates(), device.stream());
  };
  timed("map", map);
  timed("reduce", reduce);
  timed("both", [&] {
    map();
    reduce();
  });
}

/// Says it once, however often the sets are measured.
void tell_left_out(const std::vector<Set>& sets, std::uint32_t d_max) {
  static std::set<std::uint32_t> told;
  if (!told.insert(d_max).second) return;
  for (const Set& set : sets)
    if (set.candidates.size() > d_max)
      std::fprintf(stderr, "bench_nms_papers: matrix, D_max %u: left out %s, %s: %zu candidates\n",
                   d_max, set.name.c_str(), set.order.c_str(), set.candidates.size());
}

}  // namespace

void time_matrix(const std::vector<Set>& sets, const std::vector<std::uint32_t>& ks, int replays,
                 const std::string& where, std::uint32_t multiprocessors) {
  for (const std::uint32_t k : ks) {
    const nms::MatrixOptions matrix = matrix_of(k);
    tell_left_out(sets, matrix.d_max);
    for (const Set& set : sets)
      if (set.candidates.size() <= matrix.d_max)
        time_set(set, matrix, replays, where, multiprocessors);
  }
}

}  // namespace facepipe::nms_papers
