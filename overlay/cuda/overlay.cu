#include "core/cuda/check.h"
#include "overlay/cuda/canvas.cuh"
#include "overlay/cuda/kernels.h"
#include "overlay/cuda/text.cuh"

namespace facepipe {
namespace {

using namespace overlay;

// Note: order of drawing.
// The host draws all outlines, then all dots, then labels from the last face to the first, then the
// count. Marks of one kind share an ink, so among outlines and among dots the order shows nowhere,
// and CTAs may write the same samples at the same time. A plate hides all below it, letters
// included, and a text's letters lie on its own plate, beside each other. So of overlapping labels
// each writes only what no plate of a better face, nor the count's, covers; none waits for another.
// Plates end at edges of chroma cells or of the picture (Note: colour and subsampling), so a cell
// is covered wholly or not at all.

constexpr unsigned kWarp = 32;
constexpr unsigned kMarkThreads = 128;  // of outlines and dots, a mark a warp
constexpr unsigned kMarkWarps = kMarkThreads / kWarp;

/// Fills an area of the stored picture, not empty, with the lanes of a warp.
template <class Sample>
__device__ void fill(const Canvas<Sample>& canvas, const PixelRect& area, Ink ink) {
  const Cells cells(area);
  const Sample luma = canvas.ink(ink, 0);
  const Sample u = canvas.ink(ink, 1);
  const Sample v = canvas.ink(ink, 2);
  for (CellWalk walk(cells, threadIdx.x % kWarp, kWarp); walk.inside(); walk.advance()) {
    set_luma(canvas, area, walk.cell(), [&](int, int) { return luma; });
    canvas.set_chroma(walk.cell(), u, v);
  }
}

// A warp a side.
template <class Sample>
__global__ void __launch_bounds__(kMarkThreads)
    outlines_kernel(const __grid_constant__ OverlayWork work) {
  const Canvas<Sample> canvas(work);
  const OverlayLayout& layout = *canvas.layout;
  const unsigned items = face_count(work) * OverlayLayout::kSides;
  const unsigned warp = blockIdx.x * kMarkWarps + threadIdx.x / kWarp;
  for (unsigned item = warp; item < items; item += gridDim.x * kMarkWarps) {
    const unsigned face = item / OverlayLayout::kSides;
    const auto side = static_cast<int>(item % OverlayLayout::kSides);
    const PixelRect outer = layout.around(work.faces.boxes[face]);
    if (work.style.scores && side == 0 && threadIdx.x % kWarp == 0) {
      Text text;
      text.stored = {};
      if (!outer.empty()) lay_out_label(work, layout, outer, work.faces.scores[face], text);
      work.plates[face] = text.stored;
    }
    if (!work.style.boxes || outer.empty()) continue;
    const PixelRect area = layout.side(outer, side);
    if (!area.empty()) fill(canvas, work.to_stored(area), Ink::outline);
  }
}

// A warp a dot.
template <class Sample>
__global__ void __launch_bounds__(kMarkThreads)
    dots_kernel(const __grid_constant__ OverlayWork work) {
  constexpr unsigned kPoints = sizeof(Landmarks) / sizeof(Point);
  const Canvas<Sample> canvas(work);
  const OverlayLayout& layout = *canvas.layout;
  const auto* const points = reinterpret_cast<const Point*>(work.faces.landmarks);
  const unsigned items = face_count(work) * kPoints;
  const unsigned warp = blockIdx.x * kMarkWarps + threadIdx.x / kWarp;
  for (unsigned item = warp; item < items; item += gridDim.x * kMarkWarps) {
    const PixelRect outer = layout.around(work.faces.boxes[item / kPoints]);
    if (outer.empty()) continue;
    for (int part = 0; part < OverlayLayout::kDotParts; ++part) {
      const PixelRect area = layout.dot(points[item], outer.x2 - outer.x1, part);
      if (!area.empty()) fill(canvas, work.to_stored(area), Ink::dot);
    }
  }
}

}  // namespace

void launch_outlines(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream) {
  if (launch.wide)
    outlines_kernel<std::uint16_t><<<launch.ctas, kMarkThreads, 0, stream>>>(work);
  else
    outlines_kernel<std::uint8_t><<<launch.ctas, kMarkThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_dots(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream) {
  if (launch.wide)
    dots_kernel<std::uint16_t><<<launch.ctas, kMarkThreads, 0, stream>>>(work);
  else
    dots_kernel<std::uint8_t><<<launch.ctas, kMarkThreads, 0, stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe
