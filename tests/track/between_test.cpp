// These tests check the faces of frames that weren't searched. The motion in the pictures and
// detections is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tests/track/scenes.h"
#include "track/between.h"
#include "track/cpu/motion.h"
#include "track/matching.h"

namespace facepipe::track {
namespace {

using test::Scene;
using testing::ElementsAre;
using testing::FloatNear;
using testing::SizeIs;

constexpr double kStep = 0.04;
const Box kFace{100, 80, 140, 130};

Box shifted(const Box& box, float x, float y) {
  return {box.x1 + x, box.y1 + y, box.x2 + x, box.y2 + y};
}

TimedPicture picture(const Scene& scene, double time_s) {
  return {time_s, std::make_shared<CpuMotionPicture>(test::render(scene))};
}

SearchedFrame searched(const Scene& scene, double time_s, Detections found) {
  return {picture(scene, time_s), std::move(found)};
}

Detections one(const Box& box, float score = 0.8F) {
  Detections found;
  found.push_back(box, score);
  return found;
}

/// Returns a scene whose background and patches are moved by (x, y).
Scene panned(float x, float y) { return {.camera = Similarity{1, 0, x, y}}; }

/// Returns a picture without texture, so that no point in it can be followed.
TimedPicture flat(double time_s) {
  return {time_s, std::make_shared<CpuMotionPicture>(
                      Luma{{320, 240}, {160, 120}, std::vector<std::uint8_t>(160 * 120, 90)})};
}

std::vector<FacesBetween> fill(const SearchedFrame& before,
                               const std::vector<TimedPicture>& between,
                               const SearchedFrame* after) {
  CpuMotionEstimator motion;
  return faces_between(motion, before, between, after);
}

void expect_near(const Box& box, const Box& expected, float pixels) {
  EXPECT_NEAR(box.x1, expected.x1, pixels);
  EXPECT_NEAR(box.y1, expected.y1, pixels);
  EXPECT_NEAR(box.x2, expected.x2, pixels);
  EXPECT_NEAR(box.y2, expected.y2, pixels);
}

TEST(FacesBetween, GoWithTheMotionFromOneDetectionToTheOther) {
  // The face moves slowly at first and fast afterwards. Interpolation along a straight line would
  // have an error of 6 pixels.
  const SearchedFrame before = searched(panned(0, 0), 1, one(kFace, 0.9F));
  const SearchedFrame after =
      searched(panned(16, 0), 1 + 2 * kStep, one(shifted(kFace, 16, 0), 0.4F));
  const auto frames = fill(before, {picture(panned(2, 0), 1 + kStep)}, &after);
  ASSERT_THAT(frames, SizeIs(1));
  ASSERT_EQ(frames[0].faces.size(), 1U);
  expect_near(frames[0].faces.boxes[0], shifted(kFace, 2, 0), 0.5F);
  EXPECT_THAT(frames[0].faces.scores, ElementsAre(FloatNear(0.7F, 1e-5F)));
  EXPECT_THAT(frames[0].before, ElementsAre(0));
  EXPECT_THAT(frames[0].after, ElementsAre(0));
  EXPECT_FALSE(frames[0].faces.has_landmarks());
}

TEST(FacesBetween, MeetBothEndsByTimeWhereNoPointsTellMore) {
  const SearchedFrame before{flat(0), one(kFace)};
  const Box there{110, 84, 158, 142};
  const SearchedFrame after{flat(10), one(there)};
  const auto frames = fill(before, {flat(1), flat(5), flat(9)}, &after);
  ASSERT_THAT(frames, SizeIs(3));
  const float shares[] = {0.1F, 0.5F, 0.9F};
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(frames[i].faces.size(), 1U);
    expect_near(frames[i].faces.boxes[0], between(kFace, there, shares[i]), 1e-3F);
  }
}

TEST(FacesBetween, LandmarksKeepTheirPlaceInTheBox) {
  Detections then;
  Detections later;
  Landmarks points;
  for (std::size_t p = 0; p < points.size(); ++p)
    points[p] = {110 + 4 * static_cast<float>(p), 100};  // at a distance of at least a quarter of
                                                         // the width
  then.push_back(kFace, 0.8F, points);
  const Box there{104, 82, 154, 144.5F};  // larger by a quarter
  for (Point& point : points)
    point = {there.x1 + 1.25F * (point.x - kFace.x1), there.y1 + 1.25F * (point.y - kFace.y1)};
  later.push_back(there, 0.8F, points);
  const SearchedFrame before{flat(0), then};
  const SearchedFrame after{flat(2), later};
  const auto frames = fill(before, {flat(1)}, &after);
  ASSERT_EQ(frames[0].faces.landmarks.size(), 1U);
  const Box middle = between(kFace, there, 0.5F);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Point at = frames[0].faces.landmarks[0][p];
    EXPECT_NEAR((at.x - middle.x1) / middle.width(), 0.25F + 0.1F * static_cast<float>(p), 1e-4F);
    EXPECT_NEAR((at.y - middle.y1) / middle.height(), 0.4F, 1e-4F);
  }
}

