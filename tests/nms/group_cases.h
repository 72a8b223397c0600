// Makes random clusters of similar boxes, like those that cascades find at faces, for the rule
// groups and for measure_agreement().
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "nms/nms.h"
#include "tests/nms/on_cpu.h"
#include "tests/support/groups_oracle.h"
#include "tests/support/nms_cases.h"

namespace facepipe::test {

/// Returns `count` boxes around count / 12 places. Some boxes are within others. Corners are
/// multiples of `step`. If `step` is below 1, the tested code must round them.
inline NmsCase similar_clusters(std::size_t count, float step, unsigned seed) {
  NmsRandom random(seed);
  const float extent = 200 + 40 * std::sqrt(static_cast<float>(count));
  std::vector<Box> places(count / 12 + 1);
  for (std::size_t p = 0; p < places.size(); ++p) {
    const bool within = p > 0 && random.below(3) == 0;
    const Box outer = within ? places[random.below(static_cast<unsigned>(p))] : Box{0, 0, 0, 0};
    const float side = within ? outer.width() * random.uniform(0.3F, 1) : random.uniform(4, 150);
    const float room = within ? outer.width() - side : extent;
    const float x = outer.x1 + room * random.uniform(-0.2F, 1);
    const float y = outer.y1 + room * random.uniform(-0.2F, 1);
    places[p] = {x, y, x + side, y + side * random.uniform(0.8F, 1.25F)};
  }
  const auto on_steps = [step](float value) { return std::nearbyint(value / step) * step; };
  NmsCase out;
  out.name = "similar clusters";
  for (std::size_t i = 0; i < count; ++i) {
    const Box& place = places[random.below(static_cast<unsigned>(places.size()))];
    const float most = 0.1F * place.width() * static_cast<float>(random.below(3));
    const float x = on_steps(place.x1 + random.uniform(-most, most));
    const float y = on_steps(place.y1 + random.uniform(-most, most));
    const float width = on_steps(place.width() + random.uniform(-most, most));
    const float height = on_steps(place.height() + random.uniform(-most, most));
    out.add({x, y, x + width, y + height}, random.uniform());
  }
  return out;
}

inline nms::NmsOptions by_groups(std::uint32_t min_neighbours = 3) {
  nms::NmsOptions options = by_rule(nms::NmsRule::groups);
  options.groups.min_neighbours = min_neighbours;
  return options;
}

/// Returns the groups that the oracle keeps.
inline NmsAnswer grouped_by_oracle(const NmsCase& all, std::uint32_t min_neighbours) {
  NmsAnswer out;
  for (const OracleGroup& group : GroupsOracle(all.boxes, all.scores, min_neighbours).kept()) {
    const auto& [x, y, width, height] = group.mean;
    out.indices.push_back(group.members.front());
    out.boxes.push_back({static_cast<float>(x), static_cast<float>(y),
                         static_cast<float>(x + width), static_cast<float>(y + height)});
    out.scores.push_back(group.score);
  }
  return out;
}

}  // namespace facepipe::test
