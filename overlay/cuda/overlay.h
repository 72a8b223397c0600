// Draws faces that are in device memory on pictures in device memory. It writes the same pixels
// that draw_overlay() writes on the host.
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

/// Describes what all frames of a stream have in common.
struct CudaOverlaySetup {
  Size stored;         ///< size of the cropped picture, before rotation
  PixelFormat format;  ///< semi-planar 4:2:0
  Orientation orientation;
  OverlayStyle style;
  std::uint32_t capacity = 0;  ///< the largest number of faces
};

/// Owns the glyphs, and the scratch memory for one frame at a time. If several streams draw, each
/// needs its own overlay, or events must order their work. An overlay belongs to the device that
/// was current at construction.
class CudaOverlay {
 public:
  /// Uploads the glyphs and waits for the upload. Throws Error(internal) if the format is not
  /// semi-planar 4:2:0, and Error(device) if CUDA fails.
  explicit CudaOverlay(const CudaOverlaySetup& setup);

  /// Enqueues the drawing on the picture that `descriptor` refers to. The descriptor is in device
  /// memory (see describe_picture()). Its planes, colours and interlacing are read when the work
  /// runs, so the work can be captured and replayed. This function enqueues at most three kernels,
  /// and none if the style draws nothing. It neither allocates nor waits. Faces must be in rank
  /// order: if labels overlap, the label of the first face is on top. Throws Error(internal) for
  /// null pointers, or if the capacity of `faces` exceeds the setup's.
  /// @param tracks  in device memory: the track of each face, as for draw_overlay(); null if there
  ///     are none
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