TEST(FacesBetween, WhatIsSeenOnOneSideAloneScoresTheLessTheFurtherFromItASearchIs) {
  const SearchedFrame before = searched(panned(0, 0), 0, one(kFace, 0.8F));
  const SearchedFrame after = searched(panned(9, 0), 3, one({200, 40, 230, 80}, 0.6F));
  const auto frames = fill(before, {picture(panned(3, 0), 1), picture(panned(6, 0), 2)}, &after);
  ASSERT_THAT(frames, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(frames[i].faces.size(), 2U);
    const auto steps = static_cast<float>(i + 1);
    expect_near(frames[i].faces.boxes[0], shifted(kFace, 3 * steps, 0), 0.7F);
    expect_near(frames[i].faces.boxes[1], shifted({200, 40, 230, 80}, 3 * steps - 9, 0), 0.7F);
    EXPECT_THAT(frames[i].before, ElementsAre(0, std::nullopt));
    EXPECT_THAT(frames[i].after, ElementsAre(std::nullopt, 0));
  }
  EXPECT_GT(frames[0].faces.scores[0], frames[1].faces.scores[0]);
  EXPECT_LT(frames[0].faces.scores[1], frames[1].faces.scores[1]);
  EXPECT_LT(frames[0].faces.scores[0], 0.8F);
  EXPECT_LT(frames[1].faces.scores[1], 0.6F);
}

TEST(FacesBetween, AFaceThatRunsAgainstThePanGoesStraight) {
  const Box there = shifted(kFace, 36, -10);
  const SearchedFrame before = searched(panned(0, 0), 0, one(kFace));
  const SearchedFrame after = searched(panned(-24, 0), 2, one(there, 0.7F));
  const auto frames = fill(before, {picture(panned(-12, 0), 1)}, &after);
  ASSERT_EQ(frames[0].faces.size(), 1U);
  expect_near(frames[0].faces.boxes[0], between(kFace, there, 0.5F), 1e-3F);
}

TEST(FacesBetween, WeakOrFarDetectionsAreNotTakenForOneFace) {
  const struct {
    Box there;
    float score;
  } others[] = {{shifted(kFace, 90, 0), 0.8F},    // moved by more than twice its size
                {shifted(kFace, 36, -10), 0.2F},  // weak
                {{130, 70, 190, 145}, 0.8F}};     // larger by a half
  for (const auto& other : others) {
    const SearchedFrame before = searched(panned(0, 0), 0, one(kFace));
    const SearchedFrame after = searched(panned(-24, 0), 2, one(other.there, other.score));
    const auto frames = fill(before, {picture(panned(-12, 0), 1)}, &after);
    EXPECT_EQ(frames[0].faces.size(), 2U) << other.there.x1;
  }
}

TEST(FacesBetween, NothingGoesThroughACut) {
  const SearchedFrame before = searched(panned(0, 0), 0, one(kFace, 0.8F));
  Luma other = test::render({.seed = 70});
  for (std::size_t i = 0; i < other.samples.size() / 2; ++i) other.samples[i] /= 8;
  const TimedPicture cut{2, std::make_shared<CpuMotionPicture>(other)};
  const SearchedFrame after{cut, one(kFace, 0.9F)};
  const auto frames = fill(before, {picture(panned(4, 0), 1)}, &after);
  ASSERT_EQ(frames[0].faces.size(), 1U);
  expect_near(frames[0].faces.boxes[0], shifted(kFace, 4, 0), 0.7F);
  EXPECT_EQ(frames[0].faces.scores[0], 0.8F);  // all searches have found the face
  EXPECT_THAT(frames[0].after, ElementsAre(std::nullopt));
}

TEST(FacesBetween, AtTheStreamsEndFacesGoOn) {
  const SearchedFrame before = searched(panned(0, 0), 0, one(kFace, 0.8F));
  const auto frames = fill(before, {picture(panned(4, 0), 1), picture(panned(8, 0), 2)}, nullptr);
  ASSERT_THAT(frames, SizeIs(2));
  expect_near(frames[1].faces.boxes[0], shifted(kFace, 8, 0), 0.7F);
  EXPECT_EQ(frames[1].faces.scores[0], 0.8F);
}

TEST(FacesBetween, WhatIsNoBoxIsPassedOverAndWhatLeavesThePictureIsGone) {
  Detections found = one(kFace);
  found.push_back({100, 80, 100, 130}, 0.9F);
  found.push_back({std::numeric_limits<float>::quiet_NaN(), 0, 10, 10}, 0.9F);
  found.push_back({0, 40, 6, 60}, 0.9F);
  Detections later = one(shifted(kFace, -8, 0));
  later.push_back({140, 80, 100, 130}, 0.9F);
  later.push_back({0, 0, std::numeric_limits<float>::infinity(), 10}, 0.9F);
  const SearchedFrame before = searched(panned(0, 0), 0, found);
  const SearchedFrame after = searched(panned(-16, 0), 2, later);
  const auto frames = fill(before, {picture(panned(-8, 0), 1)}, &after);
  EXPECT_THAT(frames[0].before, ElementsAre(0));
  EXPECT_EQ(frames[0].faces.size(), 1U);
}

TEST(FacesBetween, OfNoFramesThereAreNone) {
  const SearchedFrame before{flat(0), one(kFace)};
  const SearchedFrame after{flat(1), {}};
  EXPECT_THAT(fill(before, {}, &after), SizeIs(0));
  EXPECT_THAT(fill(before, {}, nullptr), SizeIs(0));
  const auto without = fill(SearchedFrame{flat(0), {}}, {flat(0.5)}, &after);
  ASSERT_THAT(without, SizeIs(1));
  EXPECT_EQ(without[0].faces.size(), 0U);
}

}  // namespace
}  // namespace facepipe::track
