// The rule groups: similar candidates form groups, and a group becomes its mean, as OpenCV's
// groupRectangles does it (nms.h, GroupOptions).
#pragma once

#include <cstdint>

#include "core/geometry.h"
#include "nms/arena.h"
#include "nms/cpu/boxes_alike.h"
#include "nms/nms.h"

namespace facepipe::nms {

struct GroupInput {
  const Box* boxes;     ///< by index
  const float* scores;  ///< by index
  std::uint32_t count;  ///< candidates, invalid ones included
  std::uint32_t min_neighbours;
};

/// One for each kept group.
struct GroupOutput {
  std::uint32_t* indices;
  Box* boxes;
  float* scores;
};

/// A group of candidates; while it grows, `box` is not set yet.
struct Group {
  std::int64_t x = 0;  // sums
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  WholeBox box;               // the mean
  std::uint32_t members = 0;  // candidates
  std::uint32_t index = 0;    // the lowest of them
};

struct GroupScratch {
  GroupScratch(Arena& arena, std::uint32_t capacity)
      : similar(arena, capacity),
        parents(arena.take<std::uint32_t>(capacity)),
        groups(arena.take<Group>(capacity)),
        grown(arena, capacity) {}
  BoxesAlike<Similar> similar;
  std::uint32_t* parents;  // by entry of `similar`: the forest of the groups
  Group* groups;           // by entry at first: used at the roots; then those that are large enough
  BoxGrid grown;           // boxes of large enough groups, with the margins of containment
};

/// Writes the kept groups by rank; returns their number. Near-linear, except where many different
/// boxes lie in one place, which are compared each with each.
std::uint32_t group(const GroupInput& input, GroupScratch& scratch, const GroupOutput& output);

}  // namespace facepipe::nms
