// These tests check what the overlay's plan draws and where: sizes, places, and texts. They also
// use coordinates that no detector should return.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/frame_record.h"
#include "overlay/plan.h"
#include "tests/support/test_frame.h"

namespace facepipe::overlay {
namespace {

constexpr OverlayStyle kBoxes{true, false, false, false};
constexpr OverlayStyle kScores{false, true, false, false};
constexpr OverlayStyle kLandmarks{false, false, true, false};
constexpr OverlayStyle kCount{false, false, false, true};
constexpr OverlayStyle kEverything{true, true, true, true, true};
constexpr PixelFormat k444{false, 0, 0, 8, 0, true};
constexpr PixelFormat k420{false, 1, 1, 8, 0, true};

Frame empty_frame(PixelFormat format, Size size, Orientation orientation = {}) {
  Frame frame;
  frame.format = format;
  frame.size = size;
  frame.orientation = orientation;
  return frame;
}

Detections face(Box box, float score = 0.5F) {
  Detections faces;
  const Point middle{(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2};
  faces.push_back(box, score, {middle, middle, middle, middle, middle});
  return faces;
}

std::vector<PixelRect> areas(const OverlayPlan& plan, OverlayColor color) {
  std::vector<PixelRect> found;
  for (const OverlayPrimitive& primitive : plan.primitives)
    if (primitive.color == color) found.push_back(primitive.area);
  return found;
}

/// Returns the text that a plan draws, found by the columns of the glyphs in the atlas.
std::string written(const OverlayPlan& plan) {
  std::string text;
  for (const OverlayPrimitive& primitive : plan.primitives) {
    if (primitive.texel == OverlayPrimitive::kFilled) continue;
    const int column = primitive.texel % plan.atlas->stride();
    int glyph = 0;
    while (plan.atlas->columns[static_cast<std::size_t>(glyph) + 1] <= column) ++glyph;
    text += static_cast<char>(kFirstGlyph + glyph);
  }
  return text;
}

TEST(OverlayPlan, LineAndTextFollowTheShorterSide) {
  struct Case {
    Size size;
    PixelFormat format;
    int line;
    int text;
  };
  const std::vector<Case> cases{
      // Columns: picture, format, line width, text height.
      {{1920, 1080}, k444, 3, 24},
      {{1080, 1920}, k444, 3, 24},
      {{1920, 1080}, k420, 4, 24},  // line widths are whole chroma cells
      {{1280, 720}, k420, 2, 16},
      {{3840, 2160}, k444, 6, 48},
      {{320, 240}, k444, 2, 14},  // the smallest readable height
      {{1280, 720}, {false, 2, 2, 8, 0, true}, 4, 16},
      {{20000, 20000}, k444, 56, 192},
  };
  for (const Case& c : cases) {
    const Frame frame = empty_frame(c.format, c.size);
    const auto line =
        areas(plan_overlay(frame, face({100, 100, 200, 200}), kBoxes), OverlayColor::outline);
    ASSERT_EQ(line.size(), 4U);
    EXPECT_EQ(line[0].y2 - line[0].y1, c.line) << c.size.width;
    EXPECT_EQ(line[2].x2 - line[2].x1, c.line) << c.size.width;
    const auto text = areas(plan_overlay(frame, {}, kCount), OverlayColor::text);
    ASSERT_FALSE(text.empty());
    EXPECT_EQ(text[0].y2 - text[0].y1, c.text) << c.size.width;
  }
}

TEST(OverlayPlan, ScoreIsWrittenWithTwoDigits) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::pair<float, std::string>> cases{
      {0.87F, "0.87"}, {0.0F, "0.00"}, {0.004F, "0.00"}, {0.006F, "0.01"}, {0.996F, "1.00"},
      {1.0F, "1.00"},  {2.0F, "1.00"}, {-1.0F, "0.00"},  {nan, "0.00"},    {0.09F, "0.09"},
  };
  for (const auto& [score, text] : cases) {
    const Frame frame = empty_frame(k420, {640, 480});
    EXPECT_EQ(written(plan_overlay(frame, face({100, 100, 200, 200}, score), kScores)), text);
  }
}

TEST(OverlayPlan, CountIsWrittenInTheUprightTopLeftCorner) {
  for (const Orientation orientation : test::all_orientations()) {
    const Frame frame = empty_frame(k420, {641, 479}, orientation);
    Detections faces;
    EXPECT_EQ(written(plan_overlay(frame, faces, kCount)), "0 faces");
    faces.push_back({1, 1, 9, 9}, 0.5F, {});
    EXPECT_EQ(written(plan_overlay(frame, faces, kCount)), "1 face");
    for (int i = 0; i < 16; ++i) faces.push_back({1, 1, 9, 9}, 0.5F, {});
    const OverlayPlan plan = plan_overlay(frame, faces, kCount);
    EXPECT_EQ(written(plan), "17 faces");
    ASSERT_EQ(areas(plan, OverlayColor::background).size(), 1U);
    EXPECT_EQ(areas(plan, OverlayColor::background)[0].x1, 0);
    EXPECT_EQ(areas(plan, OverlayColor::background)[0].y1, 0);
  }
}

TEST(OverlayPlan, LabelStandsAboveTheBoxWhereThereIsRoom) {
  const Frame frame = empty_frame(k420, {640, 480});
  const OverlayPlan plan =
      plan_overlay(frame, face({100, 100, 200, 200}), {true, true, false, false});
  EXPECT_EQ(areas(plan, OverlayColor::background)[0].y2, areas(plan, OverlayColor::outline)[0].y1);
  EXPECT_EQ(areas(plan, OverlayColor::background)[0].x1, areas(plan, OverlayColor::outline)[0].x1);
}

TEST(OverlayPlan, LabelStandsInsideTheBoxAtTheTopOfThePicture) {
  const Frame frame = empty_frame(k420, {640, 480});
  const OverlayPlan plan =
      plan_overlay(frame, face({100, 10, 200, 200}), {true, true, false, false});
  EXPECT_EQ(areas(plan, OverlayColor::background)[0].y1, areas(plan, OverlayColor::outline)[0].y2);
  EXPECT_EQ(written(plan), "0.50");
}

TEST(OverlayPlan, LabelIsMovedIntoThePictureAtItsRight) {
  const Frame frame = empty_frame(k420, {640, 480});
  const OverlayPlan plan = plan_overlay(frame, face({630, 100, 640, 200}), kScores);
  const PixelRect background = areas(plan, OverlayColor::background).at(0);
  EXPECT_EQ(background.x2, 640);
  for (const PixelRect& glyph : areas(plan, OverlayColor::text)) {
    EXPECT_GE(glyph.x1, background.x1);
    EXPECT_LE(glyph.x2, background.x2);
    EXPECT_GE(glyph.y1, background.y1);
    EXPECT_LE(glyph.y2, background.y2);
  }
}

TEST(OverlayPlan, LabelOfTheFirstFaceLiesOnTop) {
  const Frame frame = empty_frame(k420, {640, 480});
  Detections faces = face({100, 100, 200, 200}, 0.9F);
  faces.push_back({100, 100, 200, 200}, 0.3F, {});
  EXPECT_EQ(written(plan_overlay(frame, faces, kScores)), "0.300.90");
}

TEST(OverlayPlan, IdsStandBeforeScores) {
  const Frame frame = empty_frame(k420, {640, 480});
  Detections faces = face({100, 100, 200, 200}, 0.9F);
  faces.push_back({300, 100, 400, 200}, 0.3F, {});
  const std::vector<std::int64_t> tracks{7, 1234};
  const OverlayStyle ids{.boxes = false, .ids = true};
  const OverlayStyle both{.boxes = false, .scores = true, .ids = true};
  EXPECT_TRUE(ids.any());
  EXPECT_EQ(written(plan_overlay(frame, faces, ids, tracks)), "#1234#7");
  EXPECT_EQ(written(plan_overlay(frame, faces, both, tracks)), "#1234 0.30#7 0.90");
  EXPECT_EQ(written(plan_overlay(frame, faces, kScores, tracks)), "0.300.90");
}

TEST(OverlayPlan, AFaceWithoutATrackHasNoId) {
  const Frame frame = empty_frame(k420, {640, 480});
  const Detections faces = face({100, 100, 200, 200}, 0.9F);
  const OverlayStyle ids{.boxes = false, .ids = true};
  const OverlayStyle both{.boxes = false, .scores = true, .ids = true};
  const std::vector<std::int64_t> none{kNoTrack};
  EXPECT_TRUE(plan_overlay(frame, faces, ids, none).primitives.empty());
  EXPECT_TRUE(plan_overlay(frame, faces, ids).primitives.empty());
  EXPECT_EQ(written(plan_overlay(frame, faces, both, none)), "0.90");
}

TEST(OverlayPlan, FacesWithoutLandmarksHaveNoDots) {
  const Frame frame = empty_frame(k420, {640, 480});
  Detections faces;
  faces.push_back({100, 100, 200, 200}, 0.9F);
  EXPECT_TRUE(plan_overlay(frame, faces, kLandmarks).primitives.empty());
  const OverlayPlan plan = plan_overlay(frame, faces, kEverything);
  EXPECT_TRUE(areas(plan, OverlayColor::dot).empty());
  EXPECT_EQ(areas(plan, OverlayColor::outline).size(), 4U);
  EXPECT_EQ(written(plan), "0.901 face");
}

TEST(OverlayPlan, DotsOfASmallFaceAreSmall) {
  const Frame frame = empty_frame(k420, {1920, 1080});
  const auto side = [&](float width) {
    const auto dots = areas(plan_overlay(frame, face({100, 100, 100 + width, 200}), kLandmarks),
                            OverlayColor::dot);
    int widest = 0;
    for (const PixelRect& dot : dots) widest = std::max(widest, dot.x2 - dot.x1);
    return widest;
  };
  EXPECT_EQ(side(8), 2);
  EXPECT_EQ(side(400), 8);
}

TEST(OverlayPlan, BoxBeyondThePictureIsClosedAtItsBorder) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const Box& box : {Box{-50, -70, 900, 800}, Box{-inf, -inf, inf, inf}}) {
    const Frame frame = empty_frame(k420, {641, 479});
    const auto line = areas(plan_overlay(frame, face(box), kBoxes), OverlayColor::outline);
    ASSERT_EQ(line.size(), 4U);
    EXPECT_EQ(line[0].y1, 0);
    EXPECT_EQ(line[1].y2, 479);
    EXPECT_EQ(line[2].x1, 0);
    EXPECT_EQ(line[3].x2, 641);
  }
}

