#include "core/cuda/check.h"
#include "pipeline/cuda/overlay_kernels.h"
#include "pipeline/overlay_glyphs.h"
#include "pipeline/overlay_plan.h"

namespace facepipe {
namespace {

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
constexpr unsigned kLabelThreads = 256;  // a label a CTA
constexpr unsigned kCountCtas = 16;      // the count is longer than a label: several share it
constexpr int kCountLetters = static_cast<int>(kCountWords.size());
constexpr int kLongestText = kCountDigits + kCountLetters;
constexpr unsigned kOpaque = 255;

template <class Sample>
struct alignas(2 * sizeof(Sample)) Pair {
  Sample first;
  Sample second;
};

/// The picture of this run and its layout.
template <class Sample>
struct Canvas {
  Sample* luma;
  Sample* chroma;
  std::int32_t luma_stride;    // samples
  std::int32_t chroma_stride;  // likewise
  const FrameDescriptor* descriptor;
  const OverlayLayout* layout;
  bool paired;  // both planes let two neighbours be written at once

  __device__ explicit Canvas(const OverlayWork& work) : descriptor(work.descriptor) {
    luma = reinterpret_cast<Sample*>(descriptor->luma);
    chroma = reinterpret_cast<Sample*>(descriptor->chroma);
    luma_stride = descriptor->luma_stride / static_cast<std::int32_t>(sizeof(Sample));
    chroma_stride = descriptor->chroma_stride / static_cast<std::int32_t>(sizeof(Sample));
    layout = &work.layouts[descriptor->interlaced != 0 ? 1 : 0];
    paired = (reinterpret_cast<std::uintptr_t>(luma) | reinterpret_cast<std::uintptr_t>(chroma) |
              static_cast<std::uintptr_t>(descriptor->luma_stride) |
              static_cast<std::uintptr_t>(descriptor->chroma_stride)) %
                 sizeof(Pair<Sample>) ==
             0;
  }
  __device__ Sample ink(Ink which, int component) const {
    return static_cast<Sample>(descriptor->inks[static_cast<int>(which)][component]);
  }
  __device__ Sample& luma_at(int x, int y) const {
    return luma[static_cast<std::ptrdiff_t>(y) * luma_stride + x];
  }
  /// Writes `first` and `second` at an even place.
  __device__ void set_pair(Sample* to, Sample first, Sample second) const {
    if (paired) {
      *reinterpret_cast<Pair<Sample>*>(to) = {first, second};
    } else {
      to[0] = first;
      to[1] = second;
    }
  }
  __device__ void set_chroma(PixelPoint cell, Sample u, Sample v) const {
    set_pair(chroma + static_cast<std::ptrdiff_t>(cell.y) * chroma_stride + 2 * cell.x, u, v);
  }
};

/// The chroma cells under an area of the stored picture, not empty.
struct Cells {
  int x;
  int y;
  int columns;
  int rows;

  __device__ explicit Cells(const PixelRect& area)
      : x(area.x1 >> 1),
        y(area.y1 >> 1),
        columns(((area.x2 - 1) >> 1) - x + 1),
        rows(((area.y2 - 1) >> 1) - y + 1) {}
  __device__ int count() const { return columns * rows; }
};

/// The cells `first`, `first` + `step`, ..., row by row, without a division for each.
class CellWalk {
 public:
  __device__ CellWalk(const Cells& cells, unsigned first, unsigned step)
      : cells_(cells),
        column_(static_cast<int>(first) % cells.columns),
        row_(static_cast<int>(first) / cells.columns),
        columns_on_(static_cast<int>(step) % cells.columns),
        rows_on_(static_cast<int>(step) / cells.columns) {}
  __device__ bool inside() const { return row_ < cells_.rows; }
  __device__ PixelPoint cell() const { return {cells_.x + column_, cells_.y + row_}; }
  __device__ void advance() {
    column_ += columns_on_;
    row_ += rows_on_;
    if (column_ < cells_.columns) return;
    column_ -= cells_.columns;
    ++row_;
  }

