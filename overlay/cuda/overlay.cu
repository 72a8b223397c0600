#include "core/cuda/check.h"
#include "overlay/cuda/canvas.cuh"
#include "overlay/cuda/text.cuh"

namespace facepipe::overlay {
namespace {

using namespace overlay;

// Note: order of drawing. The host draws all outlines, then all dots, then the labels from the last
// face to the first, then the count. All outlines have one colour, and all dots have another
// colour. So the order among outlines, or among dots, makes no difference, and thread blocks may
// write the same samples at the same time. The background of a text covers everything drawn before
// it, glyphs of other texts included. The text's own glyphs lie side by side on that background. So
// if labels overlap, a block writes only the cells of its label that no later background covers.
// Later backgrounds are the background of the count, and the backgrounds of labels whose faces have
// higher scores. No block waits for another. Backgrounds end at edges of chroma cells or of the
// picture (Note: colour and subsampling), so they cover a cell completely or not at all.

constexpr unsigned kWarp = 32;
constexpr unsigned kPrimitiveThreads = 128;  // a warp draws one outline side or dot at a time
constexpr unsigned kPrimitiveWarps = kPrimitiveThreads / kWarp;

/// Fills a part of the stored picture, which must not be empty. All lanes of a warp call it.
template <class Sample>
__device__ void fill(const Canvas<Sample>& canvas, const PixelRect& area, OverlayColor color) {
  const ChromaCells cells(area);
  const Sample luma = canvas.color(color, 0);
  const Sample u = canvas.color(color, 1);
  const Sample v = canvas.color(color, 2);
  for (ChromaCellWalk walk(cells, threadIdx.x % kWarp, kWarp); walk.inside(); walk.advance()) {
    set_luma(canvas, area, walk.cell(), [&](int, int) { return luma; });
    canvas.set_chroma(walk.cell(), u, v);
  }
}

// A warp draws one side of an outline at a time.
template <class Sample>
__global__ void __launch_bounds__(kPrimitiveThreads)
    outlines_kernel(const __grid_constant__ OverlayWork work) {
  const Canvas<Sample> canvas(work);
  const OverlayLayout& layout = *canvas.layout;
  const unsigned items = face_count(work) * OverlayLayout::kSides;
  const unsigned warp = blockIdx.x * kPrimitiveWarps + threadIdx.x / kWarp;
  for (unsigned item = warp; item < items; item += gridDim.x * kPrimitiveWarps) {
    const unsigned face = item / OverlayLayout::kSides;
    const auto side = static_cast<int>(item % OverlayLayout::kSides);
    const PixelRect outer = layout.around(work.faces.boxes[face]);
    if (draws_labels(work.style) && side == 0 && threadIdx.x % kWarp == 0) {
      Text text;
      lay_out_label(work, layout, outer, face, text);
      work.label_backgrounds[face] = text.stored;
    }
    if (!work.style.boxes || outer.empty()) continue;
    const PixelRect area = layout.side(outer, side);
    if (!area.empty()) fill(canvas, work.to_stored(area), OverlayColor::outline);
  }
}

// A warp draws one dot at a time.
template <class Sample>
__global__ void __launch_bounds__(kPrimitiveThreads)
    dots_kernel(const __grid_constant__ OverlayWork work) {
  constexpr unsigned kPoints = sizeof(Landmarks) / sizeof(Point);
  const Canvas<Sample> canvas(work);
  const OverlayLayout& layout = *canvas.layout;
  const auto* const points = reinterpret_cast<const Point*>(work.faces.landmarks);
  const unsigned items = face_count(work) * kPoints;
  const unsigned warp = blockIdx.x * kPrimitiveWarps + threadIdx.x / kWarp;
  for (unsigned item = warp; item < items; item += gridDim.x * kPrimitiveWarps) {
    const unsigned face = item / kPoints;
    const bool has_points = !isnan(points[face * kPoints].x);  // see kNoLandmarks
    const PixelRect outer = layout.around(work.faces.boxes[face]);
    if (!has_points || outer.empty()) continue;
    for (int part = 0; part < OverlayLayout::kDotParts; ++part) {
      const PixelRect area = layout.dot(points[item], outer.x2 - outer.x1, part);
      if (!area.empty()) fill(canvas, work.to_stored(area), OverlayColor::dot);
    }
  }
}

}  // namespace

void launch_outlines(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream) {
  if (launch.wide)
    outlines_kernel<std::uint16_t><<<launch.blocks, kPrimitiveThreads, 0, stream>>>(work);
  else
    outlines_kernel<std::uint8_t><<<launch.blocks, kPrimitiveThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_dots(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream) {
  if (launch.wide)
    dots_kernel<std::uint16_t><<<launch.blocks, kPrimitiveThreads, 0, stream>>>(work);
  else
    dots_kernel<std::uint8_t><<<launch.blocks, kPrimitiveThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::overlay