TEST(OverlayPlan, FacesThatAreNoneDrawNothing) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const float huge = std::numeric_limits<float>::max();
  const std::vector<std::pair<const char*, Box>> refused{
      // Columns: reason, box.
      {"NaN", {nan, 10, 20, 20}},
      {"NaN", {10, nan, 20, 20}},
      {"NaN", {10, 10, nan, 20}},
      {"NaN", {10, 10, 20, nan}},
      {"no width", {10, 10, 10, 20}},
      {"no height", {10, 10, 20, 10}},
      {"turned round", {20, 20, 10, 10}},
      {"left of the picture", {-30, 10, 0, 20}},
      {"right of it", {100, 10, 130, 20}},
      {"above it", {10, -30, 20, 0}},
      {"below it", {10, 80, 20, 90}},
      {"at infinity", {inf, inf, inf, inf}},
      {"at minus infinity", {-inf, -inf, -inf, -inf}},
      {"far away", {huge, huge, huge, huge}},
  };
  for (const auto& [why, box] : refused)
    EXPECT_TRUE(plan_overlay(empty_frame(k420, {100, 80}), face(box), {true, true, true, false})
                    .primitives.empty())
        << why;
}

/// Boxes with all combinations of extreme coordinates are drawn in all formats, orientations and
/// small sizes.
TEST(OverlayPlan, NoCoordinateLeavesThePictureOrTheAtlas) {
  const float inf = std::numeric_limits<float>::infinity();
  const float huge = std::numeric_limits<float>::max();
  const std::vector<float> values{std::nanf(""), -inf,   -huge, -2147483904.0F, -1.0F, -0.0F,
                                  1e-40F,        0.999F, 7.5F,  2147483648.0F,  huge,  inf};
  Detections faces;
  std::size_t next = 0;
  for (const float x1 : values)
    for (const float y1 : values)
      for (const float x2 : values) {
        const float y2 = values[(next++ * 7) % values.size()];
        faces.push_back({x1, y1, x2, y2}, x1, {{{x1, y1}, {x2, y2}, {y1, x2}, {y2, x1}, {x1, x1}}});
      }
  for (const Orientation orientation : test::all_orientations())
    for (const Size size : {Size{1, 1}, Size{18, 32}, Size{75, 40}})
      for (const PixelFormat& format : {k420, k444, PixelFormat{false, 2, 2, 8, 0, true}}) {
        const Frame frame = empty_frame(format, size, orientation);
        const OverlayPlan plan = plan_overlay(frame, faces, kEverything);
        const Size upright = frame.upright();
        for (const OverlayPrimitive& primitive : plan.primitives) {
          ASSERT_FALSE(primitive.area.empty());
          ASSERT_GE(primitive.area.x1, 0);
          ASSERT_GE(primitive.area.y1, 0);
          ASSERT_LE(primitive.area.x2, upright.width);
          ASSERT_LE(primitive.area.y2, upright.height);
          if (primitive.texel == OverlayPrimitive::kFilled) continue;
          const int last = primitive.texel +
                           (primitive.area.y2 - primitive.area.y1 - 1) * plan.atlas->stride() +
                           (primitive.area.x2 - primitive.area.x1 - 1);
          ASSERT_GE(primitive.texel, 0);
          ASSERT_LT(static_cast<std::size_t>(last), plan.atlas->coverage.size());
        }
      }
}

