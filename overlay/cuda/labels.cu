#include "core/cuda/check.h"
#include "overlay/cuda/canvas.cuh"
#include "overlay/cuda/kernels.h"
#include "overlay/cuda/text.cuh"

namespace facepipe {
namespace {

using namespace overlay;

// See Note: order of drawing, in overlay.cu.

constexpr unsigned kLabelThreads = 256;  // a label a CTA
constexpr unsigned kCountCtas = 16;      // the count is longer than a label: several share it
constexpr unsigned kOpaque = 255;

/// For each column of a text's plate the atlas's column, or -1 between letters.
__device__ void find_columns(const Text& text, std::int16_t* columns) {
  for (int x = text.area.x1 + static_cast<int>(threadIdx.x); x < text.area.x2; x += kLabelThreads) {
    int column = -1;
    for (int i = 0; i < text.length; ++i)
      if (text.lefts[i] <= x && x < text.lefts[i + 1]) column = text.columns[i] + x - text.lefts[i];
    columns[x - text.area.x1] = static_cast<std::int16_t>(column);
  }
}

/// Where labels of better faces, or the count, hide this one: gathered kLabelThreads at a time.
struct Covers {
  PixelRect list[kLabelThreads + 1];
  unsigned size;
};

__device__ void add(Covers& covers, const PixelRect& mine, const PixelRect& other) {
  if (overlap(mine, other)) covers.list[atomicAdd(&covers.size, 1U)] = other;
}

/// Sets hidden[i] for each cell that one of the covers hides. Thread t keeps to the cells t,
/// t + kLabelThreads, ..., here as in draw_text().
__device__ void hide(const Covers& covers, const Cells& cells, std::uint8_t* hidden) {
  if (covers.size == 0) return;
  int i = static_cast<int>(threadIdx.x);
  for (CellWalk walk(cells, threadIdx.x, kLabelThreads); walk.inside(); walk.advance()) {
    const PixelPoint cell = walk.cell();
    for (unsigned k = 0; k < covers.size && hidden[i] == 0; ++k)
      hidden[i] = contains(covers.list[k], 2 * cell.x, 2 * cell.y) ? 1 : 0;
    i += kLabelThreads;
  }
}

/// The cells of CTA `part` of `parts`; `hidden` (for one part) may be null.
template <class Sample>
__device__ void draw_text(const OverlayWork& work, const Canvas<Sample>& canvas, const Text& text,
                          const std::int16_t* columns, const std::uint8_t* hidden, unsigned part,
                          unsigned parts) {
  const Cells cells(text.stored);
  const Sample u = canvas.ink(Ink::plate, 1);
  const Sample v = canvas.ink(Ink::plate, 2);
  const unsigned plate = static_cast<unsigned>(canvas.ink(Ink::plate, 0)) >> work.shift;
  const unsigned letter = static_cast<unsigned>(canvas.ink(Ink::text, 0)) >> work.shift;
  const int bottom = text.top + canvas.layout->text_height;
  const auto luma = [&](int x, int y) {
    const PixelPoint pixel = work.to_stored.upright({x, y});
    const int column = columns[pixel.x - text.area.x1];
    unsigned covered = 0;
    if (column >= 0 && pixel.y >= text.top && pixel.y < bottom)
      covered = __ldg(work.glyphs.coverage + (pixel.y - text.top) * work.glyphs.stride + column);
    const unsigned mixed = (plate * (kOpaque - covered) + letter * covered + kOpaque / 2) / kOpaque;
    return static_cast<Sample>(mixed << work.shift);
  };
  const unsigned step = parts * kLabelThreads;
  unsigned i = part * kLabelThreads + threadIdx.x;
  for (CellWalk walk(cells, i, step); walk.inside(); walk.advance(), i += step) {
    if (hidden != nullptr && hidden[i] != 0) continue;
    set_luma(canvas, text.stored, walk.cell(), luma);
    canvas.set_chroma(walk.cell(), u, v);
  }
}

/// A CTA's shared memory.
struct LabelShared {
  Text count;
  Text text;
  Covers covers;
};

/// Draws a face's label; every thread of the CTA calls it.
template <class Sample>
__device__ void draw_label(const OverlayWork& work, const Canvas<Sample>& canvas, unsigned face,
                           LabelShared& shared, std::int16_t* columns, std::uint8_t* hidden) {
  const PixelRect mine = work.plates[face];
  if (mine.empty()) return;
  const Cells cells(mine);
  if (threadIdx.x == 0) {
    const OverlayLayout& layout = *canvas.layout;
    lay_out_label(work, layout, layout.around(work.faces.boxes[face]), work.faces.scores[face],
                  shared.text);
    shared.covers.size = 0;
    if (work.style.count) add(shared.covers, mine, shared.count.stored);
  }
  for (auto i = static_cast<int>(threadIdx.x); i < cells.count(); i += kLabelThreads) hidden[i] = 0;
  __syncthreads();
  find_columns(shared.text, columns);
  for (unsigned first = 0; first == 0 || first < face; first += kLabelThreads) {
    const unsigned better = first + threadIdx.x;
    if (better < face) add(shared.covers, mine, work.plates[better]);
    __syncthreads();
    hide(shared.covers, cells, hidden);
    __syncthreads();
    if (threadIdx.x == 0) shared.covers.size = 0;
    __syncthreads();
  }
  draw_text(work, canvas, shared.text, columns, hidden, 0, 1);
  __syncthreads();  // the next label's text and covers take this one's place
}

// The last kCountCtas draw the count, then take their share of the labels like all others.
template <class Sample>
__global__ void __launch_bounds__(kLabelThreads)
    labels_kernel(const __grid_constant__ OverlayWork work, unsigned text_columns) {
  __shared__ LabelShared shared;
  extern __shared__ std::int16_t columns[];
  auto* const hidden = reinterpret_cast<std::uint8_t*>(columns + text_columns);
  const Canvas<Sample> canvas(work);
  const unsigned faces = face_count(work);
  const unsigned labels = work.style.scores ? faces : 0;
  const unsigned ctas_after = gridDim.x - 1 - blockIdx.x;
  const bool draws_count = work.style.count && ctas_after < kCountCtas;
  if (blockIdx.x >= labels && !draws_count) return;
  if (work.style.count && threadIdx.x == 0)
    lay_out_count(work, *canvas.layout, faces, shared.count);
  __syncthreads();
  if (draws_count) {
    find_columns(shared.count, columns);
    __syncthreads();
    draw_text(work, canvas, shared.count, columns, nullptr, ctas_after, min(kCountCtas, gridDim.x));
    __syncthreads();  // labels take the columns' place
  }
  for (unsigned face = blockIdx.x; face < labels; face += gridDim.x)
    draw_label(work, canvas, face, shared, columns, hidden);
}

}  // namespace

void launch_labels(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream) {
  const std::size_t bytes = launch.text_columns * sizeof(std::int16_t) + launch.label_cells;
  const auto columns = static_cast<unsigned>(launch.text_columns);
  if (launch.wide)
    labels_kernel<std::uint16_t><<<launch.ctas, kLabelThreads, bytes, stream>>>(work, columns);
  else
    labels_kernel<std::uint8_t><<<launch.ctas, kLabelThreads, bytes, stream>>>(work, columns);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe
