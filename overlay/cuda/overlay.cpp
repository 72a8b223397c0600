#include "overlay/cuda/overlay.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

#include "core/cuda/check.h"
#include "core/error.h"
#include "overlay/glyphs.h"

namespace facepipe::overlay {
namespace {

// This is enough to fill a device with the primitives of hundreds of faces. With few faces, most
// blocks have nothing to do.
constexpr unsigned kBlocksPerMultiprocessor = 8;

unsigned multiprocessors() {
  int device = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  int count = 0;
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return static_cast<unsigned>(count);
}

/// Returns the largest width of a text's background, for texts of `digits` digits and the
/// characters in `others`. It includes the pixels that widening to the edges of chroma cells can
/// add.
int widest_background(const OverlayLayout& layout, const GlyphAtlas& atlas, int digits,
                      std::string_view others) {
  int digit = 0;
  for (char character = '0'; character <= '9'; ++character)
    digit = std::max(digit, atlas.advance(glyph_of(character)));
  return layout.background_width(digits * digit + atlas.width(others)) + 2 * layout.unit;
}

int widest_label(const OverlayLayout& layout, const GlyphAtlas& atlas, const OverlayStyle& style) {
  const int score_digits = style.scores ? ScoreText::kSize - 1 : 0;
  if (!style.ids) return widest_background(layout, atlas, score_digits, ".");
  return widest_background(layout, atlas, OverlayText::kIdDigits + score_digits, "# .");
}

std::size_t cells_of_label(const OverlayLayout& layout, int width) {
  const int rows = (layout.text_height + 2 * layout.unit) / 2;
  return static_cast<std::size_t>(width / 2 + 1) * static_cast<std::size_t>(rows + 1);
}

void check_format(const PixelFormat& format) {
  const bool fits = format.semi_planar && format.has_chroma && format.log2_chroma_w == 1 &&
                    format.log2_chroma_h == 1;
  if (!fits) throw Error(ErrorKind::internal, "CudaOverlay: pictures must be semi-planar 4:2:0");
}

}  // namespace

CudaOverlay::CudaOverlay(const CudaOverlaySetup& setup) : setup_(setup), work_(), launch_() {
  check_format(setup.format);
  for (const bool interlaced : {false, true})
    work_.layouts[interlaced ? 1 : 0] =
        overlay_layout(setup.stored, setup.format, setup.orientation, interlaced);
  work_.to_stored = stored_map(setup.stored, setup.orientation);
  work_.shift = setup.format.shift;
  work_.style = setup.style;
  launch_.wide = setup.format.bytes_per_sample() == 2;
  launch_.blocks = kBlocksPerMultiprocessor * multiprocessors();
  if (draws_labels(setup.style) || setup.style.count) load_glyphs();
}

void CudaOverlay::load_glyphs() {
  const std::shared_ptr<const GlyphAtlas> atlas = glyph_atlas(work_.layouts[0].text_height);
  // Uses the layout of interlaced pictures, in which chroma cells, and so backgrounds, are largest.
  const OverlayLayout& layout = work_.layouts[1];
  const int label = widest_label(layout, *atlas, setup_.style);
  const int count = widest_background(layout, *atlas, kCountDigits, kCountWords);
  launch_.label_cells = cells_of_label(layout, label);
  launch_.text_columns = static_cast<std::size_t>(std::max(label, count));
  coverage_ = cuda::DeviceBuffer<std::uint8_t>(atlas->coverage.size());
  label_backgrounds_ = cuda::DeviceBuffer<PixelRect>(setup_.capacity);
  const cuda::Stream stream;
  cuda::copy(coverage_.span(), std::span(atlas->coverage), stream);
  stream.synchronize();
  work_.label_backgrounds = label_backgrounds_.data();
  work_.glyphs.coverage = coverage_.data();
  work_.glyphs.stride = atlas->stride();
  std::ranges::transform(atlas->columns, work_.glyphs.columns,
                         [](int column) { return static_cast<std::int16_t>(column); });
}

void CudaOverlay::enqueue(const FrameDescriptor* descriptor, const cuda::DeviceDetections& faces,
                          cuda::StreamView stream, const std::int64_t* tracks) const {
  const bool whole = descriptor != nullptr && faces.boxes != nullptr && faces.scores != nullptr &&
                     faces.count != nullptr;
  if (!whole) throw Error(ErrorKind::internal, "CudaOverlay: an array is missing");
  if (faces.capacity > setup_.capacity)
    throw Error(ErrorKind::internal,
                "CudaOverlay: the capacity of the faces is larger than the overlay's");
  OverlayWork work = work_;
  work.descriptor = descriptor;
  work.faces = faces;
  work.tracks = tracks;
  const OverlayStyle& style = setup_.style;
  const bool labels = draws_labels(style);
  if (style.boxes || labels) launch_outlines(work, launch_, stream.get());
  if (style.landmarks && faces.landmarks != nullptr) launch_dots(work, launch_, stream.get());
  if (labels || style.count) launch_labels(work, launch_, stream.get());
}

}  // namespace facepipe::overlay