 private:
  const Cells& cells_;
  int column_;
  int row_;
  int columns_on_;
  int rows_on_;
};

__device__ bool contains(const PixelRect& rect, int x, int y) {
  return rect.x1 <= x && x < rect.x2 && rect.y1 <= y && y < rect.y2;
}
__device__ bool overlap(const PixelRect& a, const PixelRect& b) {
  return a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2;
}

/// Writes luma(x, y) to the pixels of a cell that lie in `area`.
template <class Sample, class Luma>
__device__ void set_luma(const Canvas<Sample>& canvas, const PixelRect& area, PixelPoint cell,
                         Luma&& luma) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int x = 2 * cell.x;
    const int y = 2 * cell.y + i;
    if (contains(area, x, y) && x + 1 < area.x2) {
      canvas.set_pair(&canvas.luma_at(x, y), luma(x, y), luma(x + 1, y));
    } else {
      if (contains(area, x, y)) canvas.luma_at(x, y) = luma(x, y);
      if (contains(area, x + 1, y)) canvas.luma_at(x + 1, y) = luma(x + 1, y);
    }
  }
}

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

__device__ unsigned face_count(const OverlayWork& work) {
  return min(*work.faces.count, work.faces.capacity);
}

__device__ int column_of(const DeviceGlyphs& glyphs, char character) {
  return glyphs.columns[character - kFirstGlyph];
}
__device__ int advance(const DeviceGlyphs& glyphs, char character) {
  return glyphs.columns[character - kFirstGlyph + 1] - column_of(glyphs, character);
}

/// A text in its place: where each letter begins in the picture and in the atlas.
struct Text {
  int top;           // of the plate as it was before it was widened
  PixelRect area;    // of the plate in the upright picture
  PixelRect stored;  // likewise in the stored one; empty where the other is
  int length;
  int lefts[kLongestText + 1];
  int columns[kLongestText];
};

__device__ void lay_out(const OverlayWork& work, const OverlayLayout& layout, PixelPoint corner,
                        const char* characters, int length, Text& text) {
  text.top = corner.y;
  text.length = length;
  int left = corner.x + layout.padding();
  for (int i = 0; i < length; ++i) {
    text.lefts[i] = left;
    text.columns[i] = column_of(work.glyphs, characters[i]);
    left += advance(work.glyphs, characters[i]);
  }
  text.lefts[length] = left;
  text.area = layout.plate(corner, left - text.lefts[0]);
  text.stored = text.area.empty() ? PixelRect{} : work.to_stored(text.area);
}

__device__ int width_of(const DeviceGlyphs& glyphs, const ScoreText& text) {
  int width = 0;
  for (const char character : text.characters) width += advance(glyphs, character);
  return width;
}

/// The label of a face whose outline's outer edge, not empty, is `outer`.
__device__ void lay_out_label(const OverlayWork& work, const OverlayLayout& layout,
                              const PixelRect& outer, float score, Text& text) {
  const ScoreText score_of = score_text(score);
  lay_out(work, layout, layout.label(outer, width_of(work.glyphs, score_of)), score_of.characters,
          ScoreText::kSize, text);
}

__device__ void lay_out_count(const OverlayWork& work, const OverlayLayout& layout, unsigned faces,
                              Text& text) {
  char digits[kCountDigits];
  int used = 0;
  for (unsigned rest = faces; used == 0 || rest > 0; rest /= 10)
    digits[used++] = static_cast<char>('0' + rest % 10);
  char characters[kLongestText];
  int length = 0;
  while (used > 0) characters[length++] = digits[--used];
  const char words[] = {' ', 'f', 'a', 'c', 'e', 's'};
  static_assert(sizeof words == kCountLetters);
  const int letters = faces == 1 ? kCountLetters - 1 : kCountLetters;
  for (int i = 0; i < letters; ++i) characters[length++] = words[i];
  lay_out(work, layout, {0, 0}, characters, length, text);
}

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
