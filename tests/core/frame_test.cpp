#include "core/frame.h"

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/detections.h"

namespace facepipe {
namespace {

static_assert(std::is_nothrow_move_constructible_v<Frame>);
static_assert(!std::is_copy_constructible_v<Frame>);
static_assert(!std::is_copy_assignable_v<Frame>);

TEST(Frame, ChromaIsRoundedUp) {
  struct Case {
    Size size;
    int log2_w;
    int log2_h;
    Size chroma;
  };
  const std::vector<Case> cases{
      // Columns: frame size, log2 of the chroma cell's width and height, size of the chroma plane.
      {{1920, 1080}, 1, 1, {960, 540}}, {{1243, 711}, 1, 1, {622, 356}}, {{1, 1}, 1, 1, {1, 1}},
      {{18, 32}, 0, 0, {18, 32}},       {{7, 5}, 2, 0, {2, 5}},          {{9, 9}, 2, 2, {3, 3}},
      {{6, 3}, 0, 1, {6, 2}},           {{8, 8}, 1, 0, {4, 8}},
  };
  for (const Case& c : cases) {
    Frame frame;
    frame.size = c.size;
    frame.format.log2_chroma_w = c.log2_w;
    frame.format.log2_chroma_h = c.log2_h;
    EXPECT_EQ(frame.chroma_size(), c.chroma) << c.size.width << "x" << c.size.height;
  }
}

TEST(Frame, UprightSizeSwapsOnQuarterTurnsOnly) {
  Frame frame;
  frame.size = {1920, 1080};
  for (const bool mirrored : {false, true})
    for (int turns = 0; turns < 4; ++turns) {
      frame.orientation = {turns, mirrored};
      const Size expected = turns == 1 || turns == 3 ? Size{1080, 1920} : Size{1920, 1080};
      EXPECT_EQ(frame.upright(), expected) << turns;
    }
}

TEST(Frame, OnlyTheIdentityIsUpright) {
  EXPECT_TRUE((Orientation{0, false}).upright());
  EXPECT_FALSE((Orientation{0, true}).upright());
  for (int turns = 1; turns < 4; ++turns) EXPECT_FALSE((Orientation{turns, false}).upright());
}

TEST(Frame, SecondsFollowTheTimeBase) {
  Frame frame;
  frame.pts = -1001;
  frame.time_base = {1, 30000};
  EXPECT_DOUBLE_EQ(frame.seconds(), -1001.0 / 30000);
  frame.pts = 90000LL * 3600 * 100;
  frame.time_base = {1, 90000};
  EXPECT_DOUBLE_EQ(frame.seconds(), 360000);
}

TEST(Frame, SamplesOfMoreThanEightBitsTakeTwoBytes) {
  const std::vector<std::pair<int, int>> cases{{8, 1}, {9, 2}, {10, 2}, {12, 2}, {16, 2}};
  for (const auto& [bits, bytes] : cases) {
    PixelFormat format;
    format.bits = bits;
    EXPECT_EQ(format.bytes_per_sample(), bytes) << bits;
  }
}

TEST(Frame, MovingHandsTheOwnerOver) {
  auto owner = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = owner;
  Frame first;
  first.owner = std::move(owner);
  {
    const Frame second = std::move(first);
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST(Frame, MatrixIsTheTaggedOneElseThatOfTheSize) {
  constexpr int kUnspecified = 2;
  struct Case {
    int tagged;
    Size size;
    int matrix;
  };
  const std::vector<Case> cases{
      // Columns: matrix tag, stored size, matrix to use.
      {1, {640, 480}, 1},
      {6, {1920, 1080}, 6},
      {9, {3840, 2160}, 9},
      {kUnspecified, {1280, 720}, 1},
      {kUnspecified, {1280, 719}, 6},
      {kUnspecified, {720, 576}, 6},
      {3, {1280, 720}, 1},
      {3, {720, 576}, 6},
      {17, {720, 576}, 17},
      {18, {1280, 720}, 1},
      {255, {720, 576}, 6},
  };
  for (const Case& c : cases) {
    ColorInfo color;
    color.matrix = c.tagged;
    EXPECT_EQ(matrix_or_default(color, c.size), c.matrix) << c.tagged << " " << c.size.height;
  }
}

TEST(Detections, PushBackKeepsTheVectorsEquallyLong) {
  Detections faces;
  EXPECT_EQ(faces.size(), 0U);
  faces.push_back({1, 2, 3, 5}, 0.5F, {{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}}});
  faces.push_back({1, 2, 3, 4}, 0.25F, {});
  EXPECT_EQ(faces.size(), 2U);
  EXPECT_EQ(faces.scores.size(), 2U);
  EXPECT_EQ(faces.landmarks.size(), 2U);
  EXPECT_EQ(faces.boxes[0].width(), 2);
  EXPECT_EQ(faces.boxes[0].height(), 3);
  EXPECT_EQ(faces.landmarks[0][4], (Point{5, 5}));
}

}  // namespace
}  // namespace facepipe
