// These tests check the rule groups: facepipe, OpenCV and plain loops must keep the same groups,
// also at the limits of the contract.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "nms/similar.h"
#include "tests/nms/group_cases.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// Adds a box `times` times, with the score 0.5.
void add(NmsCase& all, const Box& box, int times) {
  for (int i = 0; i < times; ++i) all.add(box, 0.5F);
}

// --- Comparison with OpenCV

/// holds x, y, width, height, and the number of members
using GoldenGroup = std::array<int, 5>;

struct GoldenCase {
  std::uint32_t min_neighbours = 0;
  NmsCase all;
  std::vector<GoldenGroup> kept;
};

std::vector<GoldenCase> read_golden() {
  std::ifstream in(std::string(FACEPIPE_SOURCE_DIR) + "/tests/nms/golden/groups.txt");
  std::string line;
  std::getline(in, line);  // skips the line that says how the file was made
  std::vector<GoldenCase> cases;
  std::string word;
  std::size_t boxes = 0;
  std::size_t kept = 0;
  for (GoldenCase golden; in >> word >> golden.min_neighbours >> boxes >> kept; golden = {}) {
    for (std::size_t i = 0; i < boxes; ++i) {
      float x = 0;
      float y = 0;
      float width = 0;
      float height = 0;
      in >> x >> y >> width >> height;
      golden.all.add({x, y, x + width, y + height}, 0.5F);
    }
    golden.kept.resize(kept);
    for (GoldenGroup& group : golden.kept)
      for (int& number : group) in >> number;
    cases.push_back(golden);
  }
  return cases;
}

/// Converts a result to OpenCV's form, in which a group has its number of members instead of a
/// score.
GoldenGroup golden_of(const NmsAnswer& answer, std::size_t k, std::uint32_t min_neighbours) {
  const Box& box = answer.boxes[k];
  const double score = answer.scores[k];
  const double members = score * min_neighbours / (1 - score);
  return {static_cast<int>(box.x1), static_cast<int>(box.y1), static_cast<int>(box.width()),
          static_cast<int>(box.height()), static_cast<int>(std::lround(members))};
}

TEST(NmsGroups, AreThoseOfOpenCv) {
  const std::vector<GoldenCase> cases = read_golden();
  ASSERT_EQ(cases.size(), 160U);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const NmsAnswer answer = on_cpu(by_groups(cases[c].min_neighbours), cases[c].all);
    std::vector<GoldenGroup> groups;
    for (std::size_t k = 0; k < answer.indices.size(); ++k)
      groups.push_back(golden_of(answer, k, cases[c].min_neighbours));
    EXPECT_THAT(groups, testing::UnorderedElementsAreArray(cases[c].kept)) << "case " << c;
  }
}

// OpenCV compares with eps * sum * 0.5, and enlarges boxes by rint(eps * side), both in double
// precision.
TEST(NmsGroups, IntegersGiveWhatOpenCvsDoublesGive) {
  for (int sum = 2; sum <= 1 << 22; ++sum) {
    const double difference = 0.2 * sum * 0.5;
    const int most = nms::most_difference(sum);
    ASSERT_TRUE(most <= difference && most + 1 > difference) << sum;
    ASSERT_EQ((sum + 2) / 5, static_cast<int>(std::nearbyint(sum * 0.2))) << sum;
  }
}

// --- Comparison with plain loops

TEST(NmsGroups, AreThoseOfThePlainLoops) {
  for (unsigned seed = 1; seed <= 60; ++seed)
    for (const std::size_t count : {1U, 12U, 80U, 400U}) {
      const NmsCase all = similar_clusters(count, seed % 2 == 0 ? 1 : 0.25F, seed);
      const std::uint32_t min_neighbours = 1 + seed % 4;
      EXPECT_EQ(on_cpu(by_groups(min_neighbours), all), grouped_by_oracle(all, min_neighbours))
          << count << " boxes of seed " << seed;
    }
}

TEST(NmsGroups, AreThoseOfThePlainLoopsWhereBoxesAreNone) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const NmsCase all = degenerate(300, seed);
    EXPECT_EQ(on_cpu(by_groups(1), all), grouped_by_oracle(all, 1)) << "seed " << seed;
  }
}

// --- Limits of the contract

TEST(NmsGroups, NeedMoreThanMinNeighbours) {
  NmsCase all;
  add(all, {10, 10, 50, 50}, 3);
  EXPECT_THAT(on_cpu(by_groups(3), all).indices, IsEmpty());
  add(all, {11, 10, 51, 50}, 1);
  const NmsAnswer answer = on_cpu(by_groups(3), all);
  EXPECT_THAT(answer.indices, ElementsAre(0));
  EXPECT_THAT(answer.boxes, ElementsAre(Box{10, 10, 50, 50}));
  EXPECT_THAT(answer.scores, ElementsAre(4.0F / 7));
}

