// These tests check mirrored views pixel by pixel, according to the definition of Orientation.
#include "detector/mirror.h"

#include <gtest/gtest.h>

namespace facepipe::pipeline {
namespace {

struct Pixel {
  int x = 0;
  int y = 0;
  friend bool operator==(const Pixel&, const Pixel&) = default;
};

/// Returns the position of a stored pixel in the upright picture. The picture is mirrored first and
/// then turned clockwise.
Pixel upright(Pixel at, Size stored, Orientation orientation) {
  if (orientation.mirrored) at.x = stored.width - 1 - at.x;
  for (int turn = 0; turn < orientation.quarter_turns; ++turn) {
    at = {stored.height - 1 - at.y, at.x};
    stored = {stored.height, stored.width};
  }
  return at;
}

TEST(MirroredView, LiesMirroredUprightHoweverItIsStored) {
  for (int turns = 0; turns < 4; ++turns)
    for (const bool mirrored : {false, true}) {
      Frame frame;
      frame.size = {7, 4};
      frame.orientation = {turns, mirrored};
      const Frame view = detector::mirrored_view(frame);
      EXPECT_EQ(view.upright(), frame.upright());
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 7; ++x) {
          const Pixel there = upright({x, y}, frame.size, frame.orientation);
          const Pixel expected{frame.upright().width - 1 - there.x, there.y};
          EXPECT_EQ(upright({x, y}, view.size, view.orientation), expected) << turns << mirrored;
        }
    }
}

TEST(MirroredView, IsOfTheSameSamplesAndKeepsThem) {
  Frame frame;
  std::byte sample{};
  frame.planes[0] = {&sample, 8};
  frame.color.matrix = 6;
  frame.owner = std::make_shared<int>(1);
  const Frame view = detector::mirrored_view(frame);
  EXPECT_EQ(view.planes[0].data, &sample);
  EXPECT_EQ(view.planes[0].stride, 8);
  EXPECT_EQ(view.color, frame.color);
  EXPECT_EQ(frame.owner.use_count(), 2);
}

TEST(MirroredView, WhatIsFoundInItIsPutBack) {
  Detections all;
  all.push_back({1, 2, 3, 4}, 0.5F, Landmarks{Point{1, 1}, {2, 1}, {1.5F, 2}, {1, 3}, {2, 3}});
  Detections found;
  found.push_back({90, 10, 98, 20}, 0.75F,
                  Landmarks{Point{91, 11}, {97, 12}, {94, 15}, {92, 18}, {96, 19}});
  detector::append_mirrored(all, found, 100);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.boxes[1], (Box{2, 10, 10, 20}));
  EXPECT_EQ(all.scores[1], 0.75F);
  EXPECT_EQ(all.landmarks[1], (Landmarks{Point{3, 12}, {9, 11}, {6, 15}, {4, 19}, {8, 18}}))
      << "the left eye is left again";
  Detections plain;
  Detections without;
  without.push_back({0, 0, 1, 1}, 0.5F);
  detector::append_mirrored(plain, without, 10);
  EXPECT_FALSE(plain.has_landmarks());
  EXPECT_EQ(plain.boxes[0], (Box{9, 0, 10, 1}));
}

}  // namespace
}  // namespace facepipe::pipeline
