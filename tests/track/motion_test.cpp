// These tests check how cuts, the camera's motion and the motion of boxes are found, on pictures
// whose motion is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/track/scenes.h"
#include "track/cpu/lucas_kanade.h"
#include "track/cpu/motion.h"
#include "track/similarity.h"

namespace facepipe::track {
namespace {

using test::about;
using test::Scene;

CpuMotionPicture picture(const Scene& scene) { return CpuMotionPicture(test::render(scene)); }

PictureChange compare(const MotionPicture& before, const MotionPicture& now) {
  return CpuMotionEstimator().compare(before, now);
}

Box follow_box(const MotionPicture& before, const MotionPicture& now, const Box& box,
               const Similarity& camera, int grid) {
  const std::vector<BoxStep> steps{{&before, &now, box, camera, grid}};
  return CpuMotionEstimator().follow(steps).at(0);
}

/// Returns by how much two similarities differ: the largest distance between the two points to
/// which they move a corner of the picture.
float difference(const Similarity& a, const Similarity& b, Size size) {
  float most = 0;
  for (const float x : {0.0F, static_cast<float>(size.width)})
    for (const float y : {0.0F, static_cast<float>(size.height)}) {
      const Point p = a({x, y});
      const Point q = b({x, y});
      most = std::max(most, std::hypot(p.x - q.x, p.y - q.y));
    }
  return most;
}

TEST(Similarity, ComesBackByItsInverse) {
  const Similarity s = about({50, 70}, 12, 1.3F, 5, -8);
  const Point there = s({11, 23});
  const Point back = s.inverse()(there);
  EXPECT_NEAR(back.x, 11, 1e-4);
  EXPECT_NEAR(back.y, 23, 1e-4);
  EXPECT_FLOAT_EQ(s.scale(), 1.3F);
}

TEST(Similarity, MovesABoxAboutItsCentre) {
  const Box box = moved({10, 20, 30, 60}, {2, 0, 1, -1});
  EXPECT_EQ(box, (Box{21, 39, 61, 119}));  // the centre moves from (20, 40) to (41, 79), and the
                                           // size is doubled
}

TEST(FitSimilarity, FindsWhatMostPointsFollow) {
  const Similarity truth = about({160, 120}, 3, 1.05F, 12, -7);
  std::mt19937 random(5);
  const auto number = [&] { return static_cast<float>(random() % 3200) / 10; };
  std::vector<Point> from;
  std::vector<Point> to;
  for (int i = 0; i < 100; ++i) {
    from.push_back({number(), number()});
    to.push_back(i % 5 < 3 ? truth(from.back()) : Point{number(), number()});
  }
  const SimilarityFit fit = fit_similarity(from, to, 1);
  EXPECT_LT(difference(fit.model, truth, {320, 240}), 0.05F);
  EXPECT_GE(fit.inliers, 60U);
  EXPECT_LE(fit.inliers, 63U);  // only few of the other points agree by chance
  EXPECT_EQ(fit_similarity(from, to, 1).model, fit.model);
}

TEST(FitSimilarity, OfTooLittleIsTheIdentity) {
  const std::vector<Point> one{{3, 4}};
  const std::vector<Point> same(5, Point{3, 4});
  const std::vector<Point> apart{{0, 0}, {100, 0}};
  const std::vector<Point> together{{0, 0}, {10, 0}};  // a tenth of the distance between the others
  EXPECT_EQ(fit_similarity({}, {}, 1).inliers, 0U);
  EXPECT_EQ(fit_similarity(one, one, 1).model, Similarity{});
  EXPECT_EQ(fit_similarity(same, same, 1).model, Similarity{});
  EXPECT_EQ(fit_similarity(apart, together, 1).model, Similarity{});
}

TEST(FollowPoint, FindsAShift) {
  Scene scene;
  const CpuMotionPicture before = picture(scene);
  for (const Point shift : {Point{0, 0}, Point{1.5F, -0.75F}, Point{9, 14}, Point{-18, 13}}) {
    scene.camera = {1, 0, shift.x, shift.y};
    const CpuMotionPicture now = picture(scene);
    int found = 0;
    for (float y = 60; y < 200; y += 20)
      for (float x = 60; x < 260; x += 20) {
        const auto there = follow_point(before.pyramid(), now.pyramid(), {x, y}, {x, y}, 3, 0);
        if (there && std::hypot(there->x - x - shift.x, there->y - y - shift.y) < 0.3F) ++found;
      }
    EXPECT_GE(found, 60) << shift.x << ' ' << shift.y;  // of 70 points
  }
}

TEST(FollowPoint, FindsNothingWithoutTexture) {
  const CpuMotionPicture flat(
      Luma{{320, 240}, {160, 120}, std::vector<std::uint8_t>(160 * 120, 90)});
  EXPECT_FALSE(follow_point(flat.pyramid(), flat.pyramid(), {99, 99}, {99, 99}, 2, 0));
}

TEST(FollowPoint, RefusesPointsOutside) {
  const CpuMotionPicture some = picture({});
  for (const Point p : {Point{-1, 10}, Point{10, 241}, Point{1e30F, 10}, Point{NAN, NAN}}) {
    EXPECT_FALSE(follow_point(some.pyramid(), some.pyramid(), p, {10, 10}, 2, 0));
    EXPECT_FALSE(follow_point(some.pyramid(), some.pyramid(), {10, 10}, p, 0, 0));
  }
}

TEST(Compare, FindsTheCamera) {
  struct Case {
    Similarity camera;
    const char* what;
  };
  const Point middle{320, 180};
  const std::vector<Case> cases{
      {{}, "still"},
      {{1, 0, 17, 0}, "pan"},
      {{1, 0, -40.5F, 21}, "fast pan"},
      {about(middle, 0, 1.04F, 0, 0), "zoom in"},
      {about(middle, 0, 0.96F, 3, 0), "zoom out"},
      {about(middle, 2, 1, -5, 5), "turn"},
  };
  Scene scene{.picture = {640, 360}};
  const CpuMotionPicture before = picture(scene);
  for (const Case& c : cases) {
    scene.camera = c.camera;
    const PictureChange change = compare(before, picture(scene));
    EXPECT_FALSE(change.cut) << c.what;
    // This is the error at the picture's corners, in pixels. A sample is 4 pixels wide.
    EXPECT_LT(difference(change.camera, c.camera, scene.picture), 0.7F) << c.what;
    EXPECT_GT(change.inlier_share, 0.6F) << c.what;
  }
}

TEST(Compare, FindsTheCameraBehindWhatMoves) {
  Scene scene{.picture = {640, 360}};
  scene.patches = {{{50, 50, 250, 250}, 91}, {{400, 100, 520, 300}, 92}};
  const CpuMotionPicture before = picture(scene);
  scene.camera = {1, 0, 6, 2};
  scene.patches = {{{38, 50, 238, 250}, 91}, {{415, 100, 535, 300}, 92}};
  EXPECT_LT(difference(compare(before, picture(scene)).camera, scene.camera, scene.picture), 0.7F);
}

TEST(Compare, FindsACut) {
  const CpuMotionPicture before = picture({.picture = {640, 360}, .seed = 1});
  // Without the change, the two textures would have nearly equal histograms, because they have
  // equal amounts of light and dark at different places.
  Scene other{.picture = {640, 360}, .seed = 50};
  other.patches = {{{0, 0, 640, 150}, 60}};
  Luma luma = test::render(other);
  for (std::size_t i = 0; i < luma.samples.size() / 2; ++i) luma.samples[i] /= 8;
  const PictureChange change = compare(before, CpuMotionPicture(luma));
  EXPECT_TRUE(change.cut);
  EXPECT_EQ(change.camera, Similarity{});
  EXPECT_GT(change.distance, 0.4F);
  EXPECT_LT(change.inlier_share, 0.3F);
}

TEST(Compare, FindsACutBetweenPicturesOfLikeBrightness) {
  const CpuMotionPicture before = picture({.picture = {1280, 720}, .seed = 1});
  // Only a quarter of the picture becomes darker, not half of it, so the histograms differ less.
  Luma luma = test::render({.picture = {1280, 720}, .seed = 50});
  for (std::size_t i = 0; i < luma.samples.size() / 4; ++i) luma.samples[i] /= 2;
  const PictureChange change = compare(before, CpuMotionPicture(luma));
  EXPECT_TRUE(change.cut);
  EXPECT_GT(change.distance, 0.25F);
  EXPECT_LT(change.distance, 0.4F);
  EXPECT_LT(change.inlier_share, 0.1F);
}

TEST(Compare, TakesAnotherSizeForACut) {
  EXPECT_TRUE(compare(picture({.picture = {64, 64}}), picture({.picture = {64, 66}})).cut);
}

TEST(Compare, TakesAFlashForNone) {
  Scene scene{.picture = {640, 360}};
  const CpuMotionPicture before = picture(scene);
  scene.gain = 0.5F;
  const PictureChange change = compare(before, picture(scene));
  EXPECT_FALSE(change.cut);
  EXPECT_LT(change.distance, 0.2F);
}

TEST(Compare, TakesAnySize) {
  for (const Size size : {Size{1, 1}, Size{2, 1}, Size{16, 16}, Size{33, 17}, Size{35, 35},
                          Size{641, 37}, Size{5, 700}}) {
    const CpuMotionPicture a = picture({.picture = size});
    const PictureChange change = compare(a, a);
    EXPECT_FALSE(change.cut) << to_string(size);
    EXPECT_LT(difference(change.camera, {}, size), 0.1F) << to_string(size);
    const Box whole{0, 0, static_cast<float>(size.width), static_cast<float>(size.height)};
    const Box box = follow_box(a, a, whole, {}, 5);
    EXPECT_NEAR(box.x1, 0, 0.1F) << to_string(size);
    EXPECT_NEAR(box.y2, whole.y2, 0.1F) << to_string(size);
  }
}

TEST(FollowBox, FollowsWhatMovesAgainstTheCamera) {
  struct Case {
    Box box;
    Point step;
    float tolerance;  // in pixels; less than a fifth of a sample of the level on which the motion
                      // is found
  };
  const std::vector<Case> cases{
      {{200, 100, 224, 130}, {5, -3}, 0.4F},  // small
      {{200, 100, 260, 180}, {-9, 4}, 0.8F},
      {{100, 40, 400, 340}, {14, 10}, 1.6F},  // found on a coarser level
      {{-30, 100, 50, 190}, {8, 0}, 0.8F},    // enters the picture at its left border
  };
  for (const Case& c : cases) {
    Scene scene{.picture = {640, 360}, .patches = {{c.box, 77}}};
    const CpuMotionPicture before = picture(scene);
    scene.camera = {1, 0, 4, 4};
    const Box truth{c.box.x1 + c.step.x, c.box.y1 + c.step.y, c.box.x2 + c.step.x,
                    c.box.y2 + c.step.y};
    scene.patches = {{truth, 77}};
    const Box found = follow_box(before, picture(scene), c.box, scene.camera, 5);
    EXPECT_NEAR(found.x1, truth.x1, c.tolerance) << c.box.x1;
    EXPECT_NEAR(found.y1, truth.y1, c.tolerance) << c.box.x1;
    EXPECT_NEAR(found.x2, truth.x2, c.tolerance) << c.box.x1;
  }
}

TEST(FollowBox, FollowsTheCameraWhereNothingIsFound) {
  const CpuMotionPicture flat(
      Luma{{320, 240}, {160, 120}, std::vector<std::uint8_t>(160 * 120, 90)});
  const Box box{100, 100, 140, 150};
  const Similarity camera{1, 0, 3, -2};
  EXPECT_EQ(follow_box(flat, flat, box, camera, 5), moved(box, camera));
  const CpuMotionPicture some = picture({});
  EXPECT_EQ(follow_box(some, some, box, camera, 0), moved(box, camera));
}

}  // namespace
}  // namespace facepipe::track