TEST(NmsGroups, OfOneOrNoneThereIsNone) {
  NmsCase all;
  EXPECT_THAT(on_cpu(by_groups(1), all).indices, IsEmpty());
  add(all, {10, 10, 50, 50}, 1);
  EXPECT_THAT(on_cpu(by_groups(1), all).indices, IsEmpty());
}

// Two boxes of 50x50 are similar if their edges differ by at most 10. The chain is one group,
// although its first and last boxes don't overlap.
TEST(NmsGroups, AreConnectedComponents) {
  NmsCase chained;
  NmsCase broken;
  for (int i = 0; i < 8; ++i) {
    const auto x = static_cast<float>(i);
    chained.add({10 * x, 0, 10 * x + 50, 50}, 0.5F);
    broken.add({11 * x, 0, 11 * x + 50, 50}, 0.5F);
  }
  EXPECT_THAT(on_cpu(by_groups(3), chained).boxes, ElementsAre(Box{35, 0, 85, 50}));
  EXPECT_THAT(on_cpu(by_groups(1), broken).indices, IsEmpty());
}

TEST(NmsGroups, RoundToWholePixelsTiesToEven) {
  NmsCase all;
  all.add({0.5F, 1.5F, 21, 22}, 0.5F);   // x 0, y 2; both sides are 20.5, rounded to 20
  all.add({0.5F, 1.5F, 22, 23}, 0.5F);   // x 0, y 2; both sides are 21.5, rounded to 22
  all.add({2.5F, 3.5F, 23, 24}, 0.5F);   // x 2, y 4; sides 20 and 20
  all.add({2.75F, 3.5F, 23, 24}, 0.5F);  // x 3, y 4; sides 20 (rounded from 20.25) and 20
  // The means are 5 / 4, 12 / 4, 82 / 4 and 82 / 4.
  EXPECT_THAT(on_cpu(by_groups(3), all).boxes, ElementsAre(Box{1, 3, 21, 23}));
}

// The outer box of 100x100 is enlarged by 20 on each side. The inner group is removed if it is
// within the enlarged box and has fewer members.
TEST(NmsGroups, WithinAStrongerOneGo) {
  struct Case {
    const char* what;
    float x;  // left edge of the inner box, which is 40 wide
    int outer;
    int inner;
    std::uint32_t min_neighbours;
    std::vector<std::uint32_t> kept;
  };
  const std::vector<Case> cases{
      {"outnumbered", 30, 6, 5, 2, {0}},
      {"as many", 30, 6, 6, 2, {0, 6}},
      {"more", 30, 5, 6, 2, {5, 0}},
      // Any group removes a group of fewer than 3 members.
      {"no more than three", 30, 3, 2, 1, {0}},
      {"of three by three", 30, 3, 3, 1, {0, 3}},
      {"of three by four", 30, 4, 3, 1, {0}},
      {"of two by as few", 30, 2, 2, 1, {0}},
      {"to the very margin", -20, 6, 5, 2, {0}},
      {"beyond the margin", -21, 6, 5, 2, {0, 6}},
      {"to the other margin", 80, 6, 5, 2, {0}},
      {"beyond the other margin", 81, 6, 5, 2, {0, 6}},
  };
  for (const Case& c : cases) {
    NmsCase all;
    add(all, {0, 0, 100, 100}, c.outer);
    add(all, {c.x, 30, c.x + 40, 70}, c.inner);
    EXPECT_EQ(on_cpu(by_groups(c.min_neighbours), all).indices, c.kept) << c.what;
  }
}

TEST(NmsGroups, GoAtTheFarEndsOfLongOnes) {
  for (const bool tall : {false, true}) {
    const auto box = [tall](float begin, float side, float end, float other_side) {
      return tall ? Box{side, begin, other_side, end} : Box{begin, side, end, other_side};
    };
    NmsCase all;
    add(all, box(0, 0, 4000, 100), 6);
    add(all, box(4760, 90, 4800, 120), 5);   // ends exactly at the margins, which are 800 and 20
    add(all, box(-800, -20, -760, 10), 5);   // begins exactly at the margins
    add(all, box(4770, 140, 4801, 171), 5);  // ends behind the margins
    EXPECT_THAT(on_cpu(by_groups(3), all).indices, ElementsAre(0, 16)) << tall;
  }
}

// Any group can remove a group of fewer than three members, so two such groups can remove each
// other, as in OpenCV. Two boxes of 100x20 are similar if their edges differ by at most 12. For the
// comparison, boxes are enlarged by 20 to the left and right.
TEST(NmsGroups, OfTwoRemoveEachOther) {
  NmsCase all;
  add(all, {0, 0, 100, 20}, 2);
  add(all, {12, 0, 112, 20}, 2);
  EXPECT_THAT(on_cpu(by_groups(1), all).boxes, ElementsAre(Box{6, 0, 106, 20})) << "one group";
  all = {};
  add(all, {0, 0, 100, 20}, 2);
  add(all, {15, 0, 115, 20}, 2);
  EXPECT_THAT(on_cpu(by_groups(1), all).indices, IsEmpty());
}

