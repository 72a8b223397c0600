// The overlay on pictures in device memory, drawn for faces in device memory: pixel for pixel what
// draw_overlay() draws on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/cuda/buffer.h"
#include "core/cuda/detections.h"
#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "overlay/cuda/kernels.h"
#include "overlay/overlay.h"

namespace facepipe {

/// What is the same for a whole stream.
struct CudaOverlaySetup {
  Size stored;         ///< of the cropped picture, before rotation
  PixelFormat format;  ///< semi-planar 4:2:0
  Orientation orientation;
  OverlayStyle style;
  std::uint32_t capacity = 0;  ///< faces at most
};

/// Owns the letters and the scratch memory of one frame in flight: work enqueued on several streams
/// needs an overlay for each, or an order among them. Bound to the device current at construction.
class CudaOverlay {
 public:
  /// Throws std::invalid_argument for another kind of format; Error(device) where CUDA fails. The
  /// letters go to the device here, waited for, once.
  explicit CudaOverlay(const CudaOverlaySetup& setup);

  /// Draws on the picture that `descriptor` (in device memory, see describe_picture()) names when
  /// the work runs: its planes, inks and interlacing are read then, so that the work can be
  /// captured and replayed. At most three kernels, none without a style; nothing is allocated,
  /// nothing waited for. Faces must be in rank order: where labels overlap, the first shows.
  /// Throws std::invalid_argument for null pointers, or faces with a greater capacity.
  void enqueue(const FrameDescriptor* descriptor, const cuda::DeviceDetections& faces,
               cuda::StreamView stream) const;

 private:
  void load_letters();

  CudaOverlaySetup setup_;
  OverlayWork work_;  // but for the descriptor and the faces
  OverlayLaunch launch_;
  cuda::DeviceBuffer<std::uint8_t> coverage_;
  cuda::DeviceBuffer<PixelRect> plates_;
};

}  // namespace facepipe
