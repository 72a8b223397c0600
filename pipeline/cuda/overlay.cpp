#include "pipeline/cuda/overlay.h"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>

#include "core/cuda/check.h"
#include "pipeline/cuda/overlay_kernels.h"
#include "pipeline/overlay_glyphs.h"

namespace facepipe {
namespace {

// Enough to fill a chip with the marks of hundreds of faces; with few, most find nothing to do.
constexpr unsigned kCtasPerProcessor = 8;

unsigned processors() {
  int device = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  int count = 0;
  FACEPIPE_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return static_cast<unsigned>(count);
}

/// Chroma cells of the largest plate of a score.
std::size_t cells_of_label(const OverlayLayout& layout, const GlyphAtlas& atlas) {
  int digit = 0;
  for (char character = '0'; character <= '9'; ++character)
    digit = std::max(digit, atlas.advance(glyph_of(character)));
  const int width = (ScoreText::kSize - 1) * digit + atlas.advance(glyph_of('.'));
  // A plate widened to the edges of cells, at either end.
  const int columns = (layout.plate_width(width) + 2 * layout.unit) / 2;
  const int rows = (layout.text_height + 2 * layout.unit) / 2;
  return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
}

void check_format(const PixelFormat& format) {
  const bool fits = format.semi_planar && format.has_chroma && format.log2_chroma_w == 1 &&
                    format.log2_chroma_h == 1;
  if (!fits) throw std::invalid_argument("CudaOverlay: pictures must be semi-planar 4:2:0");
}

}  // namespace

CudaOverlay::CudaOverlay(const CudaOverlaySetup& setup)
    : setup_(setup),
      layouts_{overlay_layout(setup.stored, setup.format, setup.orientation, false),
               overlay_layout(setup.stored, setup.format, setup.orientation, true)},
      to_stored_(stored_map(setup.stored, setup.orientation)) {
  check_format(setup.format);
  ctas_ = kCtasPerProcessor * processors();
  if (!setup.style.scores && !setup.style.count) return;
  const std::shared_ptr<const GlyphAtlas> atlas = glyph_atlas(layouts_[0].text_height);
  glyph_stride_ = atlas->stride();
  // Cells are largest, and so is a widened plate, where rows lie in two fields.
  label_cells_ = cells_of_label(layouts_[1], *atlas);
  coverage_ = cuda::DeviceBuffer<std::uint8_t>(atlas->coverage.size());
  columns_ = cuda::DeviceBuffer<std::int32_t>(atlas->columns.size());
  plates_ = cuda::DeviceBuffer<PixelRect>(setup.capacity);
  const cuda::Stream stream;
  cuda::copy(coverage_.span(), std::span(atlas->coverage), stream);
  cuda::copy(columns_.span(), std::span(atlas->columns), stream);
  stream.synchronize();
}

void CudaOverlay::enqueue(const FrameDescriptor* descriptor, const cuda::DeviceDetections& faces,
                          cuda::StreamView stream) const {
  const bool whole = descriptor != nullptr && faces.boxes != nullptr && faces.scores != nullptr &&
                     faces.landmarks != nullptr && faces.count != nullptr;
  if (!whole) throw std::invalid_argument("CudaOverlay: an array is missing");
  if (faces.capacity > setup_.capacity)
    throw std::invalid_argument("CudaOverlay: faces of a greater capacity than was said");
  const OverlayWork work{descriptor,
                         faces,
                         {layouts_[0], layouts_[1]},
                         to_stored_,
                         {coverage_.data(), columns_.data(), glyph_stride_},
                         plates_.data(),
                         setup_.format.shift,
                         setup_.style};
  const OverlayLaunch launch{setup_.format.bytes_per_sample() == 2, ctas_, label_cells_,
                             stream.get()};
  const OverlayStyle& style = setup_.style;
  if (style.boxes || style.scores) launch_outlines(work, launch);
  if (style.landmarks) launch_dots(work, launch);
  if (style.scores || style.count) launch_labels(work, launch);
}

}  // namespace facepipe
