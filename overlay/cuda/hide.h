// Hides faces on pictures in device memory: the same samples that FaceHider writes on the host, bit
// for bit. Boxes come from the host, where tracks are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "overlay/hide.h"

namespace facepipe::overlay {

/// Owns the image and a blur's scratch memory, of six bytes for each pixel of the picture, for one
/// frame in flight: work on several streams needs a hider for each stream, or must be ordered by
/// events. Bound to the device that was current at construction.
class CudaFaceHider {
 public:
  /// For pictures of semi-planar 4:2:0 of this size, before rotation, or smaller ones. Throws as
  /// check_hide_options(), and Error(device) if CUDA fails.
  CudaFaceHider(HideOptions options, Size stored);
  CudaFaceHider(CudaFaceHider&&) noexcept;
  CudaFaceHider& operator=(CudaFaceHider&&) noexcept;
  CudaFaceHider(const CudaFaceHider&) = delete;
  CudaFaceHider& operator=(const CudaFaceHider&) = delete;
  ~CudaFaceHider();

  /// Enqueues what FaceHider::hide() does; the same promises and errors, with which nothing is
  /// enqueued. The stream must have waited for Frame::ready. Nothing is allocated or waited for,
  /// but where HideStyle::image meets a frame of another format, colour or orientation than before,
  /// the first one too: then the image is uploaded. Besides: Error(internal) for a frame that is
  /// not on a CUDA device, not of semi-planar 4:2:0, or larger than was said; Error(device) if CUDA
  /// fails, after which some masks may have been enqueued, and the frame must not be shown.
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

/// hide_all() for a frame on a CUDA device; the stream must have waited for Frame::ready. Errors as
/// CudaFaceHider::enqueue().
void enqueue_hide_all(const Frame& frame, const Rgb& color, cuda::StreamView stream);

}  // namespace facepipe::overlay
