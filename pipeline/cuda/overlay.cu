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

constexpr unsigned kThreads = 128;
constexpr int kCountDigits = 10;
constexpr int kLongestText = kCountDigits + 6;  // " faces"
constexpr unsigned kOpaque = 255;

/// The picture of this run and its layout.
template <class Sample>
struct Canvas {
  Sample* luma;
  Sample* chroma;
  std::int32_t luma_stride;    // samples
  std::int32_t chroma_stride;  // likewise
  const FrameDescriptor* descriptor;
  const OverlayLayout* layout;

  __device__ explicit Canvas(const OverlayWork& work) : descriptor(work.descriptor) {
    luma = reinterpret_cast<Sample*>(descriptor->luma);
    chroma = reinterpret_cast<Sample*>(descriptor->chroma);
    luma_stride = descriptor->luma_stride / static_cast<std::int32_t>(sizeof(Sample));
    chroma_stride = descriptor->chroma_stride / static_cast<std::int32_t>(sizeof(Sample));
    layout = &work.layouts[descriptor->interlaced != 0 ? 1 : 0];
  }
  __device__ Sample ink(Ink which, int component) const {
    return static_cast<Sample>(descriptor->inks[static_cast<int>(which)][component]);
  }
  __device__ Sample& luma_at(int x, int y) const {
    return luma[static_cast<std::ptrdiff_t>(y) * luma_stride + x];
  }
  __device__ void set_chroma(int cell_x, int cell_y, Ink which) const {
    Sample* const pair = chroma + static_cast<std::ptrdiff_t>(cell_y) * chroma_stride + 2 * cell_x;
    pair[0] = ink(which, 1);
    pair[1] = ink(which, 2);
  }
};

/// The chroma cells under an area of the stored picture.
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
  __device__ PixelPoint at(int i) const { return {x + i % columns, y + i / columns}; }
};

__device__ bool contains(const PixelRect& rect, int x, int y) {
  return rect.x1 <= x && x < rect.x2 && rect.y1 <= y && y < rect.y2;
}
__device__ bool overlap(const PixelRect& a, const PixelRect& b) {
  return a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2;
}

/// Calls draw(x, y) for the pixels of a cell that lie in `area`.
template <class Draw>
__device__ void for_pixels(const PixelRect& area, PixelPoint cell, Draw&& draw) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = 2 * cell.x + i % 2;
    const int y = 2 * cell.y + i / 2;
    if (contains(area, x, y)) draw(x, y);
  }
}

/// Fills an area of the stored picture, not empty, with the threads `first`, `first` + `step`, ...
template <class Sample>
__device__ void fill(const Canvas<Sample>& canvas, const PixelRect& area, Ink ink, unsigned first,
                     unsigned step) {
  const Cells cells(area);
  const Sample luma = canvas.ink(ink, 0);
  for (auto i = static_cast<int>(first); i < cells.count(); i += static_cast<int>(step)) {
    const PixelPoint cell = cells.at(i);
    for_pixels(area, cell, [&](int x, int y) { canvas.luma_at(x, y) = luma; });
    canvas.set_chroma(cell.x, cell.y, ink);
  }
}

__device__ unsigned face_count(const OverlayWork& work) {
  return min(*work.faces.count, work.faces.capacity);
}

__device__ int advance(const DeviceGlyphs& glyphs, char character) {
  const std::int32_t* const column = glyphs.columns + (character - kFirstGlyph);
  return __ldg(column + 1) - __ldg(column);
}

/// A text in its place: where each letter begins in the picture and in the atlas.
struct Text {
  PixelPoint corner;  // of its plate as it was before it was widened
  PixelRect plate;    // of the stored picture
  int length;
  int lefts[kLongestText + 1];
  int columns[kLongestText];
};

__device__ int width_of(const DeviceGlyphs& glyphs, const char* characters, int length) {
  int width = 0;
  for (int i = 0; i < length; ++i) width += advance(glyphs, characters[i]);
  return width;
}

__device__ void lay_out(const OverlayWork& work, const OverlayLayout& layout, PixelPoint corner,
                        const char* characters, int length, Text& text) {
  text.corner = corner;
  text.length = length;
  text.lefts[0] = corner.x + layout.padding();
  for (int i = 0; i < length; ++i) {
    text.columns[i] = __ldg(work.glyphs.columns + (characters[i] - kFirstGlyph));
    text.lefts[i + 1] = text.lefts[i] + advance(work.glyphs, characters[i]);
  }
  text.plate = work.to_stored(layout.plate(corner, text.lefts[length] - text.lefts[0]));
}

