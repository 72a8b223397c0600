// Groups: many frames or classes in one call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/nms/on_cpu.h"
#include "tests/support/nms_oracle.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> random_groups(std::size_t count, unsigned groups, unsigned seed) {
  NmsRandom random(seed);
  std::vector<std::uint32_t> out(count);
  // Far apart, so that all bits of a group matter.
  for (auto& group : out) group = random.below(groups) * 0x9E3779B9U;
  return out;
}

TEST(NmsGroups, DoNotSeeEachOther) {
  const NmsCase all = identical(4);
  const std::vector<std::uint32_t> groups{7, 0xFFFFFFFF, 7, 0};
  EXPECT_THAT(on_cpu(by_rule(NmsRule::greedy), {all.boxes, all.scores, groups}).indices,
              ElementsAre(0, 1, 3));
}

TEST(NmsGroups, TogetherGiveWhatEachGivesAlone) {
  const NmsCase all = whole_clusters(1500, 50, 60);
  const auto groups = random_groups(all.size(), 5, 51);
  for (const NmsRule rule : {NmsRule::greedy, NmsRule::matrix, NmsRule::fast}) {
    const NmsOptions options = by_rule(rule);
    EXPECT_EQ(on_cpu(options, {all.boxes, all.scores, groups}).indices,
              NmsOracle(options, all.boxes, all.scores, groups).kept());
  }
}

TEST(NmsGroups, GiveTheBitsOfTheScalarDefinition) {
  for (const std::size_t count : {1U, 20U, 255U, 800U})
    for (const unsigned number : {1U, 3U, 200U})
      for (const NmsCase& all : {wide_faces(count), crowd(count), degenerate(count)}) {
        const auto groups = random_groups(count, number, 52);
        const NmsCandidates candidates{all.boxes, all.scores, groups};
        for (NmsOptions options :
             {by_rule(NmsRule::greedy), by_rule(NmsRule::fast), by_rule(NmsRule::soft)}) {
          options.voting = options.rule != NmsRule::soft;
          ASSERT_EQ(on_cpu(options, candidates), NmsScalar(options, candidates).answer())
              << all.name << ' ' << count << ' ' << number << ' ' << name_of(options.rule);
        }
      }
}

// torchvision's batched_nms moves each class to a place of its own; the same must come out.
TEST(NmsGroups, EqualBoxesMovedApart) {
  NmsCase all = whole_clusters(1000, 53, 1U << 20);
  const auto groups = random_groups(all.size(), 4, 54);
  const auto expected =
      on_cpu(by_rule(NmsRule::greedy, 0.8F), {all.boxes, all.scores, groups}).indices;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto aside = static_cast<float>(4096 * (groups[i] % 4));
    all.boxes[i].x1 += aside;
    all.boxes[i].x2 += aside;
  }
  EXPECT_EQ(greedy_on_cpu(all, 0.8F), expected);
}

}  // namespace
}  // namespace facepipe::test
