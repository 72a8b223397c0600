// Declares the arguments and the launchers of the overlay's kernels.
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

namespace facepipe::overlay {

/// Refers to a GlyphAtlas for kernels. The coverage is in device memory. The table of columns is
/// part of the kernels' parameters, because every text reads it.
struct DeviceGlyphs {
  const std::uint8_t* coverage;
  std::int32_t stride;
  std::int16_t columns[kGlyphCount + 1];
};

struct OverlayWork {
  const FrameDescriptor* descriptor;
  cuda::DeviceDetections faces;
  const std::int64_t* tracks;  ///< the track of each face; null if there are none
  OverlayLayout layouts[2];    ///< progressive, interlaced
  StoredMap to_stored;
  DeviceGlyphs glyphs;
  /// One for each face, in the stored picture; empty if there is no label.
  PixelRect* label_backgrounds;
  int shift;  ///< PixelFormat::shift
  OverlayStyle style;
};

/// The text of the count is "N faces". kCountDigits is the largest number of digits of N.
inline constexpr int kCountDigits = 10;
inline constexpr std::string_view kCountWords = " faces";

/// Says how the kernels are launched: with a fixed number of thread blocks, which divide the faces
/// among themselves.
struct OverlayLaunch {
  bool wide;  ///< a sample has two bytes
  unsigned blocks;
  std::size_t label_cells;   ///< the largest number of chroma cells that a face's label covers
  std::size_t text_columns;  ///< the largest width of a text's background, in pixels
};

// The three functions below must be called in this order. See Note: order of drawing, in
// overlay.cu.
/// Draws outlines, and computes OverlayWork::label_backgrounds for launch_labels().
void launch_outlines(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream);
void launch_dots(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream);
/// Draws the labels of faces and the count.
void launch_labels(const OverlayWork& work, const OverlayLaunch& launch, cudaStream_t stream);

}  // namespace facepipe::overlay