/// The label of a face whose outline's outer edge, not empty, is `outer`.
__device__ void lay_out_label(const OverlayWork& work, const OverlayLayout& layout,
                              const PixelRect& outer, float score, Text& text) {
  const ScoreText score_of = score_text(score);
  const int width = width_of(work.glyphs, score_of.characters, ScoreText::kSize);
  lay_out(work, layout, layout.label(outer, width), score_of.characters, ScoreText::kSize, text);
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
  const char words[] = " faces";
  const int letters = faces == 1 ? 5 : 6;
  for (int i = 0; i < letters; ++i) characters[length++] = words[i];
  lay_out(work, layout, {0, 0}, characters, length, text);
}

/// What the letters cover of a pixel of the upright picture, 0..255.
__device__ unsigned coverage_at(const DeviceGlyphs& glyphs, const Text& text, int text_height,
                                PixelPoint pixel) {
  const int row = pixel.y - text.corner.y;
  if (row < 0 || row >= text_height) return 0;
  for (int i = 0; i < text.length; ++i)
    if (text.lefts[i] <= pixel.x && pixel.x < text.lefts[i + 1])
      return __ldg(glyphs.coverage + row * glyphs.stride + text.columns[i] + pixel.x -
                   text.lefts[i]);
  return 0;
}

/// Where labels of better faces, or the count, hide this one: gathered kThreads faces at a time.
struct Covers {
  PixelRect list[kThreads + 1];
  unsigned size;
};

__device__ void add(Covers& covers, const PixelRect& mine, const PixelRect& other) {
  if (overlap(mine, other)) covers.list[atomicAdd(&covers.size, 1U)] = other;
}

/// Sets hidden[i] for each cell that one of the covers hides. Thread t keeps to the cells t,
/// t + kThreads, ..., here as in draw_text().
__device__ void hide(const Covers& covers, const Cells& cells, std::uint8_t* hidden) {
  if (covers.size == 0) return;
  for (auto i = static_cast<int>(threadIdx.x); i < cells.count(); i += kThreads) {
    const PixelPoint cell = cells.at(i);
    for (unsigned k = 0; k < covers.size && hidden[i] == 0; ++k)
      hidden[i] = contains(covers.list[k], 2 * cell.x, 2 * cell.y) ? 1 : 0;
  }
}

template <class Sample>
__device__ void draw_text(const OverlayWork& work, const Canvas<Sample>& canvas, const Text& text,
                          const std::uint8_t* hidden) {
  const Cells cells(text.plate);
  const Sample plate = canvas.ink(Ink::plate, 0);
  const unsigned under = static_cast<unsigned>(plate) >> work.shift;
  const unsigned letter = static_cast<unsigned>(canvas.ink(Ink::text, 0)) >> work.shift;
  for (auto i = static_cast<int>(threadIdx.x); i < cells.count(); i += kThreads) {
    if (hidden != nullptr && hidden[i] != 0) continue;
    const PixelPoint cell = cells.at(i);
    for_pixels(text.plate, cell, [&](int x, int y) {
      const unsigned covered = coverage_at(work.glyphs, text, canvas.layout->text_height,
                                           work.to_stored.upright({x, y}));
      const unsigned mixed =
          (under * (kOpaque - covered) + letter * covered + kOpaque / 2) / kOpaque;
      canvas.luma_at(x, y) = static_cast<Sample>(mixed << work.shift);
    });
    canvas.set_chroma(cell.x, cell.y, Ink::plate);
  }
}

template <class Sample>
__global__ void __launch_bounds__(kThreads)
    outlines_kernel(const __grid_constant__ OverlayWork work) {
  const Canvas<Sample> canvas(work);
  const OverlayLayout& layout = *canvas.layout;
  const unsigned items = face_count(work) * OverlayLayout::kSides;
  for (unsigned item = blockIdx.x; item < items; item += gridDim.x) {
    const unsigned face = item / OverlayLayout::kSides;
    const auto side = static_cast<int>(item % OverlayLayout::kSides);
    const PixelRect outer = layout.around(work.faces.boxes[face]);
    if (work.style.scores && side == 0 && threadIdx.x == 0) {
      Text text;
      text.plate = {};
      if (!outer.empty()) lay_out_label(work, layout, outer, work.faces.scores[face], text);
      work.plates[face] = text.plate;
    }
    if (!work.style.boxes || outer.empty()) continue;
    const PixelRect area = layout.side(outer, side);
    if (!area.empty()) fill(canvas, work.to_stored(area), Ink::outline, threadIdx.x, kThreads);
  }
}

