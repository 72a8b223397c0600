// These tests check the positions of tiles, and that some tile keeps each face at any position.
#include "detector/tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

constexpr Size kLarge[] = {{6000, 4000},   {4000, 6000},   {5999, 4001}, {4097, 3073},
                           {7680, 4320},   {16384, 769},   {801, 16383}, {16384, 8192},
                           {16384, 16384}, {13001, 10007}, {6144, 2049}};

struct Span {
  int begin;
  int end;
};

/// Returns the intervals of the tiles of the first row (if `across`) or of the first column.
std::vector<Span> spans(const Tiling& tiling, bool across) {
  std::vector<Span> all;
  const int count = across ? tiling.columns : tiling.rows;
  const int length = across ? tiling.tile.frame.width : tiling.tile.frame.height;
  for (int i = 0; i < count; ++i) {
    const auto origin = tiling.origin(across ? i : i * tiling.columns);
    const int begin = across ? origin.x : origin.y;
    all.push_back({begin, begin + length});
  }
  return all;
}

TEST(Tiling, IsForMoreThanTwelveMegapixelsAlone) {
  for (const Size size : {Size{1, 1}, {3840, 2160}, {4032, 3024}, {4096, 3072}, {16384, 768}})
    EXPECT_FALSE(tiling_for(size, {})) << to_string(size);
  for (const Size size : kLarge) EXPECT_TRUE(tiling_for(size, {})) << to_string(size);
}

TEST(Tiling, IsOffWhereASizeWasChosen) {
  EXPECT_FALSE(tiling_for({6000, 4000}, Size{6000, 4000}));
  EXPECT_FALSE(tiling_for({6000, 4000}, Size{640, 640}));
}

TEST(Tiling, CoversThePictureWithEqualTilesOnTheNetworksGrid) {
  for (const Size size : kLarge) {
    SCOPED_TRACE(to_string(size));
    const Tiling tiling = tiling_for(size, {}).value();
    for (const bool across : {true, false}) {
      const std::vector<Span> tiles = spans(tiling, across);
      EXPECT_EQ(tiles.front().begin, 0);
      EXPECT_EQ(tiles.back().end, across ? size.width : size.height);
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        EXPECT_EQ(tiles[i].begin % 32, 0);
        if (i == 0) continue;
        EXPECT_GE(tiles[i - 1].end - tiles[i].begin, tiling.overlap);
      }
    }
  }
}

TEST(Tiling, BoundsWhatOneRunOfTheNetworkHolds) {
  for (const Size size : kLarge) {
    SCOPED_TRACE(to_string(size));
    const Tiling tiling = tiling_for(size, {}).value();
    EXPECT_LE(std::max(tiling.tile.frame.width, tiling.tile.frame.height), 2048);
    EXPECT_LE(std::int64_t{tiling.whole.content.width} * tiling.whole.content.height, 4 << 20);
    EXPECT_EQ(tiling.whole.frame, size);
    EXPECT_EQ(tiling.tile.content, tiling.tile.frame) << "a tile is not scaled";
  }
}

/// Returns a place along one axis where no tile keeps a face of this length, or -1 if there is no
/// such place.
int place_missed(const std::vector<Span>& tiles, int picture, int face, int margin) {
  for (int x = 0; x + face <= picture; ++x) {
    const bool seen = std::any_of(tiles.begin(), tiles.end(), [&](const Span& tile) {
      const int begin = tile.begin == 0 ? 0 : tile.begin + margin;
      const int end = tile.end == picture ? picture : tile.end - margin;
      return x >= begin && x + face <= end;
    });
    if (!seen) return x;
  }
  return -1;
}

