// Hides faces on pictures in device memory. It writes the same samples that FaceHider writes on the
// host, bit for bit. Boxes come from the host, because the tracks are on the host.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "overlay/hide.h"

namespace facepipe::overlay {

/// Owns the image, and the scratch memory of a blur: six bytes for each pixel of the picture. A
/// hider works on one frame at a time. If several streams hide faces, each needs its own hider, or
/// events must order their work. A hider belongs to the device that was current at construction.
class CudaFaceHider {
 public:
  /// Makes a hider for semi-planar 4:2:0 pictures of this size (before rotation) or smaller. Throws
  /// as check_hide_options() does, and Error(device) if CUDA fails.
  CudaFaceHider(HideOptions options, Size stored);
  CudaFaceHider(CudaFaceHider&&) noexcept;
  CudaFaceHider& operator=(CudaFaceHider&&) noexcept;
  CudaFaceHider(const CudaFaceHider&) = delete;
  CudaFaceHider& operator=(const CudaFaceHider&) = delete;
  ~CudaFaceHider();

  /// Enqueues what FaceHider::hide() does, with the same promises and errors. If there is such an
  /// error, nothing is enqueued. The stream must have waited for Frame::ready. This function
  /// neither allocates nor waits, with one exception: with HideStyle::image it uploads the image
  /// for the first frame, and again if the frame's format, colour or orientation has changed. More
  /// errors: Error(internal) for a frame that is not on a CUDA device, not semi-planar 4:2:0, or
  /// larger than the constructor's `stored`; Error(device) if CUDA fails. After Error(device) some
  /// masks may have been enqueued, and the frame must not be shown.
  void enqueue(const Frame& frame, std::span<const Box> faces, cuda::StreamView stream);

 private:
  class Batches;
  void prepare_image(const Frame& frame);

  HideOptions options_;
  Size stored_;
  std::unique_ptr<ComposedImage> image_;
  cuda::DeviceBuffer<std::uint16_t> image_samples_;
  cuda::DeviceBuffer<std::uint16_t> scratch_;
};

/// Does what hide_all() does, for a frame on a CUDA device. The stream must have waited for
/// Frame::ready. Errors: as CudaFaceHider::enqueue().
void enqueue_hide_all(const Frame& frame, const Rgb& color, cuda::StreamView stream);

}  // namespace facepipe::overlay
