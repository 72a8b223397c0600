// Makes densities and feature vectors, which no detector of facepipe computes, to measure and test
// the pair rules. They are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/support/nms_cases.h"

namespace facepipe::nms_papers {

/// The length of the vectors, as in FeatureNMS.
inline constexpr std::uint32_t kFeatureLength = 32;

/// Returns a density in [0, 0.6) for each candidate.
inline std::vector<float> made_up_densities(std::size_t count) {
  test::NmsRandom random(40);
  std::vector<float> out(count);
  for (float& density : out) density = random.uniform(0, 0.6F);
  return out;
}

/// Returns a vector of kFeatureLength values for each candidate, one after the other. If the
/// centres of candidates are in the same square of `side` pixels, the distance of their vectors is
/// below 1.2. Distances of other vectors are larger, with very rare exceptions.
inline std::vector<float> made_up_features(const test::NmsCase& all, float side = 48) {
  test::NmsRandom random(41);
  std::vector<float> out;
  out.reserve(all.size() * kFeatureLength);
  for (const Box& box : all.boxes) {
    const auto cell = [&](float begin, float end) {
      const float place = (begin + end) / 2 / side;
      return place >= 0 && place < 4096 ? static_cast<unsigned>(place) : 0U;
    };
    test::NmsRandom of_cell(4096 * cell(box.y1, box.y2) + cell(box.x1, box.x2));
    for (std::uint32_t i = 0; i < kFeatureLength; ++i)
      out.push_back(of_cell.uniform(-1, 1) + random.uniform(-0.1F, 0.1F));
  }
  return out;
}

}  // namespace facepipe::nms_papers
