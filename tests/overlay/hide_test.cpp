// These tests compare hidden faces with the oracle, sample by sample. They also check what must be
// true for every style.
#include "overlay/hide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/overlay/formats.h"
#include "tests/overlay/hide_cases.h"
#include "tests/overlay/hide_oracle.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_frame.h"

namespace facepipe::overlay {
namespace {

using test::FormatCase;
using test::FrameSpec;
using test::HideCase;
using test::HideOracle;
using test::Masked;
using test::OraclePlane;

FrameSpec spec_of(const FormatCase& format, Size size, Orientation orientation) {
  FrameSpec spec{format.format, size, orientation};
  spec.alpha = format.alpha;
  return spec;
}

/// Returns by how much rounding can change a value from the oracle's, in steps of a sample.
double tolerance(const HideOptions& options, const PixelFormat& format, int layers) {
  constexpr double kRounding = 0.5;
  switch (options.style) {
    case HideStyle::solid:
    case HideStyle::mosaic:
      return 0;
    // Each of six means has an error of at most 0.7 steps of 16-bit samples.
    case HideStyle::blur:
      return layers * (kRounding + 6 * 0.7 * std::exp2(format.bits - 16));
    // Positions in the image are rounded to 1/256 of a pixel on both axes.
    case HideStyle::image:
      return kRounding + 2 * std::exp2(format.bits) / 256;
  }
  return 0;
}

/// Returns the number of samples that differ from the oracle. A sample that the oracle calls
/// `maybe` may be unchanged.
int wrong_samples(const Frame& before, const Frame& after, HideOracle& oracle, double tolerance) {
  int wrong = 0;
  for (std::size_t c = 0; c < oracle.planes.size(); ++c) {
    OraclePlane& plane = oracle.planes[c];
    for (int y = 0; y < plane.height; ++y)
      for (int x = 0; x < plane.width; ++x) {
        const Masked masked = oracle.masked[c][static_cast<std::size_t>(y * plane.width + x)];
        const unsigned now = test::component_sample(after, c, x, y);
        const bool unchanged = now == test::component_sample(before, c, x, y);
        const unsigned sample = now >> after.format.shift;
        // The bits below the sample's bits must be 0.
        const bool hidden = sample << after.format.shift == now &&
                            std::abs(sample - plane.at(x, y)) <= tolerance + 1e-6;
        wrong += (masked != Masked::no && hidden) || (masked != Masked::yes && unchanged) ? 0 : 1;
      }
  }
  return wrong;
}

/// Returns the number of wrong alpha samples: they must be opaque under a mask, and unchanged
/// elsewhere.
int wrong_alpha(const Frame& before, const Frame& after, const std::vector<Masked>& of_luma) {
  if (!after.format.has_alpha) return 0;
  const unsigned opaque = ((1U << after.format.bits) - 1) << after.format.shift;
  int wrong = 0;
  for (int y = 0; y < after.size.height; ++y)
    for (int x = 0; x < after.size.width; ++x) {
      const Masked masked = of_luma[static_cast<std::size_t>(y * after.size.width + x)];
      const unsigned now = test::raw_sample(after, 3, x, y);
      const bool hidden = now == opaque;
      const bool unchanged = now == test::raw_sample(before, 3, x, y);
      wrong += (masked != Masked::no && hidden) || (masked != Masked::yes && unchanged) ? 0 : 1;
    }
  return wrong;
}

void expect_as_the_oracle(const FrameSpec& spec, const HideCase& faces,
                          const HideOptions& options) {
  SCOPED_TRACE(faces.name + ", " + test::name_of(options.style) +
               (options.shape == MaskShape::ellipse ? ", ellipse, " : ", box, ") +
               to_string(spec.size) + ", turned " + std::to_string(spec.orientation.quarter_turns) +
               (spec.orientation.mirrored ? " mirrored" : ""));
  const Frame before = test::make_noise_frame(spec, 7);
  Frame after = test::make_noise_frame(spec, 7);
  FaceHider(options).hide(after, faces.faces);
  HideOracle oracle = test::hidden_by_oracle(before, faces.faces, options);
  EXPECT_EQ(wrong_samples(before, after, oracle, tolerance(options, spec.format, oracle.layers)),
            0);
  EXPECT_EQ(wrong_alpha(before, after, oracle.masked[0]), 0);
  EXPECT_EQ(test::wrong_padding(before, after, spec.alpha), 0);
}

/// Returns whether the oracle can compute the result. It can't compute blurs and images in endless
/// masks, which depend on where the mask is cut off. It also can't compute images that are halved
/// first, because the mask is smaller than half the image.
bool oracle_knows(const FrameSpec& spec, const HideCase& faces, const HideOptions& options) {
  if (options.style != HideStyle::blur && options.style != HideStyle::image) return true;
  if (faces.name == "endless") return false;
  if (options.style == HideStyle::blur) return true;
  const test::MaskOracle mask(test::make_noise_frame(spec, 7), faces.faces.at(0), options);
  return mask.whole_x2 - mask.whole_x1 > 2 || mask.whole_y2 - mask.whole_y1 > 2;
}

void expect_single_faces_as_the_oracle(const FrameSpec& spec) {
  for (const HideCase& faces : test::single_faces(upright_size(spec.size, spec.orientation)))
    for (const HideStyle style : test::kHideStyles)
      for (const MaskShape shape : {MaskShape::box, MaskShape::ellipse}) {
        const HideOptions options = test::options_of(style, shape);
        if (oracle_knows(spec, faces, options)) expect_as_the_oracle(spec, faces, options);
      }
}

class HideFormats : public testing::TestWithParam<FormatCase> {};

TEST_P(HideFormats, EverySampleIsAsTheOracleSays) {
  expect_single_faces_as_the_oracle(spec_of(GetParam(), {75, 61}, {}));
  expect_single_faces_as_the_oracle(spec_of(GetParam(), {62, 93}, {1, true}));
}

TEST_P(HideFormats, TinyPicturesWork) {
  for (const Orientation orientation : {Orientation{}, Orientation{3, false}})
    for (const Size size : {Size{1, 1}, Size{2, 1}, Size{3, 5}})
      expect_single_faces_as_the_oracle(spec_of(GetParam(), size, orientation));
}

TEST_P(HideFormats, SeveralFacesAreHiddenByRisingArea) {
  const FrameSpec spec = spec_of(GetParam(), {81, 96}, {2, false});
  for (const HideCase& faces : test::several_faces(spec.size)) {
    for (const HideStyle style : test::kHideStyles)
      expect_as_the_oracle(spec, faces, test::options_of(style, MaskShape::box));
    expect_as_the_oracle(spec, faces, test::options_of(HideStyle::solid, MaskShape::ellipse));
  }
}

TEST_P(HideFormats, WholeFramesAreOneColour) {
  for (const Size size : {Size{1, 1}, Size{75, 61}}) {
    const FrameSpec spec = spec_of(GetParam(), size, {1, false});
    const Frame before = test::make_noise_frame(spec, 7);
    Frame after = test::make_noise_frame(spec, 7);
    const Rgb color{0.1, 0.2, 0.8};
    hide_all(after, color);
    const YuvColor yuv = yuv_color(color, spec.format, spec.color, size);
    const unsigned expected[]{yuv.y, yuv.u, yuv.v};
    const std::vector<OraclePlane> planes = test::planes_of(after);
    for (std::size_t c = 0; c < planes.size(); ++c)
      for (const double sample : planes[c].samples)
        ASSERT_EQ(sample, expected[c] >> spec.format.shift);
    const std::vector<Masked> all(static_cast<std::size_t>(size.width * size.height), Masked::yes);
    EXPECT_EQ(wrong_alpha(before, after, all), 0);
    EXPECT_EQ(test::wrong_padding(before, after, spec.alpha), 0);
  }
}

TEST(Hide, MasksFollowEveryOrientation) {
  for (std::size_t format = 0; format < 2; ++format)
    for (const Orientation orientation : test::all_orientations())
      expect_single_faces_as_the_oracle(spec_of(test::kFormats[format], {75, 62}, orientation));
}

TEST(Hide, MasksCoverChromaCellsOfBothFields) {
  FrameSpec spec = spec_of(test::kFormats[0], {75, 62}, {});
  spec.field_order = FieldOrder::top_first;
  expect_single_faces_as_the_oracle(spec);
  spec.orientation = {3, false};
  expect_single_faces_as_the_oracle(spec);
}

TEST(Hide, ColoursAreTheFramesOwn) {
  for (const bool full_range : {false, true})
    for (const int matrix : {ColorInfo::kIdentityMatrix, 1, 9}) {
      FrameSpec spec{{false, 0, 0, 10, 0, true}, {75, 62}};
      spec.color.full_range = full_range;
      spec.color.matrix = matrix;
      expect_single_faces_as_the_oracle(spec);
    }
}

TEST(Hide, TheOrderOfFacesMakesNoDifference) {
  for (const HideStyle style : test::kHideStyles)
    for (const MaskShape shape : {MaskShape::box, MaskShape::ellipse}) {
      SCOPED_TRACE(test::name_of(style));
      const FrameSpec spec{{}, {160, 120}};
      std::vector<Box> faces = test::crowd(spec.size, 40, 5);
      FaceHider hider(test::options_of(style, shape));
      Frame first = test::make_noise_frame(spec, 7);
      hider.hide(first, faces);
      std::mt19937 random(3);
      for (int i = 0; i < 5; ++i) {
        std::ranges::shuffle(faces, random);
        Frame again = test::make_noise_frame(spec, 7);
        hider.hide(again, faces);
        EXPECT_EQ(test::bytes_of(first), test::bytes_of(again));
      }
    }
}

/// Holds the number of samples that the oracle masks, and how many of these differ between two
/// frames.
struct Compared {
  int masked = 0;
  int different = 0;
};
Compared compare_masked(const Frame& one, const Frame& other, const HideOracle& oracle) {
  Compared compared;
  for (std::size_t c = 0; c < oracle.planes.size(); ++c)
    for (std::size_t i = 0; i < oracle.masked[c].size(); ++i) {
      if (oracle.masked[c][i] != Masked::yes) continue;
      const int x = static_cast<int>(i) % oracle.planes[c].width;
      const int y = static_cast<int>(i) / oracle.planes[c].width;
      const bool equal =
          test::component_sample(one, c, x, y) == test::component_sample(other, c, x, y);
      ++compared.masked;
      compared.different += equal ? 0 : 1;
    }
  return compared;
}

// With these styles, two different pictures become equal under the masks.
TEST_P(HideFormats, SolidAndImageLeaveNothingOfThePicture) {
  const FrameSpec spec = spec_of(GetParam(), {161, 121}, {});
  const std::vector<Box> faces = test::crowd(spec.size, 12, 9);
  for (const HideStyle style : {HideStyle::solid, HideStyle::image})
    for (const MaskShape shape : {MaskShape::box, MaskShape::ellipse}) {
      Frame one = test::make_noise_frame(spec, 1);
      Frame other = test::make_noise_frame(spec, 2);
      const HideOracle masks =
          test::hidden_by_oracle(one, faces, test::options_of(HideStyle::solid, shape));
      FaceHider hider(test::options_of(style, shape));
      hider.hide(one, faces);
      hider.hide(other, faces);
      const Compared compared = compare_masked(one, other, masks);
      EXPECT_EQ(compared.different, 0);
      EXPECT_GT(compared.masked, 1000);
    }
}

INSTANTIATE_TEST_SUITE_P(All, HideFormats, testing::ValuesIn(test::kFormats),
                         [](const auto& test) { return std::string(test.param.name); });

// The black and white stripes are two pixels wide, so that any sharp pixel shows them.
TEST(Hide, BlursLeaveNoDetailEvenWhereTheyOverlap) {
  const FrameSpec spec{{false, 0, 0, 8, 0, true}, {200, 150}};
  Frame frame = test::make_noise_frame(spec, 7);
  for (int y = 0; y < 150; ++y)
    for (int x = 0; x < 200; ++x) test::set_raw_sample(frame, 0, x, y, x / 2 % 2 == 0 ? 20 : 220);
  const std::vector<Box> faces{{60, 50, 100, 100}, {80, 60, 125, 110}, {50, 70, 85, 120}};
  const HideOptions options = test::options_of(HideStyle::blur, MaskShape::box);
  const HideOracle oracle = test::hidden_by_oracle(frame, faces, options);
  FaceHider(options).hide(frame, faces);
  for (int y = 0; y < 150; ++y)
    for (int x = 0; x < 200; ++x) {
      if (oracle.masked[0][static_cast<std::size_t>(y * 200 + x)] != Masked::yes) continue;
      const int sample = static_cast<int>(test::raw_sample(frame, 0, x, y));
      ASSERT_NEAR(sample, 120, 25) << x << "," << y;
    }
}

TEST(Hide, LargeImagesAreHalvedBeforeTheyAreShrunk) {
  // One of four columns is white. Without halving the image first, all samples would be taken
  // between black columns.
  RgbaImage board{{256, 256}, {}};
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x)
      for (int i = 0; i < 4; ++i) board.bytes.push_back(i == 3 || x % 4 == 3 ? 255 : 0);
  HideOptions options = test::options_of(HideStyle::image, MaskShape::box);
  options.image = std::make_shared<RgbaImage>(std::move(board));
  options.grow = 0;
  FrameSpec spec{{false, 0, 0, 8, 0, true}, {64, 64}};
  spec.color.full_range = true;
  Frame frame = test::make_noise_frame(spec, 7);
  FaceHider(options).hide(frame, std::vector<Box>{{0, 0, 64, 64}});
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) ASSERT_NEAR(test::raw_sample(frame, 0, x, y), 64, 1);
}

