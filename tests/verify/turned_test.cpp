// These tests check faces that are found only in turned pictures.
#include "verify/turned.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/fake_detector.h"
#include "tests/verify/pictures.h"
#include "verify/verifier.h"

namespace facepipe::verify {
namespace {

constexpr Size kPicture{240, 160};

/// Makes a detector find these faces if the picture is turned clockwise by `turns` quarters, and no
/// faces otherwise. `looks` counts its calls.
void find_in_turn(test::FakeDetectorFactory& detectors, int turns, const std::vector<Box>& faces,
                  int* looks = nullptr) {
  detectors.behaviour.candidates_of = [=](const Frame& frame) {
    if (looks != nullptr) ++*looks;
    Detections found;
    if (frame.orientation.quarter_turns == turns)
      for (const Box& face : faces) found.push_back(face, 0.9F);
    return found;
  };
}

TEST(TurnedSearch, A4BoxesAreThoseOfTheUprightPicture) {
  const Frame frame = test::frame_of(test::textured(kPicture, 4));
  // In the first case, the picture is turned clockwise by a quarter, so it is 160 pixels wide. Its
  // x increases from the bottom to the top of the upright picture.
  for (const auto& [turns, there, here] :
       {std::tuple{1, Box{10, 20, 40, 60}, Box{20, 120, 60, 150}},
        std::tuple{2, Box{10, 20, 40, 60}, Box{200, 100, 230, 140}},
        std::tuple{3, Box{10, 20, 40, 60}, Box{180, 10, 220, 40}}}) {
    test::FakeDetectorFactory detectors;
    find_in_turn(detectors, turns, {there});
    TurnedSearch looks(detectors);
    const Detections found = looks.find(frame, 0, {}, {});
    ASSERT_EQ(found.size(), 1U) << turns;
    EXPECT_EQ(found.boxes[0], here) << turns;
  }
}

TEST(TurnedSearch, A4LookAtAllPicturesWhileATurnShowsMore) {
  const Frame frame = test::frame_of(test::textured(kPicture, 4));
  test::FakeDetectorFactory detectors;
  int looks = 0;
  find_in_turn(detectors, 3, {{10, 20, 40, 60}, {80, 20, 110, 60}, {80, 90, 110, 130}}, &looks);
  TurnedSearch turned(detectors);
  EXPECT_EQ(turned.find(frame, 0, {}, {}).size(), 3U);
  EXPECT_EQ(looks, 3);
  EXPECT_EQ(turned.find(frame, 0.5, {}, {}).size(), 3U);
  EXPECT_EQ(looks, 4);  // only this turn was searched
  EXPECT_EQ(turned.faces(), (detector::FacesByTurn{0, 0, 0, 3}));
  EXPECT_EQ(detector::turn_of_faces(turned.faces()), 3);
  find_in_turn(detectors, 3, {}, &looks);
  EXPECT_EQ(turned.find(frame, 1.0, {}, {}).size(), 0U);
  EXPECT_EQ(looks, 7);
  EXPECT_EQ(turned.find(frame, 1.5, {}, {}).size(), 0U);
  EXPECT_EQ(looks, 7);  // no turn was searched
}

TEST(TurnedSearch, A4FacesThatStandUprightWantNoTurn) {
  const Frame frame = test::frame_of(test::textured(kPicture, 4));
  test::FakeDetectorFactory detectors;
  find_in_turn(detectors, 2, {{10, 20, 40, 60}});
  Detections upright;
  upright.push_back({200, 100, 230, 140}, 0.9F);  // the same face in the upright picture
  upright.push_back({20, 20, 50, 60}, 0.9F);
  TurnedSearch turned(detectors);
  static_cast<void>(turned.find(frame, 0, upright, {}));
  EXPECT_EQ(turned.faces(), (detector::FacesByTurn{2, 0, 1, 0}));
  EXPECT_EQ(detector::turn_of_faces(turned.faces()), std::nullopt);
  int looks = 0;
  find_in_turn(detectors, 2, {{10, 20, 40, 60}}, &looks);
  static_cast<void>(turned.find(frame, 0.5, upright, {}));
  EXPECT_EQ(looks, 0);
}

TEST(Verifier, A4AFaceThatIsOnlyFoundTurnedIsALeakWhereItIsShown) {
  test::FakeDetectorFactory none;
  test::FakeDetectorFactory detectors;
  find_in_turn(detectors, 1, {{10, 20, 40, 60}});
  const Grey picture = test::textured(kPicture, 4);
  Grey covered = picture;
  test::fill(covered, {10, 110, 70, 160}, 16);
  for (const bool hidden : {false, true}) {
    Verifier verifier({}, Looks({{&none}}), Looks({{&none}}), TurnedSearch(detectors));
    for (int i = 0; i < 4; ++i)
      verifier.push(
          {test::frame_of(picture), test::frame_of(hidden ? covered : picture), i, i / 25.0, false},
          {});
    const std::vector<Finding> found = verifier.finish();
    ASSERT_EQ(found.size(), hidden ? 0U : 1U);
    if (hidden) continue;
    EXPECT_EQ(found[0].kind, FindingKind::leak);
    EXPECT_EQ(found[0].frames, 4);
    EXPECT_EQ(found[0].clearest.box, (Box{20, 120, 60, 150}));
  }
}

}  // namespace
}  // namespace facepipe::verify
