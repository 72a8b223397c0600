#include "experiments/programs/nms_papers/matrix_options.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace facepipe::nms_papers {
namespace {

constexpr std::uint32_t kThreadsOfABlock = 1024;

}  // namespace

nms::NmsOptions matrix_options(std::uint32_t k, bool as_published) {
  nms::NmsOptions options;
  options.rule = nms::NmsRule::matrix;
  options.matrix.k = k;
  options.matrix.d_max = std::min(kPublishedDMax, kThreadsOfABlock * k);
  options.matrix.squares = options.matrix.plus_one = as_published;
  if (as_published) options.overlap = nms::NmsOverlap::winner_area;
  return options;
}

std::string words_before(const nms::NmsOptions& options) {
  return options.overlap == nms::NmsOverlap::winner_area ? "matrix as published " : "";
}

std::string words_after(const nms::NmsOptions& options) {
  std::string words = " k " + std::to_string(options.matrix.k);
  if (options.matrix.d_max != kPublishedDMax)
    words += " D_max " + std::to_string(options.matrix.d_max);
  return words;
}

void note_left_out(const std::vector<bench::Set>& sets, std::uint32_t d_max) {
  static std::set<std::uint32_t> reported;
  if (!reported.insert(d_max).second) return;
  for (const bench::Set& set : sets)
    if (set.candidates.size() > d_max)
      std::fprintf(stderr, "bench_nms_papers: D_max %u: left out %s, %s: %zu candidates\n", d_max,
                   set.name.c_str(), set.order.c_str(), set.candidates.size());
}

}  // namespace facepipe::nms_papers
