// These tests check the crops of second looks, and the scores that they give.
#include "detector/second_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "detector/cnn/cpu/crop_sheet.h"
#include "detector/turned_faces.h"
#include "tests/support/fake_detector.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

/// Makes a grey frame with a bright square.
Frame frame_with_square(Size size, const Box& square) {
  Frame frame = test::make_noise_frame({{}, size}, 1);
  for (std::size_t p = 0; p < 3; ++p)
    for (int y = 0; y < test::rows(frame, p); ++y)
      for (int x = 0; x < test::row_samples(frame, p, false); ++x) {
        const auto at_x = static_cast<float>(x);
        const auto at_y = static_cast<float>(y);
        const bool bright = p == 0 && at_x >= square.x1 && at_x < square.x2 && at_y >= square.y1 &&
                            at_y < square.y2;
        test::set_raw_sample(frame, p, x, y, p > 0 ? 128 : bright ? 235 : 60);
      }
  return frame;
}

/// Returns the green sample of the sheet at a place.
unsigned green(CropSheet& sheet, float x, float y) {
  return test::raw_sample(sheet.frame(), 0, static_cast<int>(x), static_cast<int>(y));
}

TEST(CropSheet, ShowsEachFaceAtTheSameSize) {
  for (const float side : {16.0F, 40.0F, 90.0F, 300.0F}) {
    const Box face{200, 100, 200 + side, 100 + side};
    const Frame frame = frame_with_square({640, 480}, face);
    CropSheet sheet;
    for (std::size_t place = 0; place < CropSheet::kPlaces; ++place) {
      const Box there = sheet.draw(frame, face, place);
      EXPECT_NEAR(there.width(), kFaceSide, 1.5F) << side;
      EXPECT_NEAR(there.height(), kFaceSide, 1.5F) << side;
      EXPECT_EQ(static_cast<std::size_t>(there.x1 / kCropSide), place % 2);
      EXPECT_EQ(static_cast<std::size_t>(there.y1 / kCropSide), place / 2);
      EXPECT_GT(green(sheet, there.x1 + 4, there.y1 + 4), 200U) << side;
      EXPECT_GT(green(sheet, there.x2 - 4, there.y2 - 4), 200U) << side;
      EXPECT_LT(green(sheet, there.x1 - 5, there.y1 + 4), 80U) << side;
      EXPECT_LT(green(sheet, there.x2 + 5, there.y2 - 4), 80U) << side;
    }
  }
}

TEST(CropSheet, IsBlackBeyondThePicture) {
  const Box face{2, 2, 42, 42};
  const Frame frame = frame_with_square({200, 120}, face);
  CropSheet sheet;
  const Box there = sheet.draw(frame, face, 0);
  EXPECT_EQ(green(sheet, there.x1 - 20, there.y1 + 20), 0U);
  EXPECT_GT(green(sheet, there.x1 + 4, there.y1 + 4), 200U);
  EXPECT_LT(green(sheet, there.x2 + 5, there.y2 + 5), 80U);
  EXPECT_GT(green(sheet, there.x2 + 5, there.y2 + 5), 30U);
}

TEST(CropSheet, TurnsTheStoredPictureUpright) {
  const Size stored{302, 202};  // turned, its parts begin within a sample of chroma
  const Box square{100, 60, 140, 100};
  Frame frame = frame_with_square(stored, square);
  for (const Orientation orientation : test::all_orientations()) {
    frame.orientation = orientation;
    const auto a = test::upright_place({100, 60}, stored, orientation);
    const auto b = test::upright_place({139, 99}, stored, orientation);
    const Box face{static_cast<float>(std::min(a.x, b.x)), static_cast<float>(std::min(a.y, b.y)),
                   static_cast<float>(std::max(a.x, b.x) + 1),
                   static_cast<float>(std::max(a.y, b.y) + 1)};
    CropSheet sheet;
    const Box there = sheet.draw(frame, face, 3);
    EXPECT_GT(green(sheet, there.x1 + 4, there.y1 + 4), 200U);
    EXPECT_GT(green(sheet, there.x2 - 5, there.y2 - 5), 200U);
    EXPECT_LT(green(sheet, there.x1 - 5, there.y1 + 4), 80U);
    EXPECT_LT(green(sheet, there.x2 + 5, there.y2 - 4), 80U);
  }
}

TEST(CropSheet, TakesBoxesOfAllShapesAndPlaces) {
  const Frame frame = frame_with_square({321, 203}, {});
  CropSheet sheet;
  for (const Box& face : {Box{0, 0, 321, 203}, Box{320.5F, 202.5F, 320.9F, 202.9F},
                          Box{0, 100, 321, 100.5F}, Box{160, 0, 160.25F, 203},
                          Box{-3000, -2000, 4000, 3000}, Box{319, 0, 4000, 5}, Box{0, 0, 1, 1}}) {
    const Box there = sheet.draw(frame, face, 1);
    EXPECT_TRUE(std::isfinite(there.x1) && std::isfinite(there.y1) && std::isfinite(there.x2) &&
                std::isfinite(there.y2));
    EXPECT_LT(there.x1, there.x2);
    EXPECT_LT(there.y1, there.y2);
  }
}

TEST(SecondLook, GivesEachFaceTheBestScoreAtItsPlace) {
  test::FakeBehaviour behaviour;
  // The sheet is searched twice. In the first run, the places 0 and 3 show something.
  int runs = 0;
  behaviour.candidates_of = [&](const Frame& sheet) {
    EXPECT_EQ(sheet.size, CropSheet::kSize);
    EXPECT_EQ(sheet.index, 7 + runs) << "a turned look at the sheet turns it by this number";
    Detections found;
    if (runs++ > 0) return found;
    found.push_back({62, 60, 100, 100}, 0.2F);
    found.push_back({60, 60, 100, 98}, 0.7F);
    found.push_back({90, 90, 130, 130}, 0.9F);  // beside the face
    found.push_back({220, 220, 260, 260}, 0.4F);
    return found;
  };
  SecondLook look(std::make_shared<test::FakeDetector>(behaviour, CropSheet::kSize));
  Frame frame = frame_with_square({640, 480}, {});
  frame.index = 7;
  const std::vector<Box> faces(5, Box{300, 200, 340, 240});
  EXPECT_EQ(look.scores_of(frame, faces, {}), (std::vector<float>{0.7F, 0, 0, 0.4F, 0}));
  EXPECT_EQ(runs, 2);
}

TEST(SecondLook, IsOnlyForCenterface) {
  test::FakeDetectorFactory other;
  EXPECT_EQ(SecondLook::make(other), nullptr);
}

}  // namespace
}  // namespace facepipe::detector