TEST(OverlayPlan, StoredMapIsTheWayBackFromUpright) {
  const Size stored{7, 5};
  for (const Orientation orientation : test::all_orientations()) {
    const StoredMap map = stored_map(stored, orientation);
    for (int y = 0; y < stored.height; ++y)
      for (int x = 0; x < stored.width; ++x) {
        const auto up = test::upright_place({x, y}, stored, orientation);
        EXPECT_EQ(map({up.x, up.y, up.x + 1, up.y + 1}), (PixelRect{x, y, x + 1, y + 1}));
      }
  }
}

/// Returns the texels of a glyph, row by row.
std::string texels(const GlyphAtlas& atlas, char character) {
  const auto glyph = static_cast<std::size_t>(glyph_of(character));
  const auto stride = static_cast<std::size_t>(atlas.stride());
  std::string shape;
  for (std::size_t row = 0; row < atlas.coverage.size(); row += stride)
    for (int column = atlas.columns[glyph]; column < atlas.columns[glyph + 1]; ++column)
      shape += static_cast<char>(atlas.coverage[row + static_cast<std::size_t>(column)]);
  return shape;
}

int strongest(const std::string& shape) {
  int most = 0;
  for (const char texel : shape) most = std::max<int>(most, static_cast<unsigned char>(texel));
  return most;
}

