#include "core/cuda/check.h"
#include "overlay/cuda/canvas.cuh"
#include "overlay/cuda/kernels.h"
#include "overlay/cuda/text.cuh"

namespace facepipe::overlay {
namespace {

using namespace overlay;

// See Note: order of drawing, in overlay.cu.

constexpr unsigned kLabelThreads = 256;  // a thread block draws one label at a time
// Number of blocks that share the count, which is longer than a label.
constexpr unsigned kCountBlocks = 16;
constexpr unsigned kOpaque = 255;

/// Sets columns[i] to the atlas's column for column i of a text's background, or to -1 if there is
/// no glyph.
__device__ void find_columns(const Text& text, std::int16_t* columns) {
  for (int x = text.area.x1 + static_cast<int>(threadIdx.x); x < text.area.x2; x += kLabelThreads) {
    int column = -1;
    for (int i = 0; i < text.length; ++i)
      if (text.lefts[i] <= x && x < text.lefts[i + 1]) column = text.columns[i] + x - text.lefts[i];
    columns[x - text.area.x1] = static_cast<std::int16_t>(column);
  }
}

/// Holds the backgrounds that cover a part of the current label: the background of the count, and
/// the backgrounds of the labels of faces with higher scores. The list holds the backgrounds of
/// kLabelThreads faces at a time.
struct Occluders {
  PixelRect list[kLabelThreads + 1];
  unsigned size;
};

__device__ void add(Occluders& occluders, const PixelRect& mine, const PixelRect& other) {
  if (overlap(mine, other)) occluders.list[atomicAdd(&occluders.size, 1U)] = other;
}

/// Has a bit for each cell of a label, which says whether the cell is hidden. Thread t has the bits
/// of the cells t, t + kLabelThreads, ..., in words that no other thread uses.
class HiddenCells {
 public:
  static constexpr unsigned kBits = 32;

  /// @param words  kLabelThreads words for each kBits * kLabelThreads cells
  __device__ explicit HiddenCells(std::uint32_t* words) : mine_(words + threadIdx.x) {}

  __device__ void clear(unsigned cells) {
    for (unsigned i = 0; i * kBits * kLabelThreads < cells; ++i) mine_[i * kLabelThreads] = 0;
  }
  /// For get() and set(), `i` is an index among the cells of this thread.
  __device__ bool get(unsigned i) const { return (word(i) >> (i % kBits) & 1U) != 0; }
  __device__ void set(unsigned i) { word(i) |= 1U << (i % kBits); }

 private:
  __device__ std::uint32_t& word(unsigned i) const { return mine_[i / kBits * kLabelThreads]; }