TEST(Hide, AnImageIsConvertedAnewForAnotherKindOfFrame) {
  const HideOptions options = test::options_of(HideStyle::image, MaskShape::box);
  FaceHider kept(options);
  const std::vector<Box> faces{{10, 10, 40, 40}};
  std::vector<FrameSpec> specs{{{}, {64, 48}}, {{false, 1, 1, 10, 0, true}, {64, 48}}};
  specs.push_back(specs.front());
  specs.back().color.full_range = true;
  specs.push_back(specs.back());
  specs.back().orientation = {1, false};
  specs.push_back({{}, {1280, 720}});  // this size has another matrix, because the frame has no tag
                                       // for the matrix
  for (const FrameSpec& spec : specs) {
    Frame one = test::make_noise_frame(spec, 1);
    Frame other = test::make_noise_frame(spec, 1);
    kept.hide(one, faces);
    FaceHider(options).hide(other, faces);
    EXPECT_EQ(test::bytes_of(one), test::bytes_of(other));
  }
}

// A hider keeps memory between frames, for example for blurs. It must not affect the next frame.
TEST(Hide, NothingOfOneFrameShowsOnTheNext) {
  for (const HideStyle style : test::kHideStyles)
    for (const MaskShape shape : {MaskShape::box, MaskShape::ellipse}) {
      FaceHider kept(test::options_of(style, shape));
      for (unsigned i = 0; i < 8; ++i) {  // large and small frames alternate
        const Size size{161 - 40 * static_cast<int>(i % 3), 121 - 30 * static_cast<int>(i % 2)};
        const std::vector<Box> faces = test::crowd(size, 5, i);
        Frame one = test::make_noise_frame({{}, size}, i);
        Frame other = test::make_noise_frame({{}, size}, i);
        kept.hide(one, faces);
        FaceHider(test::options_of(style, shape)).hide(other, faces);
        EXPECT_EQ(test::bytes_of(one), test::bytes_of(other)) << test::name_of(style);
      }
    }
}

