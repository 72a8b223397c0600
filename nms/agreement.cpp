#include "nms/agreement.h"

#include "nms/arena.h"
#include "nms/cpu/similar_boxes.h"

namespace facepipe::nms {
namespace {

/// Of each entry: boxes similar to it, itself and its equals included.
std::vector<std::uint32_t> count_by_entry(const SimilarBoxes& similar_boxes) {
  std::vector<std::uint32_t> counts(similar_boxes.entries());
  for (std::uint32_t e = 0; e < counts.size(); ++e) counts[e] = similar_boxes.entry(e).times;
  similar_boxes.for_each_pair([&](std::uint32_t a, std::uint32_t b) {
    counts[a] += similar_boxes.entry(b).times;
    counts[b] += similar_boxes.entry(a).times;
  });
  return counts;
}

}  // namespace

std::vector<std::uint32_t> count_similar(std::span<const Box> boxes) {
  const auto count = static_cast<std::uint32_t>(boxes.size());
  Arena sizes;
  const SimilarBoxes measured(sizes, count);
  const Block block = make_block(sizes.used());
  Arena arena(block.get());
  SimilarBoxes similar_boxes(arena, count);

  constexpr std::uint32_t kInvalid = 0;
  std::vector<std::uint32_t> out(count, kInvalid);
  WholeBox whole;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!round_to_pixels(boxes[i], whole)) continue;
    similar_boxes.add(whole, i);
    out[i] = 1;
  }
  similar_boxes.settle();
  const std::vector<std::uint32_t> counts = count_by_entry(similar_boxes);
  for (std::uint32_t i = 0; i < count; ++i)
    if (out[i] != kInvalid) out[i] = counts[similar_boxes.entry_of(i)];
  return out;
}

}  // namespace facepipe::nms