  std::uint32_t* mine_;
};

/// Marks the cells of a label that an occluder covers as hidden.
__device__ void find_hidden(const Occluders& occluders, const ChromaCells& cells,
                            HiddenCells hidden) {
  if (occluders.size == 0) return;
  unsigned i = 0;
  for (ChromaCellWalk walk(cells, threadIdx.x, kLabelThreads); walk.inside(); walk.advance(), ++i) {
    const PixelPoint cell = walk.cell();
    for (unsigned k = 0; k < occluders.size && !hidden.get(i); ++k)
      if (contains(occluders.list[k], 2 * cell.x, 2 * cell.y)) hidden.set(i);
  }
}

/// Draws a text. If `parts` blocks share it, draws the part with index `part`. `hidden` may be
/// null. If it isn't, `parts` must be 1.
template <class Sample>
__device__ void draw_text(const OverlayWork& work, const Canvas<Sample>& canvas, const Text& text,
                          const std::int16_t* columns, const HiddenCells* hidden, unsigned part,
                          unsigned parts) {
  const ChromaCells cells(text.stored);
  const Sample u = canvas.color(OverlayColor::background, 1);
  const Sample v = canvas.color(OverlayColor::background, 2);
  const unsigned background =
      static_cast<unsigned>(canvas.color(OverlayColor::background, 0)) >> work.shift;
  const unsigned glyph = static_cast<unsigned>(canvas.color(OverlayColor::text, 0)) >> work.shift;
  const int bottom = text.top + canvas.layout->text_height;
  const auto luma = [&](int x, int y) {
    const PixelPoint pixel = work.to_stored.upright({x, y});
    const int column = columns[pixel.x - text.area.x1];
    unsigned covered = 0;
    if (column >= 0 && pixel.y >= text.top && pixel.y < bottom)
      covered = __ldg(work.glyphs.coverage + (pixel.y - text.top) * work.glyphs.stride + column);
    const unsigned mixed =
        (background * (kOpaque - covered) + glyph * covered + kOpaque / 2) / kOpaque;
    return static_cast<Sample>(mixed << work.shift);
  };
  const unsigned first = part * kLabelThreads + threadIdx.x;
  unsigned i = 0;
  for (ChromaCellWalk walk(cells, first, parts * kLabelThreads); walk.inside();
       walk.advance(), ++i) {
    if (hidden != nullptr && hidden->get(i)) continue;
    set_luma(canvas, text.stored, walk.cell(), luma);
    canvas.set_chroma(walk.cell(), u, v);
  }
}

struct LabelShared {
  Text count;
  Text text;
  Occluders occluders;
};

/// Draws a face's label. All threads of the block call it.
template <class Sample>
__device__ void draw_label(const OverlayWork& work, const Canvas<Sample>& canvas, unsigned face,
                           LabelShared& shared, std::int16_t* columns, HiddenCells hidden) {
  const PixelRect mine = work.label_backgrounds[face];
  if (mine.empty()) return;
  const ChromaCells cells(mine);
  if (threadIdx.x == 0) {
    const OverlayLayout& layout = *canvas.layout;
    lay_out_label(work, layout, layout.around(work.faces.boxes[face]), face, shared.text);
    shared.occluders.size = 0;
    if (work.style.count) add(shared.occluders, mine, shared.count.stored);
  }
  hidden.clear(static_cast<unsigned>(cells.count()));
  __syncthreads();
  find_columns(shared.text, columns);
  for (unsigned first = 0; first == 0 || first < face; first += kLabelThreads) {
    const unsigned better = first + threadIdx.x;
    if (better < face) add(shared.occluders, mine, work.label_backgrounds[better]);
    __syncthreads();
    find_hidden(shared.occluders, cells, hidden);
    __syncthreads();
    if (threadIdx.x == 0) shared.occluders.size = 0;
    __syncthreads();
  }
  draw_text(work, canvas, shared.text, columns, &hidden, 0, 1);
  __syncthreads();  // the next label overwrites the text and the occluders
}

// The last kCountBlocks blocks first draw the count. Then all blocks draw labels.
template <class Sample>
__global__ void __launch_bounds__(kLabelThreads)
    labels_kernel(const __grid_constant__ OverlayWork work, unsigned hidden_words) {
  __shared__ LabelShared shared;
  extern __shared__ std::uint32_t words[];
  auto* const columns = reinterpret_cast<std::int16_t*>(words + hidden_words);
  const Canvas<Sample> canvas(work);
  const unsigned faces = face_count(work);
  const unsigned labels = draws_labels(work.style) ? faces : 0;
  const unsigned blocks_after = gridDim.x - 1 - blockIdx.x;
  const bool draws_count = work.style.count && blocks_after < kCountBlocks;
  if (blockIdx.x >= labels && !draws_count) return;
  if (work.style.count && threadIdx.x == 0)
    lay_out_count(work, *canvas.layout, faces, shared.count);
  __syncthreads();
  if (draws_count) {
    find_columns(shared.count, columns);
    __syncthreads();
    draw_text(work, canvas, shared.count, columns, nullptr, blocks_after,
              min(kCountBlocks, gridDim.x));
    __syncthreads();  // labels overwrite `columns`
  }
  for (unsigned face = blockIdx.x; face < labels; face += gridDim.x)
    draw_label(work, canvas, face, shared, columns, HiddenCells(words));
}

}  // namespace

void launch_labels(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream) {
  constexpr std::size_t kCellsOfWords = std::size_t{kLabelThreads} * HiddenCells::kBits;
  const auto words = static_cast<unsigned>((launch.label_cells + kCellsOfWords - 1) /
                                           kCellsOfWords * kLabelThreads);
  const std::size_t bytes =
      words * sizeof(std::uint32_t) + launch.text_columns * sizeof(std::int16_t);
  if (launch.wide)
    labels_kernel<std::uint16_t><<<launch.blocks, kLabelThreads, bytes, stream>>>(work, words);
  else
    labels_kernel<std::uint8_t><<<launch.blocks, kLabelThreads, bytes, stream>>>(work, words);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::overlay