// The two frames differ only within one mask. They must be equal after this mask is filled, and
// stay equal.
TEST(Hide, ASecondCallShowsNothingThatTheFirstHid) {
  const FrameSpec spec{{}, {161, 121}};
  const std::vector<Box> first{{50, 40, 80, 80}};
  const std::vector<Box> second{{65, 60, 100, 110}, {55, 45, 60, 50}};
  const HideOptions solid = test::options_of(HideStyle::solid, MaskShape::box);
  for (const HideStyle style : test::kHideStyles) {
    Frame one = test::make_noise_frame(spec, 1);
    Frame other = test::make_noise_frame(spec, 1);
    FaceHider(test::options_of(HideStyle::image, MaskShape::box)).hide(other, first);
    ASSERT_NE(test::bytes_of(one), test::bytes_of(other));
    for (Frame* const frame : {&one, &other}) {
      FaceHider(solid).hide(*frame, first);
      FaceHider(test::options_of(style, MaskShape::ellipse)).hide(*frame, second);
    }
    EXPECT_EQ(test::bytes_of(one), test::bytes_of(other)) << test::name_of(style);
  }
}

TEST(Hide, WhatCantBeHiddenIsRefusedAndNothingIsChanged) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  struct Refused {
    const char* why;
    ErrorKind kind;
    std::vector<Box> faces;
  };
  const Box good{1, 2, 30, 40};
  const std::vector<Refused> table{
      {"ends before it begins", ErrorKind::internal, {good, {5, 1, 4, 2}}},
      {"ends before it begins", ErrorKind::internal, {good, {5, 3, 6, 2}}},
      {"NaN", ErrorKind::internal, {good, {kNan, 1, 2, 3}}},
      {"NaN", ErrorKind::internal, {good, {0, kNan, 2, 3}}},
      {"NaN", ErrorKind::internal, {good, {0, 1, kNan, 3}}},
      {"NaN", ErrorKind::internal, {good, {0, 1, 2, kNan}}},
      {"more than 4096", ErrorKind::device, std::vector<Box>(kMostHiddenFaces + 1, good)},
  };
  for (const Refused& refused : table) {
    const Frame before = test::make_noise_frame({{}, {64, 48}}, 1);
    Frame frame = test::make_noise_frame({{}, {64, 48}}, 1);
    test::expect_error(refused.kind, refused.why,
                       [&] { FaceHider(HideOptions{}).hide(frame, refused.faces); });
    EXPECT_EQ(test::bytes_of(before), test::bytes_of(frame));
  }
  Frame frame = test::make_noise_frame({{}, {64, 48}}, 1);
  FaceHider(HideOptions{}).hide(frame, std::vector<Box>(kMostHiddenFaces, good));
}

