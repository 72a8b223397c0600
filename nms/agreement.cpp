#include "nms/agreement.h"

#include "nms/arena.h"
#include "nms/cpu/boxes_alike.h"

namespace facepipe::nms {
namespace {

/// Returns for each entry the sum of its agreements with all boxes, in units of 1 / kWholeIou.
std::vector<std::int64_t> sum_by_entry(const BoxesAlike<Agreeing>& boxes) {
  std::vector<std::int64_t> sums(boxes.entries());
  for (std::uint32_t e = 0; e < sums.size(); ++e) sums[e] = kWholeIou * boxes.entry(e).times;
  boxes.for_each_pair([&](std::uint32_t a, std::uint32_t b) {
    const std::int64_t both = agreement(boxes.entry(a).box, boxes.entry(b).box);
    sums[a] += both * boxes.entry(b).times;
    sums[b] += both * boxes.entry(a).times;
  });
  return sums;
}

}  // namespace

std::vector<float> measure_agreement(std::span<const Box> boxes) {
  const auto count = static_cast<std::uint32_t>(boxes.size());
  Arena sizes;
  const BoxesAlike<Agreeing> measured(sizes, count);
  const Block block = make_block(sizes.used());
  Arena arena(block.get());
  BoxesAlike<Agreeing> alike(arena, count);

  std::vector<bool> valid(count);
  WholeBox whole;
  for (std::uint32_t i = 0; i < count; ++i) {
    valid[i] = round_to_pixels(boxes[i], whole);
    if (valid[i]) alike.add(whole, i);
  }
  alike.sort();
  const std::vector<std::int64_t> sums = sum_by_entry(alike);
  std::vector<float> out(count);
  constexpr auto kUnit = 1.0 / static_cast<double>(kWholeIou);
  for (std::uint32_t i = 0; i < count; ++i)
    if (valid[i]) out[i] = static_cast<float>(static_cast<double>(sums[alike.entry_of(i)]) * kUnit);
  return out;
}

}  // namespace facepipe::nms
