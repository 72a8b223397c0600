// The pair rules with made-up densities and features, for the measurements on CPU and device.
#pragma once

#include <string>
#include <vector>

#include "bench/nms_cuda/sets.h"
#include "experiments/programs/nms_papers/made_up.h"
#include "experiments/programs/nms_papers/pair_rules.h"

namespace facepipe::nms_papers {

/// At IoUs up to kLeastIou and above kSureIou, the features don't matter.
inline constexpr float kLeastIou = 0.1F;
inline constexpr float kSureIou = 0.9F;
/// This limit fits the made-up features, which no network has learned.
inline constexpr float kFeatureDistance = 1.5F;

/// Calls use(name, rule, removers) for each rule with both kinds of removers: greedy, and as in the
/// papers' matrix. The rules' pointers are to the host's memory, and are valid during the call.
template <class Use>
void with_variations(const bench::Set& set, Use&& use) {
  const std::vector<float> densities = made_up_densities(set.candidates.size());
  const std::vector<float> features = made_up_features(set.candidates);
  const AdaptiveRule adaptive{set.threshold, densities.data()};
  const FeatureRule feature{kLeastIou, kSureIou, kFeatureDistance, features.data(), kFeatureLength};
  use("AdaptiveNMS", adaptive, Removers::kept);
  use("AdaptiveNMS as a matrix", adaptive, Removers::any);
  use("FeatureNMS", feature, Removers::kept);
  use("FeatureNMS as a matrix", feature, Removers::any);
}

}  // namespace facepipe::nms_papers
