// Implements the rule `groups`: similar candidates form groups, and a group becomes its mean box,
// as OpenCV's groupRectangles does it (nms.h, GroupOptions).
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
  std::uint32_t count;  ///< number of candidates, including invalid candidates
  std::uint32_t min_neighbours;
};

/// Has one element for each kept group.
struct GroupOutput {
  std::uint32_t* indices;
  Box* boxes;
  float* scores;
};

/// Holds a group of candidates. `box` is set when the group is complete.
struct Group {
  std::int64_t x = 0;  // sums of the members' values
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;
  WholeBox box;               // the mean box
  std::uint32_t members = 0;  // number of candidates
  std::uint32_t index = 0;    // the lowest index of the members
};

struct GroupScratch {
  GroupScratch(Arena& arena, std::uint32_t capacity)
      : similar(arena, capacity),
        parents(arena.take<std::uint32_t>(capacity)),
        groups(arena.take<Group>(capacity)),
        grown(arena, capacity) {}
  BoxesAlike<Similar> similar;
  std::uint32_t* parents;  // parent of each entry of `similar`; each tree of this forest is a group
  // At first, there is a group for each entry, but only the groups of roots are used. Later, only
  // the large groups are here.
  Group* groups;
  BoxGrid grown;  // boxes of the large groups, enlarged by grown() of groups.cpp
};

/// Writes the kept groups by rank and returns their number. The time is nearly linear, unless many
/// different boxes lie in one place, because each pair of these boxes is compared.
std::uint32_t group(const GroupInput& input, GroupScratch& scratch, const GroupOutput& output);

}  // namespace facepipe::nms
