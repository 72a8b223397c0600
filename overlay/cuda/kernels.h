// What the overlay's kernels get, and their launchers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "overlay/geometry.h"
#include "overlay/glyphs.h"
#include "overlay/overlay.h"

namespace facepipe {

/// GlyphAtlas: coverage in device memory; the table, which every text reads, among the kernels'
/// parameters.
struct DeviceGlyphs {
  const std::uint8_t* coverage;
  std::int32_t stride;
  std::int16_t columns[kGlyphCount + 1];
};

struct OverlayWork {
  const FrameDescriptor* descriptor;
  cuda::DeviceDetections faces;
  OverlayLayout layouts[2];  ///< progressive, interlaced
  StoredMap to_stored;
  DeviceGlyphs glyphs;
  PixelRect* plates;  ///< of the stored picture, a face each; empty: the face has no label
  int shift;          ///< of a sample in its word
  OverlayStyle style;
};

/// "N faces": the most digits of N, and the rest.
inline constexpr int kCountDigits = 10;
inline constexpr std::string_view kCountWords = " faces";

/// A fixed number of CTAs, which share out the faces.
struct OverlayLaunch {
  bool wide;  ///< samples of two bytes
  unsigned ctas;
  std::size_t label_cells;   ///< chroma cells under a face's label at most
  std::size_t text_columns;  ///< pixels of the longest text's plate at most
};

// In this order; see Note: order of drawing, in overlay.cu.
/// Outlines, and the plates for launch_labels().
void launch_outlines(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream);
void launch_dots(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream);
/// Labels of faces and the count.
void launch_labels(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream);

}  // namespace facepipe
