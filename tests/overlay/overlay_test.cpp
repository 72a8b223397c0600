// These tests compare the rasteriser with a simple oracle. For each sample, the oracle turns the
// pixels of the sample's area upright, and looks up each of them in the plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/frame_record.h"
#include "overlay/overlay.h"
#include "overlay/plan.h"
#include "tests/overlay/formats.h"
#include "tests/support/test_frame.h"

namespace facepipe::overlay {
namespace {

using test::FormatCase;
using test::FrameSpec;
using test::PixelPlace;

constexpr OverlayStyle kEverything{true, true, true, true, true};
constexpr std::array<std::int64_t, 3> kTracks{12, kNoTrack, 4096};

Detections some_faces(Size upright) {
  const auto w = static_cast<float>(upright.width);
  const auto h = static_cast<float>(upright.height);
  Detections faces;
  const auto add = [&](Box box, float score) {
    Landmarks points;
    for (std::size_t i = 0; i < points.size(); ++i)
      points[i] = {box.x1 + box.width() * 0.2F * static_cast<float>(i),
                   box.y1 + box.height() * 0.23F * static_cast<float>(i)};
    faces.push_back(box, score, points);
  };
  add({w * 0.31F, h * 0.42F, w * 0.63F, h * 0.81F}, 0.93F);
  add({w * 0.55F, h * 0.35F, w * 0.71F, h * 0.52F}, 0.5F);
  add({-w * 0.1F, h * 0.7F, w * 0.2F, h * 1.2F}, 0.27F);
  add({w * 0.9F, -1.0F, w + 7.0F, h * 0.2F}, 0.08F);
  return faces;
}

bool covers(const OverlayPrimitive& primitive, PixelPlace place) {
  return primitive.area.x1 <= place.x && place.x < primitive.area.x2 &&
         primitive.area.y1 <= place.y && place.y < primitive.area.y2;
}

unsigned expected_luma(const OverlayPlan& plan, const PixelFormat& format, PixelPlace place,
                       unsigned before) {
  unsigned value = before;
  for (const OverlayPrimitive& primitive : plan.primitives) {
    if (!covers(primitive, place)) continue;
    const unsigned color = plan.colors[static_cast<std::size_t>(primitive.color)].y;
    if (primitive.texel == OverlayPrimitive::kFilled) {
      value = color;
      continue;
    }
    const int texel = primitive.texel + (place.y - primitive.area.y1) * plan.atlas->stride() +
                      (place.x - primitive.area.x1);
    const unsigned coverage = plan.atlas->coverage.at(static_cast<std::size_t>(texel));
    const unsigned old = value >> format.shift;
    if (coverage == 0) continue;
    value = ((old * (255 - coverage) + (color >> format.shift) * coverage + 127) / 255)
            << format.shift;
  }
  return value;
}

/// Returns the index of the topmost filled rectangle at an upright pixel, or -1 if there is none.
int filled_at(const OverlayPlan& plan, PixelPlace place) {
  int top = -1;
  for (std::size_t i = 0; i < plan.primitives.size(); ++i)
    if (plan.primitives[i].texel == OverlayPrimitive::kFilled && covers(plan.primitives[i], place))
      top = static_cast<int>(i);
  return top;
}

/// Says whether a single filled rectangle covers all pixels of a chroma sample, and which rectangle
/// this is.
struct CellPrimitive {
  bool whole = true;
  int primitive = -1;
};
CellPrimitive primitive_of_cell(const OverlayPlan& plan, const Frame& frame, int cx, int cy) {
  const int w = 1 << frame.format.log2_chroma_w;
  const int h = 1 << frame.format.log2_chroma_h;
  CellPrimitive found;
  bool first = true;
  for (int y = cy * h; y < (cy + 1) * h && y < frame.size.height; ++y)
    for (int x = cx * w; x < (cx + 1) * w && x < frame.size.width; ++x) {
      const int primitive =
          filled_at(plan, test::upright_place({x, y}, frame.size, frame.orientation));
      if (!first && primitive != found.primitive) found.whole = false;
      found.primitive = primitive;
      first = false;
    }
  return found;
}

/// Returns the number of wrong samples of plane `p`, on which the overlay is drawn as on luma.
int wrong_samples(const Frame& before, const Frame& after, const OverlayPlan& plan, std::size_t p) {
  int wrong = 0;
  for (int y = 0; y < after.size.height; ++y)
    for (int x = 0; x < after.size.width; ++x) {
      const PixelPlace place = test::upright_place({x, y}, after.size, after.orientation);
      const unsigned expected =
          expected_luma(plan, after.format, place, test::raw_sample(before, p, x, y));
      wrong += test::raw_sample(after, p, x, y) != expected ? 1 : 0;
    }
  return wrong;
}

int wrong_luma(const Frame& before, const Frame& after, const OverlayPlan& plan) {
  return wrong_samples(before, after, plan, 0);
}

/// Returns the number of wrong alpha samples. Alpha is drawn like luma, with the largest sample as
/// colour, so that a pixel becomes opaque where a glyph covers it.
int wrong_alpha(const Frame& before, const Frame& after, OverlayPlan plan) {
  if (!after.format.has_alpha) return 0;
  for (YuvColor& color : plan.colors) color.y = after.format.largest();
  return wrong_samples(before, after, plan, 3);
}

struct ChromaPlace {
  std::size_t plane;
  int column;
};
ChromaPlace chroma_place(const PixelFormat& format, int component, int cx) {
  if (format.semi_planar) return {1, 2 * cx + component};
  return {static_cast<std::size_t>(1 + component), cx};
}

int wrong_chroma(const Frame& before, const Frame& after, const OverlayPlan& plan) {
  if (!after.format.has_chroma) return 0;
  int wrong = 0;
  const Size size = after.chroma_size();
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const CellPrimitive cell = primitive_of_cell(plan, after, x, y);
      wrong += cell.whole ? 0 : 1;
      for (int component = 0; component < 2; ++component) {
        const auto [plane, column] = chroma_place(after.format, component, x);
        unsigned expected = test::raw_sample(before, plane, column, y);
        if (cell.primitive >= 0) {
          const OverlayPrimitive& primitive =
              plan.primitives[static_cast<std::size_t>(cell.primitive)];
          const YuvColor& color = plan.colors[static_cast<std::size_t>(primitive.color)];
          expected = component == 0 ? color.u : color.v;
        }
        wrong += test::raw_sample(after, plane, column, y) != expected ? 1 : 0;
      }
    }
  return wrong;
}

void expect_as_the_oracle(const FrameSpec& spec, const Detections& faces,
                          const OverlayStyle& style) {
  const Frame before = test::make_noise_frame(spec, 7);
  Frame after = test::make_noise_frame(spec, 7);
  draw_overlay(after, faces, style, kTracks);
  const OverlayPlan plan = plan_overlay(before, faces, style, kTracks);
  EXPECT_EQ(wrong_luma(before, after, plan), 0);
  EXPECT_EQ(wrong_chroma(before, after, plan), 0);
  EXPECT_EQ(wrong_alpha(before, after, plan), 0);
  EXPECT_EQ(test::wrong_padding(before, after, spec.alpha), 0);
}

std::string name_of(Orientation orientation) {
  return std::to_string(orientation.quarter_turns) + (orientation.mirrored ? " mirrored" : "");
}

class OverlayFormats : public testing::TestWithParam<FormatCase> {};

TEST_P(OverlayFormats, EverySampleIsAsTheOracleSays) {
  for (const Orientation orientation : test::all_orientations())
    for (const Size size : {Size{96, 64}, Size{75, 61}, Size{62, 93}}) {
      SCOPED_TRACE(name_of(orientation) + " " + std::to_string(size.width));
      FrameSpec spec{GetParam().format, size, orientation};
      spec.alpha = GetParam().alpha;
      expect_as_the_oracle(spec, some_faces(upright_size(size, orientation)), kEverything);
    }
}

TEST_P(OverlayFormats, TinyPicturesWork) {
  for (const Orientation orientation : test::all_orientations())
    for (const Size size : {Size{1, 1}, Size{2, 1}, Size{3, 5}, Size{18, 32}}) {
      SCOPED_TRACE(name_of(orientation) + " " + std::to_string(size.width));
      FrameSpec spec{GetParam().format, size, orientation};
      spec.alpha = GetParam().alpha;
      expect_as_the_oracle(spec, some_faces(upright_size(size, orientation)), kEverything);
    }
}

INSTANTIATE_TEST_SUITE_P(All, OverlayFormats, testing::ValuesIn(test::kFormats),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Overlay, TextReadsUprightInEveryOrientation) {
  const PixelFormat format{false, 0, 0, 8, 0, true};
  const Size upright{181, 117};
  Frame reference = test::make_noise_frame({format, upright}, 3);
  const Frame plain = test::make_noise_frame({format, upright}, 3);
  const Detections faces = some_faces(upright);
  draw_overlay(reference, faces, kEverything);

  for (const Orientation orientation : test::all_orientations()) {
    SCOPED_TRACE(name_of(orientation));
    const Size size = orientation.swaps_axes() ? Size{upright.height, upright.width} : upright;
    Frame turned = test::make_noise_frame({format, size, orientation}, 4);
    const auto for_each = [&](const auto& visit) {
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
          for (std::size_t p = 0; p < 3; ++p)
            visit(p, PixelPlace{x, y}, test::upright_place({x, y}, size, orientation));
    };
    for_each([&](std::size_t p, PixelPlace stored, PixelPlace place) {
      test::set_raw_sample(turned, p, stored.x, stored.y,
                           test::raw_sample(plain, p, place.x, place.y));
    });
    draw_overlay(turned, faces, kEverything);
    int wrong = 0;
    for_each([&](std::size_t p, PixelPlace stored, PixelPlace place) {
      wrong += test::raw_sample(turned, p, stored.x, stored.y) !=
                       test::raw_sample(reference, p, place.x, place.y)
                   ? 1
                   : 0;
    });
    EXPECT_EQ(wrong, 0);
  }
}

// In interlaced 4:2:0, chroma row 2k belongs to luma rows 4k and 4k + 2. Chroma row 2k + 1 belongs
// to luma rows 4k + 1 and 4k + 3. If a chroma sample has the line's colour, all its luma samples
// must have it, and vice versa.
TEST(Overlay, LinesKeepTheirColourInBothFieldsOfInterlacedPictures) {
  for (const Orientation orientation : test::all_orientations()) {
    SCOPED_TRACE(name_of(orientation));
    FrameSpec spec{{false, 1, 1, 8, 0, true}, {96, 64}, orientation};
    spec.field_order = FieldOrder::top_first;
    const Detections faces = some_faces(upright_size(spec.size, orientation));
    expect_as_the_oracle(spec, faces, kEverything);
    const Frame frame = test::make_noise_frame(spec, 1);
    const OverlayPlan plan = plan_overlay(frame, faces, kEverything);
    for (int y = 0; y < spec.size.height; y += 4)
      for (int x = 0; x < spec.size.width; ++x) {
        const auto primitive = [&](int row) {
          return filled_at(plan, test::upright_place({x, row}, spec.size, orientation));
        };
        for (int row = y; row < y + 4; ++row)
          ASSERT_EQ(primitive(row), primitive(y)) << x << "," << row;
      }
  }
}

// The planes are green, blue and red, so white text on a grey background has equal samples in all
// three.
TEST(Overlay, TextIsWhiteOnGreenBlueRedPlanes) {
  for (const int bits : {8, 12}) {
    FrameSpec spec{{false, 0, 0, bits, 0, true}, {160, 90}};
    spec.color.matrix = 0;
    spec.color.full_range = true;
    Frame frame = test::make_noise_frame(spec, 5);
    const OverlayStyle count{false, false, false, true};
    draw_overlay(frame, {}, count);
    const PixelRect background = plan_overlay(frame, {}, count).primitives.at(0).area;
    unsigned brightest = 0;
    for (int y = background.y1; y < background.y2; ++y)
      for (int x = background.x1; x < background.x2; ++x) {
        const unsigned green = test::raw_sample(frame, 0, x, y);
        ASSERT_EQ(test::raw_sample(frame, 1, x, y), green) << x << "," << y;
        ASSERT_EQ(test::raw_sample(frame, 2, x, y), green) << x << "," << y;
        brightest = std::max(brightest, green);
      }
    EXPECT_GT(brightest, (1U << bits) * 3 / 5);
  }
}

TEST(Overlay, OutlineLiesAroundTheBoxAndCloseToIt) {
  for (const FormatCase& format : test::kFormats) {
    SCOPED_TRACE(format.name);
    const FrameSpec spec{format.format, {120, 90}};
    const Frame before = test::make_noise_frame(spec, 9);
    Frame after = test::make_noise_frame(spec, 9);
    Detections faces;
    faces.push_back({40.3F, 30.6F, 71.2F, 66.9F}, 0.5F, {});
    draw_overlay(after, faces, {true, false, false, false});
    constexpr int kWidest = 4 + 2 * 3;  // the widest line and the edge of a chroma cell on both
                                        // sides
    for (int y = 0; y < 90; ++y)
      for (int x = 0; x < 120; ++x) {
        const bool inside = x >= 40 && x < 72 && y >= 30 && y < 67;
        const bool far =
            x < 40 - kWidest || x >= 72 + kWidest || y < 30 - kWidest || y >= 67 + kWidest;
        if (inside || far) {
          ASSERT_EQ(test::raw_sample(before, 0, x, y), test::raw_sample(after, 0, x, y))
              << x << "," << y;
        }
      }
    const unsigned color = plan_overlay(before, faces, {}).colors[0].y;
    const auto line_width = [&](int x, int y, int dx, int dy) {
      int width = 0;
      for (int i = 0; i < kWidest; ++i)
        width += test::raw_sample(after, 0, x + i * dx, y + i * dy) == color ? 1 : 0;
      return width;
    };
    EXPECT_GE(line_width(39, 50, -1, 0), 2);
    EXPECT_GE(line_width(72, 50, 1, 0), 2);
    EXPECT_GE(line_width(50, 29, 0, -1), 2);
    EXPECT_GE(line_width(50, 67, 0, 1), 2);
  }
}

TEST(Overlay, WithoutFacesOnlyTheCountIsDrawn) {
  const FrameSpec spec{{false, 1, 1, 8, 0, true}, {160, 90}};
  const Frame before = test::make_noise_frame(spec, 2);
  Frame after = test::make_noise_frame(spec, 2);
  draw_overlay(after, {}, {true, true, true, false});
  EXPECT_EQ(test::bytes_of(before), test::bytes_of(after));
  draw_overlay(after, {}, kEverything);
  EXPECT_NE(test::bytes_of(before), test::bytes_of(after));
}

TEST(Overlay, NoStyleDrawsNothing) {
  const FrameSpec spec{{false, 1, 1, 8, 0, true}, {160, 90}};
  const Frame before = test::make_noise_frame(spec, 2);
  Frame after = test::make_noise_frame(spec, 2);
  draw_overlay(after, some_faces({160, 90}), {false, false, false, false});
  EXPECT_EQ(test::bytes_of(before), test::bytes_of(after));
}

TEST(Overlay, RefusesAFrameOfAnotherDevice) {
  Frame frame = test::make_noise_frame({{}, {16, 16}}, 1);
  frame.device = {DeviceKind::cuda, 0};
  try {
    draw_overlay(frame, {}, {});
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_NE(std::string(error.what()).find("overlay"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("cuda:0"), std::string::npos);
  }
}

}  // namespace
}  // namespace facepipe::overlay
