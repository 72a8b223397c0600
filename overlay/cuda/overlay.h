// Draws faces that are in device memory on pictures in device memory: the same pixels that
// draw_overlay() writes on the host.
#pragma once

#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "overlay/cuda/kernels.h"
#include "overlay/overlay.h"

namespace facepipe::overlay {

/// What all frames of a stream have in common.
struct CudaOverlaySetup {
  Size stored;         ///< of the cropped picture, before rotation
  PixelFormat format;  ///< semi-planar 4:2:0
  Orientation orientation;
  OverlayStyle style;
  std::uint32_t capacity = 0;  ///< the largest number of faces
};

/// Owns the glyphs, and the scratch memory for one frame in flight: work on several streams needs
/// an overlay for each stream, or must be ordered by events. Bound to the device that was current
/// at construction.
class CudaOverlay {
 public:
  /// Uploads the glyphs and waits for the upload. Throws std::invalid_argument for a format that is
  /// not semi-planar 4:2:0; Error(device) if CUDA fails.
  explicit CudaOverlay(const CudaOverlaySetup& setup);

  /// Enqueues the drawing on the picture that `descriptor` names. The descriptor is in device
  /// memory (see describe_picture()), and its planes, colours and interlacing are read when the
  /// work runs, so that the work can be captured and replayed. Enqueues at most three kernels, none
  /// if the style draws nothing; neither allocates nor waits. Faces must be in rank order: of
  /// overlapping labels the first one is on top. Throws std::invalid_argument for null pointers, or
  /// if the capacity of `faces` exceeds the setup's.
  /// @param tracks  in device memory: of each face, as draw_overlay() has them; null: of none
  void enqueue(const FrameDescriptor* descriptor, const cuda::DeviceDetections& faces,
               cuda::StreamView stream, const std::int64_t* tracks = nullptr) const;

 private:
  void load_glyphs();

  CudaOverlaySetup setup_;
  OverlayWork work_;  // without the descriptor and the faces
  OverlayLaunch launch_;
  cuda::DeviceBuffer<std::uint8_t> coverage_;
  cuda::DeviceBuffer<PixelRect> label_backgrounds_;
};

}  // namespace facepipe::overlay
