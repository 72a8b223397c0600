// These tests add detections of several classes, with and without landmarks.
#include "core/detections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace facepipe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Box kBox{1, 2, 3, 4};

Detections of_class(std::uint16_t its, float score) {
  Detections made;
  made.push_back(kBox, score);
  made.set_class_of_last(its);
  return made;
}

TEST(Detections, OfTheFirstClassNeedNoList) {
  Detections found = of_class(0, 0.5F);
  append(found, of_class(0, 0.25F));
  EXPECT_THAT(found.classes, IsEmpty());
  EXPECT_EQ(found.class_of(1), 0);
}

TEST(Detections, KeepTheirClasses) {
  Detections found = of_class(0, 0.5F);
  append(found, of_class(2, 0.25F));
  found.push_back(kBox, 0.125F);
  append(found, of_class(0, 1));
  append(found, of_class(1, 0.75F), 3);
  append(found, of_class(0, 0.375F), 3);
  EXPECT_THAT(found.classes, ElementsAre(0, 2, 0, 0, 4, 3));
  EXPECT_EQ(found.size(), found.scores.size());
  EXPECT_THAT(scored_over(found, 0.25F).classes, ElementsAre(0, 0, 4, 3));
  Detections copied;
  copied.push_back(kBox, 1, found, 0);
  copied.push_back(kBox, 1, found, 1);
  EXPECT_THAT(copied.classes, ElementsAre(0, 2));
}

TEST(Detections, ScoreOverTheScoreOfTheirClass) {
  Detections found = of_class(0, 0.5F);
  append(found, of_class(1, 0.5F));
  append(found, of_class(1, 0.75F));
  const std::vector<float> scores{0.25F, 0.5F};
  const Detections over = scored_over(found, scores);
  EXPECT_THAT(over.scores, ElementsAre(0.5F, 0.75F));
  EXPECT_THAT(over.classes, ElementsAre(0, 1));
}

TEST(Detections, AreListedByClass) {
  Detections found = of_class(2, 0.5F);
  append(found, of_class(0, 0.5F));
  append(found, of_class(2, 0.5F));
  EXPECT_THAT(entries_by_class(found), ElementsAre(ElementsAre(1), ElementsAre(0, 2)));
  EXPECT_THAT(entries_by_class({}), IsEmpty());
}

TEST(Detections, SomeHaveLandmarks) {
  Detections with;
  with.push_back(kBox, 0.5F, Landmarks{Point{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}});
  Detections found = of_class(0, 0.5F);
  append(found, of_class(0, 0.5F));
  EXPECT_FALSE(found.has_landmarks());
  append(found, with);
  append(found, of_class(1, 0.5F));
  ASSERT_EQ(found.landmarks.size(), 4U);
  EXPECT_FALSE(found.has_landmarks(0));
  EXPECT_FALSE(found.has_landmarks(1));
  EXPECT_TRUE(found.has_landmarks(2));
  EXPECT_FALSE(found.has_landmarks(3));
  EXPECT_EQ(found.landmarks[2], with.landmarks[0]);
  EXPECT_FALSE(of_class(0, 1).has_landmarks(0));
}

}  // namespace
}  // namespace facepipe
