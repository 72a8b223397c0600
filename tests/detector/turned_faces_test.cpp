// These tests check faces that are turned in the stored pixels: the positions of their boxes, and
// how many faces in turned views show that a picture is turned.
#include "detector/turned_faces.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "core/turning.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

Box box_of(test::PixelPlace at) {
  return {static_cast<float>(at.x), static_cast<float>(at.y), static_cast<float>(at.x + 1),
          static_cast<float>(at.y + 1)};
}

TEST(TurnedFaces, A4BoxesOfATurnedPictureAreTurnedBack) {
  const Size upright{7, 4};
  for (int y = 0; y < upright.height; ++y)
    for (int x = 0; x < upright.width; ++x) {
      for (int turns = 0; turns < 4; ++turns) {
        const test::PixelPlace turned = test::upright_place({x, y}, upright, {turns, false});
        EXPECT_EQ(turned_back(box_of(turned), turns, upright), box_of({x, y})) << turns;
      }
    }
}

TEST(TurnedFaces, A4AViewIsTurnedFurtherThanItsFrame) {
  Frame frame;
  frame.size = {7, 4};
  frame.orientation = {3, true};
  EXPECT_EQ(turned_view(frame, 2).orientation, (Orientation{1, true}));
  EXPECT_EQ(turned_view(frame, 0).upright(), frame.upright());
  EXPECT_EQ(turned_view(frame, 1).upright(), (Size{7, 4}));
}

struct Case {
  FacesByTurn found;
  std::optional<int> turn;
  const char* what;
};

TEST(TurnedFaces, A4FewUprightAndManyTurnedTellTheTurn) {
  const std::vector<Case> cases{
      {{0, 0, 0, 0}, std::nullopt, "no face"},
      {{40, 17, 15, 18}, std::nullopt, "upright faces, of which a detector finds some turned"},
      {{17, 40, 18, 15}, 1, "a quarter turn to the left"},
      {{15, 17, 40, 18}, 2, "upside down"},
      {{15, 18, 17, 40}, 3, "a quarter turn to the right"},
      {{0, 2, 0, 0}, std::nullopt, "so few may be none"},
      {{0, 8, 0, 0}, 1, "one face all the time"},
      {{30, 31, 2, 2}, std::nullopt, "as many upright as lying"},
  };
  for (const Case& each : cases) EXPECT_EQ(turn_of_faces(each.found), each.turn) << each.what;
}

TEST(TurnedFaces, A4WordsNameTheFilterThatTurnsThemUpright) {
  EXPECT_EQ(turn_in_words(1).filter, "-vf transpose=clock");
  EXPECT_EQ(turn_in_words(2).filter, "-vf hflip,vflip");
  EXPECT_EQ(turn_in_words(3).filter, "-vf transpose=cclock");
}

}  // namespace
}  // namespace facepipe::detector
