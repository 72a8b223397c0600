// If pictures change their size or layout in the middle of a stream, converts them to the size and
// layout of the first picture, on the device. A picture with another aspect ratio is put in the
// middle, with black bars beside it.
#pragma once

#include <cstddef>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"
#include "video/frames/letterbox.h"

namespace facepipe::video {

/// Converts pictures. Only one thread may use it. Its frames may outlive it. It allocates scratch
/// memory when pictures of another size come.
class PictureFit {
 public:
  /// @param shape, bits, full_range  describe all converted pictures; bits as for picture_layout()
  /// @param frames  number of frames that may exist at the same time before more memory is
  /// allocated
  PictureFit(const PictureShape& shape, int bits, bool full_range, std::size_t frames,
             Device device);

  /// Enqueues the scaling on `stream`, after Frame::ready, and returns at once. The result has all
  /// other properties of `frame`. Its Frame::ready says when its samples are complete. Until then,
  /// the memory of `frame` is kept, even if the result is destroyed. Errors: as enqueue_rescale().
  [[nodiscard]] Frame apply(Frame frame, cuda::StreamView stream);

 private:
  struct Slot {
    explicit Slot(std::size_t bytes) : device(bytes) {}
    cuda::DeviceBuffer<std::byte> device;
    cuda::Event scaled;
  };
  struct Held;
  [[nodiscard]] float* scratch_for(Size from, Size to, cuda::StreamView stream);
  /// Enqueues the scaling into `memory`, with black beside the picture.
  void fit(const Frame& source, std::byte* memory, cuda::StreamView stream);

  PictureLayout layout_;
  Rational pixel_;
  bool full_range_;
  Device device_;
  Pool<Slot> slots_;
  cuda::DeviceBuffer<float> scratch_;  // enough for one picture, because a stream works in order
};

}  // namespace facepipe::video
