// These tests compare the results of greedy, matrix and fast suppression with the definition,
// computed in exact arithmetic. They also check properties that all results must have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "tests/nms/on_cpu.h"
#include "tests/support/nms_oracle.h"

namespace facepipe::test {
namespace {

using Setting = std::tuple<nms::NmsRule, nms::NmsOverlap, float>;

class NmsProperties : public testing::TestWithParam<Setting> {
 protected:
  static nms::NmsOptions options() {
    nms::NmsOptions out = by_rule(std::get<0>(GetParam()), std::get<2>(GetParam()));
    out.overlap = std::get<1>(GetParam());
    return out;
  }
  static NmsOracle oracle(const NmsCase& all) { return {options(), all.boxes, all.scores}; }
  static std::vector<std::uint32_t> kept(const NmsCase& all) { return kept_on_cpu(options(), all); }
};

TEST_P(NmsProperties, EqualsTheOracle) {
  for (const std::size_t count : edge_sizes())
    for (const NmsCase& all : exact_cases(count, 10)) {
      // If DIoU equals the threshold, float and the oracle's double can round to different sides.
      if (options().overlap == nms::NmsOverlap::diou && all.name != "whole clusters") continue;
      ASSERT_EQ(kept(all), oracle(all).kept()) << count << ' ' << all.name;
    }
}

TEST_P(NmsProperties, KeptOnesDoNotSuppressEachOther) {
  const NmsCase all = whole_clusters(700, 5, 50);
  const NmsOracle truth = oracle(all);
  const auto stand = kept(all);
  for (std::size_t i = 0; i < stand.size(); ++i)
    for (std::size_t j = i + 1; j < stand.size(); ++j)
      EXPECT_FALSE(truth.suppresses(stand[i], stand[j]));
}

TEST_P(NmsProperties, EachRemovedOneHasAStrongerSuppressor) {
  const NmsCase all = whole_clusters(700, 6, 50);
  const NmsOracle truth = oracle(all);
  const auto stand = kept(all);
  const auto everything = truth.ranked();
  const auto& winners = options().rule == nms::NmsRule::greedy ? stand : everything;
  for (const auto b : everything) {
    if (std::find(stand.begin(), stand.end(), b) != stand.end()) continue;
    EXPECT_TRUE(std::any_of(winners.begin(), winners.end(), [&](auto a) {
      return truth.outranks(a, b) && truth.suppresses(a, b);
    })) << b;
  }
}

TEST_P(NmsProperties, OutputIsInRankOrder) {
  const NmsCase all = whole_clusters(700, 7, 50);
  const NmsOracle truth = oracle(all);
  const auto stand = kept(all);
  for (std::size_t i = 1; i < stand.size(); ++i)
    EXPECT_TRUE(truth.outranks(stand[i - 1], stand[i]));
}

TEST_P(NmsProperties, OrderOfDistinctScoresDoesNotMatter) {
  NmsCase all = whole_clusters(500, 8, 2);
  make_scores_distinct(all, 9);
  const auto expected = kept(all);
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  NmsRandom random(10);
  for (int round = 0; round < 10; ++round) {
    random.shuffle(order);
    NmsCase mixed;
    for (const auto i : order) mixed.add(all.boxes[i], all.scores[i]);
    auto found = kept(mixed);
    for (auto& i : found) i = order[i];
    EXPECT_EQ(found, expected);
  }
}

TEST_P(NmsProperties, DoneTwiceIsDoneOnce) {
  const NmsCase all = whole_clusters(700, 11, 50);
  NmsCase stand;
  for (const auto i : kept(all)) stand.add(all.boxes[i], all.scores[i]);
  std::vector<std::uint32_t> everything(stand.size());
  std::iota(everything.begin(), everything.end(), 0U);
  EXPECT_EQ(kept(stand), everything);
}

std::string name_of_setting(const testing::TestParamInfo<Setting>& setting) {
  const auto& [rule, overlap, threshold] = setting.param;
  std::string name{nms::name_of(rule)};
  name += '_';
  std::string measure(nms::name_of(overlap));
  std::ranges::replace(measure, '-', '_');
  name += measure;
  return name + '_' + std::to_string(std::lround(100 * threshold));
}

INSTANTIATE_TEST_SUITE_P(
    Settings, NmsProperties,
    testing::Combine(testing::Values(nms::NmsRule::greedy, nms::NmsRule::matrix,
                                     nms::NmsRule::fast),
                     testing::Values(nms::NmsOverlap::iou, nms::NmsOverlap::diou,
                                     nms::NmsOverlap::winner_area, nms::NmsOverlap::smaller_area),
                     testing::Values(0.0F, 0.2F, 0.3F, 0.5F, 0.8F, 1.0F)),
    name_of_setting);

}  // namespace
}  // namespace facepipe::test
