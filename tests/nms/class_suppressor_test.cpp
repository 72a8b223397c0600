// These tests suppress candidates of several classes together, and those of each class by
// themselves.
#include "nms/cpu/class_suppressor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/nms/on_cpu.h"

namespace facepipe::test {
namespace {

constexpr std::uint32_t kCapacity = 2048;
constexpr std::uint16_t kClasses = 3;

struct Kept {
  std::uint32_t index = 0;
  Box box;
  float score = 0;
  friend bool operator==(const Kept&, const Kept&) = default;
};

/// Returns the kept candidates with their boxes and scores after suppression.
/// @param whose  the index of each candidate among all of them
std::vector<Kept> as_list(const nms::NmsKept& kept, const NmsCase& all,
                          const std::vector<std::uint32_t>& whose) {
  std::vector<Kept> list;
  for (std::size_t rank = 0; rank < kept.indices.size(); ++rank) {
    const std::uint32_t i = kept.indices[rank];
    list.push_back({whose[i], kept.boxes.empty() ? all.boxes[i] : kept.boxes[rank],
                    kept.scores.empty() ? all.scores[i] : kept.scores[rank]});
  }
  return list;
}

Detections with_classes(const NmsCase& all, unsigned seed) {
  Detections found;
  NmsRandom random(seed);
  for (std::size_t i = 0; i < all.size(); ++i) {
    found.push_back(all.boxes[i], all.scores[i]);
    found.set_class_of_last(static_cast<std::uint16_t>(random.below(kClasses)));
  }
  return found;
}

/// Suppresses each class by itself, and sorts what is kept by falling score, then by index.
std::vector<Kept> one_by_one(nms::NmsOptions options, const Detections& found,
                             const std::vector<float>& thresholds) {
  std::vector<Kept> list;
  for (std::uint16_t its = 0; its < kClasses; ++its) {
    NmsCase of_class;
    std::vector<std::uint32_t> whose;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found.class_of(i) != its) continue;
      of_class.add(found.boxes[i], found.scores[i]);
      whose.push_back(static_cast<std::uint32_t>(i));
    }
    if (!thresholds.empty()) options.threshold = thresholds[its];
    nms::CpuSuppressor suppressor(options, kCapacity);
    for (const Kept& kept : as_list(suppressor.run(candidates_of(of_class)), of_class, whose))
      list.push_back(kept);
  }
  std::ranges::sort(list, [](const Kept& a, const Kept& b) {
    return a.score > b.score || (a.score == b.score && a.index < b.index);
  });
  return list;
}

std::vector<Kept> together(nms::ClassSuppressor& suppressor, const Detections& found) {
  std::vector<std::uint32_t> itself(found.size());
  for (std::size_t i = 0; i < itself.size(); ++i) itself[i] = static_cast<std::uint32_t>(i);
  return as_list(suppressor.run(found), {"", found.boxes, found.scores}, itself);
}

TEST(ClassSuppressor, GivesWhatEachClassGivesByItself) {
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast,
                                  nms::NmsRule::soft, nms::NmsRule::groups})
    for (const bool voting : {false, true})
      for (const auto& thresholds : {std::vector<float>{}, std::vector<float>{0.3F, 0.5F, 0.3F},
                                     std::vector<float>{0, 1, 0.2F}}) {
        nms::NmsOptions options = by_rule(rule);
        options.voting = voting;
        options.matrix.d_max = kCapacity;
        const bool has_no_choice = rule == nms::NmsRule::soft || rule == nms::NmsRule::groups;
        if (has_no_choice && voting) continue;
        nms::ClassSuppressor suppressor(options, kCapacity, thresholds);
        for (const unsigned seed : {1U, 2U}) {
          const Detections found = with_classes(wide_faces(500, seed), seed);
          const std::vector<Kept> expected = one_by_one(options, found, thresholds);
          EXPECT_EQ(together(suppressor, found), expected) << nms::name_of(rule);
          EXPECT_GT(expected.size(), 10U);
        }
      }
}

TEST(ClassSuppressor, OneClassIsSuppressedAsEver) {
  const NmsCase all = tight_faces(300);
  nms::ClassSuppressor suppressor(by_rule(nms::NmsRule::greedy), kCapacity);
  const nms::NmsKept kept = suppressor.run({all.boxes, all.scores, {}});
  EXPECT_EQ(std::vector<std::uint32_t>(kept.indices.begin(), kept.indices.end()),
            greedy_on_cpu(all, 0.3F));
}

TEST(ClassSuppressor, EqualBoxesOfTwoClassesStay) {
  Detections found;
  for (const std::uint16_t its : std::vector<std::uint16_t>{0, 1, 0, 1}) {
    found.push_back({0, 0, 10, 10}, 0.5F);
    found.set_class_of_last(its);
  }
  nms::ClassSuppressor suppressor(by_rule(nms::NmsRule::greedy), kCapacity);
  const nms::NmsKept kept = suppressor.run(found);
  EXPECT_EQ(std::vector<std::uint32_t>(kept.indices.begin(), kept.indices.end()),
            (std::vector<std::uint32_t>{0, 1}));
}

TEST(ClassSuppressor, CountsTheCandidatesOfAllClassesThatHaveNoRoom) {
  Detections found;
  for (int i = 0; i < 10; ++i) {
    found.push_back({0, 0, 10, 10}, 0.5F);
    found.set_class_of_last(static_cast<std::uint16_t>(i < 6 ? 0 : 1));
  }
  nms::ClassSuppressor suppressor(by_rule(nms::NmsRule::greedy), 3);
  EXPECT_EQ(suppressor.run(found).beyond_capacity, 3U + 1U);
}

}  // namespace
}  // namespace facepipe::test