// A warp a dot.
template <class Sample>
__global__ void __launch_bounds__(kThreads) dots_kernel(const __grid_constant__ OverlayWork work) {
  constexpr unsigned kPoints = sizeof(Landmarks) / sizeof(Point);
  constexpr unsigned kWarps = kThreads / 32;
  const Canvas<Sample> canvas(work);
  const OverlayLayout& layout = *canvas.layout;
  const auto* const points = reinterpret_cast<const Point*>(work.faces.landmarks);
  const unsigned items = face_count(work) * kPoints;
  const unsigned warp = blockIdx.x * kWarps + threadIdx.x / 32;
  for (unsigned item = warp; item < items; item += gridDim.x * kWarps) {
    const PixelRect outer = layout.around(work.faces.boxes[item / kPoints]);
    if (outer.empty()) continue;
    for (int part = 0; part < OverlayLayout::kDotParts; ++part) {
      const PixelRect area = layout.dot(points[item], outer.x2 - outer.x1, part);
      if (!area.empty()) fill(canvas, work.to_stored(area), Ink::dot, threadIdx.x % 32, 32);
    }
  }
}

/// Draws a face's label; every thread of the CTA calls it, with the count's text or null.
template <class Sample>
__device__ void draw_label(const OverlayWork& work, const Canvas<Sample>& canvas, unsigned face,
                           const Text* count, Text& text, Covers& covers, std::uint8_t* hidden) {
  const PixelRect mine = work.plates[face];
  if (mine.empty()) return;
  const Cells cells(mine);
  if (threadIdx.x == 0) {
    const OverlayLayout& layout = *canvas.layout;
    lay_out_label(work, layout, layout.around(work.faces.boxes[face]), work.faces.scores[face],
                  text);
    covers.size = 0;
    if (count != nullptr) add(covers, mine, count->plate);
  }
  for (auto i = static_cast<int>(threadIdx.x); i < cells.count(); i += kThreads) hidden[i] = 0;
  __syncthreads();
  for (unsigned first = 0; first == 0 || first < face; first += kThreads) {
    const unsigned better = first + threadIdx.x;
    if (better < face) add(covers, mine, work.plates[better]);
    __syncthreads();
    hide(covers, cells, hidden);
    __syncthreads();
    if (threadIdx.x == 0) covers.size = 0;
    __syncthreads();
  }
  draw_text(work, canvas, text, hidden);
  __syncthreads();  // the next label's text and covers take this one's place
}

template <class Sample>
__global__ void __launch_bounds__(kThreads)
    labels_kernel(const __grid_constant__ OverlayWork work) {
  __shared__ Text count;
  __shared__ Text text;
  __shared__ Covers covers;
  extern __shared__ std::uint8_t hidden[];
  const Canvas<Sample> canvas(work);
  const unsigned faces = face_count(work);
  const unsigned labels = work.style.scores ? faces : 0;
  // Few CTAs have a label: the others needn't know the count's place. The last one writes it.
  const bool writes_count = work.style.count && blockIdx.x == gridDim.x - 1;
  if (blockIdx.x >= labels && !writes_count) return;
  if (work.style.count && threadIdx.x == 0) lay_out_count(work, *canvas.layout, faces, count);
  __syncthreads();
  if (writes_count) draw_text(work, canvas, count, nullptr);
  for (unsigned face = blockIdx.x; face < labels; face += gridDim.x)
    draw_label(work, canvas, face, work.style.count ? &count : nullptr, text, covers, hidden);
}

}  // namespace

void launch_outlines(const OverlayWork& work, const OverlayLaunch& launch) {
  if (launch.wide)
    outlines_kernel<std::uint16_t><<<launch.ctas, kThreads, 0, launch.stream>>>(work);
  else
    outlines_kernel<std::uint8_t><<<launch.ctas, kThreads, 0, launch.stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_dots(const OverlayWork& work, const OverlayLaunch& launch) {
  if (launch.wide)
    dots_kernel<std::uint16_t><<<launch.ctas, kThreads, 0, launch.stream>>>(work);
  else
    dots_kernel<std::uint8_t><<<launch.ctas, kThreads, 0, launch.stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_labels(const OverlayWork& work, const OverlayLaunch& launch) {
  if (launch.wide)
    labels_kernel<std::uint16_t>
        <<<launch.ctas, kThreads, launch.label_cells, launch.stream>>>(work);
  else
    labels_kernel<std::uint8_t><<<launch.ctas, kThreads, launch.label_cells, launch.stream>>>(work);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe
