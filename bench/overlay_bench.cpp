// Measures how the times of drawing the overlay and of hiding faces depend on the number of faces
// in a frame.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "overlay/hide.h"
#include "overlay/overlay.h"
#include "tests/support/test_frame.h"

namespace facepipe::bench {
namespace {

constexpr Size kHd{1920, 1080};

Detections faces(std::int64_t count) {
  std::mt19937 random(1);
  Detections found;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(random() % 1800);
    const auto y = static_cast<float>(random() % 950);
    const auto side = static_cast<float>(20 + random() % 100);
    found.push_back({x, y, x + side, y + 1.2F * side}, 0.87F, {});
  }
  return found;
}

/// Draws boxes with scores and the count of faces on a 4:2:0 frame. If quarter_turns is odd, the
/// stored picture is turned.
void draw(benchmark::State& state, int quarter_turns) {
  const Size stored = quarter_turns % 2 == 0 ? kHd : Size{kHd.height, kHd.width};
  Frame frame = test::make_noise_frame({{}, stored, {quarter_turns, false}}, 1);
  const Detections found = faces(state.range(0));
  for ([[maybe_unused]] auto iteration : state) {
    overlay::draw_overlay(frame, found, {true, true, false, true});
    benchmark::ClobberMemory();
  }
}

/// Hides faces on a 4:2:0 frame. Iterations after the first hide the same places again, but no
/// style's time depends on the pixels.
void hide(benchmark::State& state, overlay::HideStyle style, overlay::MaskShape shape) {
  Frame frame = test::make_noise_frame({{}, kHd}, 1);
  const std::vector<Box> boxes = faces(state.range(0)).boxes;
  overlay::HideOptions options{
      .style = style, .shape = shape, .grow = overlay::default_grow(shape)};
  if (style == overlay::HideStyle::image)
    options.image = std::make_shared<RgbaImage>(
        RgbaImage{{256, 256}, std::vector<std::uint8_t>(std::size_t{4} * 256 * 256, 200)});
  overlay::FaceHider hider(options);
  for ([[maybe_unused]] auto iteration : state) {
    hider.hide(frame, boxes);
    benchmark::ClobberMemory();
  }
}

BENCHMARK_CAPTURE(hide, solid, overlay::HideStyle::solid, overlay::MaskShape::box)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hide, solid_ellipse, overlay::HideStyle::solid, overlay::MaskShape::ellipse)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hide, blur, overlay::HideStyle::blur, overlay::MaskShape::box)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hide, blur_ellipse, overlay::HideStyle::blur, overlay::MaskShape::ellipse)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hide, mosaic, overlay::HideStyle::mosaic, overlay::MaskShape::box)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hide, image, overlay::HideStyle::image, overlay::MaskShape::box)
    ->Arg(20)
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_CAPTURE(draw, upright, 0)->Arg(0)->Arg(20)->Arg(700)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(draw, turned, 1)->Arg(20)->Arg(700)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace facepipe::bench