TEST(Tiling, KeepsEachFaceInATileOrShowsItWellInTheReducedPicture) {
  for (const Size size : kLarge) {
    SCOPED_TRACE(to_string(size));
    const Tiling tiling = tiling_for(size, {}).value();
    const int largest = tiling.largest_face();
    // Larger faces have at least 64 pixels in the reduced picture.
    const float larger = static_cast<float>(largest) + 1;
    EXPECT_GE(larger / tiling.whole.scale_x(), 64);
    EXPECT_GE(larger / tiling.whole.scale_y(), 64);
    for (const int face : {1, 31, 32, 100, largest - 1, largest}) {
      EXPECT_EQ(place_missed(spans(tiling, true), size.width, face, 32), -1) << face;
      EXPECT_EQ(place_missed(spans(tiling, false), size.height, face, 32), -1) << face;
    }
  }
}

TEST(Tiling, LiesOnTheSamePixelsHoweverThePictureIsStored) {
  for (const Size size : {Size{6000, 4000}, {5999, 4001}})
    for (const Orientation orientation : test::all_orientations()) {
      SCOPED_TRACE(to_string(size) + " turned " + std::to_string(orientation.quarter_turns) +
                   (orientation.mirrored ? ", mirrored" : ""));
      const Tiling tiling = tiling_for(size, {}).value();
      const Size stored = upright_size(size, orientation);
      const Size tile = upright_size(tiling.tile.frame, orientation);
      for (int i = 0; i < tiling.count(); ++i) {
        const auto origin = tiling.origin(i);
        const auto begin = tiling.stored_origin(i, orientation);
        EXPECT_EQ(begin.x % 32, 0);
        EXPECT_EQ(begin.y % 32, 0);
        const auto a = test::upright_place({begin.x, begin.y}, stored, orientation);
        const auto b = test::upright_place({begin.x + tile.width - 1, begin.y + tile.height - 1},
                                           stored, orientation);
        EXPECT_EQ(std::min(a.x, b.x), origin.x);
        EXPECT_EQ(std::min(a.y, b.y), origin.y);
        EXPECT_EQ(std::max(a.x, b.x), origin.x + tiling.tile.frame.width - 1);
        EXPECT_EQ(std::max(a.y, b.y), origin.y + tiling.tile.frame.height - 1);
      }
    }
}

TEST(Tiling, DropsFacesCutOffWhereThePictureGoesOnAlone) {
  const Tiling tiling = tiling_for({6000, 4000}, {}).value();
  const auto width = static_cast<float>(tiling.tile.frame.width);
  Detections found;
  found.push_back({0, 0, 50, 50}, 0.9F, {Point{10, 20}});    // at the picture's corner
  found.push_back({width - 60, 300, width, 360}, 0.8F, {});  // the tile's right edge cuts this face
  found.push_back({width - 90, 300, width - 33, 360}, 0.7F, {});  // near the tile's right edge, but
                                                                  // not cut
  Detections kept;
  append_kept(kept, found, tiling, 0);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept.boxes[0], (Box{0, 0, 50, 50}));
  EXPECT_EQ(kept.scores[1], 0.7F);

  Detections moved;
  append_kept(moved, found, tiling, 1);  // the left edge of tile 1 isn't an edge of the picture
  ASSERT_EQ(moved.size(), 1U);
  const auto x = static_cast<float>(tiling.origin(1).x);
  EXPECT_EQ(moved.boxes[0], (Box{width - 90 + x, 300, width - 33 + x, 360}));
  EXPECT_EQ(moved.landmarks[0][0], (Point{x, 0}));
}

TEST(Tiling, KeepsFacesWithoutLandmarks) {
  const Tiling tiling = tiling_for({6000, 4000}, {}).value();
  Detections found;
  found.push_back({100, 100, 150, 150}, 0.9F);
  Detections kept;
  append_kept(kept, found, tiling, 1);
  const auto x = static_cast<float>(tiling.origin(1).x);
  ASSERT_EQ(kept.boxes, (std::vector<Box>{{100 + x, 100, 150 + x, 150}}));
  EXPECT_EQ(kept.scores, std::vector{0.9F});
  EXPECT_FALSE(kept.has_landmarks());
}

}  // namespace
}  // namespace facepipe::detector
