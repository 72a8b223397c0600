#include "nms/cpu/groups.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace facepipe::nms {
namespace {

void collect(const GroupInput& input, BoxesAlike<Similar>& similar_boxes) {
  similar_boxes.clear();
  WholeBox whole;
  for (std::uint32_t i = 0; i < input.count; ++i)
    if (!std::isnan(input.scores[i]) && round_to_pixels(input.boxes[i], whole))
      similar_boxes.add(whole, i);
  similar_boxes.sort();
}

/// Returns the root of an entry's tree. Shortens the path to it: attaches each entry on the path to
/// its grandparent.
std::uint32_t root_of(std::uint32_t* parents, std::uint32_t entry) {
  while (parents[entry] != entry) {
    parents[entry] = parents[parents[entry]];
    entry = parents[entry];
  }
  return entry;
}

void connect(const BoxesAlike<Similar>& similar_boxes, std::uint32_t* parents) {
  std::iota(parents, parents + similar_boxes.entries(), 0U);
  similar_boxes.for_each_pair([parents](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t root_a = root_of(parents, a);
    const std::uint32_t root_b = root_of(parents, b);
    parents[std::max(root_a, root_b)] = std::min(root_a, root_b);
  });
}

void add(Group& group, const BoxGrid::Entry& entry) {
  const WholeBox& box = entry.box;
  const std::int64_t times = entry.times;
  group.x += times * box.x;
  group.y += times * box.y;
  group.width += times * box.width;
  group.height += times * box.height;
  group.index = group.members == 0 ? entry.id : std::min(group.index, entry.id);
  group.members += entry.times;
}

/// Returns the mean box, computed by OpenCV's arithmetic. It rounds a sum to fp32 before it
/// multiplies. This changes results if a sum has more than 24 bits.
WholeBox mean_of(const Group& group) {
  const float share = 1.0F / static_cast<float>(group.members);
  const auto mean = [share](std::int64_t sum) {
    return static_cast<int>(rintf(static_cast<float>(sum) * share));
  };
  return {mean(group.x), mean(group.y), mean(group.width), mean(group.height)};
}

/// Moves the groups of more than min_neighbours candidates to the front of scratch.groups, and
/// returns them.
std::span<Group> large_groups(GroupScratch& scratch, std::uint32_t min_neighbours) {
  const std::uint32_t entries = scratch.similar.entries();
  Group* const groups = scratch.groups;
  std::fill_n(groups, entries, Group{});
  for (std::uint32_t e = 0; e < entries; ++e)
    add(groups[root_of(scratch.parents, e)], scratch.similar.entry(e));
  // Entries that are not roots have no members.
  Group* const end = std::remove_if(groups, groups + entries, [=](const Group& group) {
    return group.members <= min_neighbours;
  });
  for (Group* at = groups; at != end; ++at) at->box = mean_of(*at);
  return {groups, end};
}

/// Returns the box, enlarged on each side by a fifth of its width or height. OpenCV computes
/// rint(0.2 * side). The integers below are equal to that, because a fifth of a whole number never
/// lies halfway between two whole numbers.
WholeBox grown(const WholeBox& box) {
  const int dx = (box.width + 2) / 5;
  const int dy = (box.height + 2) / 5;
  return {box.x - dx, box.y - dy, box.width + 2 * dx, box.height + 2 * dy};
}

bool lies_within(const WholeBox& inner, const WholeBox& outer) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

bool is_within_a_stronger_one(const Group& group, std::span<const Group> groups,
                              const BoxGrid& all_grown) {
  const WholeBox& box = group.box;
  const auto removes = [&](std::uint32_t position) {
    const BoxGrid::Entry& other = all_grown.entry(position);
    const std::uint32_t members = groups[other.id].members;
    return &groups[other.id] != &group && lies_within(box, other.box) &&
           (members > group.members || group.members < 3);
  };
  // A box that contains this box is at least as large. It begins before this box, by at most its
  // own size.
  for (unsigned c = BoxGrid::class_of(box.width + box.height); c < BoxGrid::kClasses; ++c) {
    const int reach = BoxGrid::largest_size(c);
    if (all_grown.any(c, {box.x - reach, box.x}, {box.y - reach, box.y}, removes)) return true;
  }
  return false;
}

float score_of(const Group& group, std::uint32_t min_neighbours) {
  const auto members = static_cast<float>(group.members);
  return members / (members + static_cast<float>(min_neighbours));
}

}  // namespace

std::uint32_t group(const GroupInput& input, GroupScratch& scratch, const GroupOutput& output) {
  collect(input, scratch.similar);
  connect(scratch.similar, scratch.parents);
  const std::span<Group> groups = large_groups(scratch, input.min_neighbours);
  const auto score = [&](const Group& group) { return score_of(group, input.min_neighbours); };
  std::sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    return score(a) > score(b) || (score(a) == score(b) && a.index < b.index);
  });

  scratch.grown.clear();
  for (std::uint32_t g = 0; g < groups.size(); ++g) scratch.grown.add(grown(groups[g].box), g);
  scratch.grown.sort();

  std::uint32_t kept = 0;
  for (const Group& group : groups) {
    if (is_within_a_stronger_one(group, groups, scratch.grown)) continue;
    const WholeBox& box = group.box;
    output.indices[kept] = group.index;
    output.scores[kept] = score(group);
    output.boxes[kept++] = {static_cast<float>(box.x), static_cast<float>(box.y),
                            static_cast<float>(box.x + box.width),
                            static_cast<float>(box.y + box.height)};
  }
  return kept;
}

}  // namespace facepipe::nms