// A removed group still removes the groups within it. For the comparison, the first box is enlarged
// to (-200, -200, 1200, 1200), and the second one to (960, 260, 1240, 540).
TEST(NmsGroups, WithinOneThatGoesGo) {
  const Box largest{0, 0, 1000, 1000};
  const Box at_its_margin{1000, 300, 1200, 500};
  const Box beyond_it{1180, 350, 1230, 410};  // within the second box, but not within the first one
  NmsCase all;
  add(all, largest, 7);
  add(all, at_its_margin, 6);
  add(all, beyond_it, 5);
  EXPECT_THAT(on_cpu(by_groups(3), all).indices, ElementsAre(0));
  NmsCase without_the_second;
  add(without_the_second, largest, 7);
  add(without_the_second, beyond_it, 5);
  EXPECT_THAT(on_cpu(by_groups(3), without_the_second).indices, ElementsAre(0, 7));
}

TEST(NmsGroups, RankByMembersThenByIndex) {
  NmsCase all;
  add(all, {0, 0, 20, 20}, 4);
  add(all, {300, 0, 320, 20}, 5);
  add(all, {600, 0, 620, 20}, 4);
  all.scores[5] = 0.9F;  // the score has no effect
  const NmsAnswer answer = on_cpu(by_groups(3), all);
  EXPECT_THAT(answer.indices, ElementsAre(4, 0, 9));
  EXPECT_THAT(answer.scores, ElementsAre(5.0F / 8, 4.0F / 7, 4.0F / 7));
}

TEST(NmsGroups, IndexIsTheLowestOfTheMembers) {
  NmsCase all;
  add(all, {10, 0, 30, 20}, 1);  // in the order of left edges, this box is the last one
  add(all, {9, 0, 29, 20}, 2);
  add(all, {8, 0, 28, 20}, 2);
  EXPECT_THAT(on_cpu(by_groups(3), all).indices, ElementsAre(0));
  all.boxes[0].x1 = kNan;
  EXPECT_THAT(on_cpu(by_groups(3), all).indices, ElementsAre(1));
}

TEST(NmsGroups, BoxesThatAreNoneAreDropped) {
  constexpr float kFar = 1 << 23;
  const std::vector<Box> dropped{
      {kNan, 0, 20, 20},  {0, kNan, 20, 20},   {0, 0, kNan, 20},      {0, 0, 20, kNan},
      {5, 0, 5, 20},      {0, 20, 20, 0},      {20, 0, 0, 20},        {0, 0, 0.5F, 20},
      {0, 0, 20, 0.25F},  {-kInf, 0, 20, 20},  {-kInf, -1, kInf, 1},  {kInf, 0, kInf, 20},
      {0, 0, 1e30F, 20},  {-1e30F, 0, 20, 20}, {0, -3e38F, 1, 3e38F}, {0, 0, kFar + 1, 20},
      {0, 0, 3e9F, 3e9F},
  };
  for (const Box& box : dropped) {
    NmsCase all;
    add(all, box, 4);
    add(all, {0, 0, 20, 20}, 2);
    all.add({0, 0, 20, 20}, kNan);
    EXPECT_EQ(on_cpu(by_groups(1), all), (NmsAnswer{{4}, {{0, 0, 20, 20}}, {2.0F / 3}}))
        << box.x1 << ' ' << box.y1 << ' ' << box.x2 << ' ' << box.y2;
  }
}

TEST(NmsGroups, BoxesMayBeAsFarAwayAsFloatsAreWhole) {
  constexpr float kFar = 1 << 23;
  NmsCase all;
  add(all, {-kFar, -kFar, kFar, kFar}, 5);
  add(all, {kFar - 1, kFar - 1, kFar, kFar}, 4);
  add(all, {-kFar, -kFar, 1 - kFar, 1 - kFar}, 6);
  EXPECT_THAT(on_cpu(by_groups(3), all).boxes,
              ElementsAre(Box{-kFar, -kFar, 1 - kFar, 1 - kFar}, Box{-kFar, -kFar, kFar, kFar}));
}

TEST(NmsGroups, TakeTheLargestCapacity) {
  nms::CpuSuppressor suppressor(by_groups(3), nms::kMaxNmsCapacity);
  NmsCase apart;
  for (std::uint32_t i = 0; i < nms::kMaxNmsCapacity / 4; ++i) {
    const std::uint32_t row = i / 128;
    const auto x = static_cast<float>(i % 128 * 50);
    const auto y = static_cast<float>(row * 50);
    add(apart, {x, y, x + 24, y + 24}, 4);
  }
  EXPECT_EQ(suppressor.run(candidates_of(apart)).indices.size(), nms::kMaxNmsCapacity / 4);
  const NmsAnswer one =
      answer_of(suppressor.run(candidates_of(identical(nms::kMaxNmsCapacity + 5))));
  EXPECT_EQ(one, (NmsAnswer{{0}, {{10, 20, 110, 140}}, {65536.0F / 65539}}));
}

}  // namespace
}  // namespace facepipe::test