TEST(Hide, RefusesAFrameOfAnotherDevice) {
  Frame frame = test::make_noise_frame({{}, {16, 16}}, 1);
  frame.device = {DeviceKind::cuda, 0};
  test::expect_error(ErrorKind::internal, "hide: the frame is on cuda:0",
                     [&] { FaceHider(HideOptions{}).hide(frame, {}); });
  test::expect_error(ErrorKind::internal, "hide: the frame is on cuda:0",
                     [&] { hide_all(frame, {}); });
}

TEST(HideOptions, RefusesWhatMakesNoSense) {
  struct Refused {
    const char* why;
    HideOptions options;
  };
  const auto image = [](Size size, std::size_t bytes) {
    HideOptions options{.style = HideStyle::image};
    options.image = std::make_shared<RgbaImage>(RgbaImage{size, std::vector<std::uint8_t>(bytes)});
    return options;
  };
  for (const Refused& refused : {
           Refused{"can't grow by -0.1", {.grow = -0.1}},
           Refused{"can't grow by 4.1", {.grow = 4.1}},
           Refused{"can't grow by nan", {.grow = std::numeric_limits<double>::quiet_NaN()}},
           Refused{"no image", {.style = HideStyle::image}},
           Refused{"0x4", image({0, 4}, 0)},
           Refused{"1x-1", image({1, -1}, 0)},
           Refused{"4097x1", image({4097, 1}, 4 * 4097)},
           Refused{"4 bytes for each pixel", image({3, 3}, 35)},
       })
    test::expect_error(ErrorKind::usage, refused.why, [&] { FaceHider{refused.options}; });
  EXPECT_NO_THROW(FaceHider{image({4096, 1}, std::size_t{4} * 4096)});
}

}  // namespace
}  // namespace facepipe::overlay
