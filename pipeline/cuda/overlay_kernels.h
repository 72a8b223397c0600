// What the overlay's kernels get, and their launchers.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "pipeline/overlay.h"
#include "pipeline/overlay_geometry.h"

namespace facepipe {

/// GlyphAtlas in device memory.
struct DeviceGlyphs {
  const std::uint8_t* coverage;
  const std::int32_t* columns;
  std::int32_t stride;
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

/// A fixed number of CTAs, which share out the faces.
struct OverlayLaunch {
  bool wide;  ///< samples of two bytes
  unsigned ctas;
  std::size_t label_cells;
  cudaStream_t stream;
};

// In this order; see Note: order of drawing, in overlay.cu.
/// Outlines, and the plates for launch_labels().
void launch_outlines(const OverlayWork& work, const OverlayLaunch& launch);
void launch_dots(const OverlayWork& work, const OverlayLaunch& launch);
/// Labels of faces and the count.
void launch_labels(const OverlayWork& work, const OverlayLaunch& launch);

}  // namespace facepipe