TEST(GlyphAtlas, LettersAreThereAndDiffer) {
  // The letter I is missing, because it is the same stroke as the letter l.
  const std::string characters = "0123456789.ABCDEFGHJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  for (const int height : {14, 15, 24, 48, 192}) {
    const auto atlas = glyph_atlas(height);
    EXPECT_EQ(atlas->height, height);
    std::vector<std::string> shapes;
    for (const char character : characters) shapes.push_back(texels(*atlas, character));
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      EXPECT_GT(strongest(shapes[i]), 160) << characters[i] << " " << height;
      const auto first_row = static_cast<std::size_t>(atlas->advance(glyph_of(characters[i])));
      EXPECT_EQ(strongest(shapes[i].substr(0, first_row)), 0) << characters[i] << " " << height;
    }
    EXPECT_EQ(strongest(texels(*atlas, ' ')), 0);
    std::sort(shapes.begin(), shapes.end());
    EXPECT_EQ(std::adjacent_find(shapes.begin(), shapes.end()), shapes.end());
    for (const char digit : characters.substr(0, 10))
      EXPECT_EQ(atlas->advance(glyph_of(digit)), atlas->advance(glyph_of('0')));
  }
}

TEST(GlyphAtlas, IsSharedByFramesOfOneSizeAndKnowsOnlyAscii) {
  EXPECT_EQ(glyph_atlas(24), glyph_atlas(24));
  EXPECT_EQ(glyph_of('\n'), glyph_of('?'));
  EXPECT_EQ(glyph_of('\xe4'), glyph_of('?'));
  EXPECT_EQ(glyph_atlas(24)->width("00"), 2 * glyph_atlas(24)->advance(glyph_of('0')));
}

}  // namespace
}  // namespace facepipe::overlay
