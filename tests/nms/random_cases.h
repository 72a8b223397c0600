// Makes and names the random cases of the differential tests for CPU and device. A seed determines
// a sequence of random numbers. Don't change the order in which the code uses these numbers,
// because results name cases by their seeds.
#pragma once

#include <cstddef>
#include <string>

#include "nms/nms.h"
#include "tests/support/nms_cases.h"

namespace facepipe::test {

/// Chooses random options for the rules that exist on CPU and device. It doesn't choose
/// options.matrix.
inline nms::NmsOptions some_options(NmsRandom& random) {
  // Each float is at least as large as the fraction that it approximates. So comparisons with it
  // are exact if corners are whole numbers.
  constexpr float kThresholds[] = {0.0F, 0.2F, 0.25F, 0.3F, 1.0F / 3, 0.5F, 0.8F, 1.0F};
  nms::NmsOptions options;
  options.rule = static_cast<nms::NmsRule>(random.below(4));
  options.threshold = kThresholds[random.below(8)];
  if (options.rule == nms::NmsRule::soft) {
    options.soft.decay = static_cast<nms::SoftDecay>(random.below(2));
    options.soft.sigma = random.uniform(0.1F, 1);
    return options;
  }
  options.overlap = static_cast<nms::NmsOverlap>(random.below(4));
  options.voting = random.below(4) == 0;
  return options;
}

/// Makes boxes with whole-number corners. Many boxes and scores are equal, and many IoUs are simple
/// fractions.
inline NmsCase small_case(NmsRandom& random, std::size_t count) {
  NmsCase out;
  out.name = "small";
  const unsigned places = 2 + random.below(60);
  const unsigned sides = 1 + random.below(16);
  const unsigned scores = 1 + random.below(40);
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(random.below(places));
    const auto y = static_cast<float>(random.below(places));
    const auto width = static_cast<float>(1 + random.below(sides));
    const auto height = static_cast<float>(1 + random.below(sides));
    out.add({x, y, x + width, y + height},
            static_cast<float>(random.below(scores)) / static_cast<float>(scores));
  }
  return out;
}

inline std::string show(const nms::NmsOptions& options, const NmsCase& all) {
  return all.name + " of " + std::to_string(all.size()) + ", " +
         std::string(nms::name_of(options.rule)) + ", " +
         std::string(nms::name_of(options.overlap)) + ", threshold " +
         std::to_string(options.threshold) + (options.voting ? ", voting" : "");
}

}  // namespace facepipe::test
