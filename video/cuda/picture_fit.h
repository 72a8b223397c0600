// Makes pictures that change size or layout in the middle of a stream like the first, on the
// device. Pictures of another shape lie in the middle, with black beside them.
#pragma once

#include <cstddef>

#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/frame.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"
#include "video/frames/letterbox.h"

namespace facepipe::video {

/// Used by one thread. Its frames may outlive it. It allocates scratch memory when pictures of
/// another size come.
class PictureFit {
 public:
  /// @param shape, bits, full_range  what all pictures become; bits as for picture_layout()
  /// @param frames  how many may be alive at once before more memory is allocated
  PictureFit(const PictureShape& shape, int bits, bool full_range, std::size_t frames,
             Device device);

  /// Enqueues the scaling on `stream`, after Frame::ready, and returns. The result has all other
  /// properties of `frame`. Frame::ready tells when its samples are there. Until then, the memory
  /// of `frame` is kept, even if nobody keeps the result. Errors: as enqueue_rescale().
  [[nodiscard]] Frame apply(Frame frame, cuda::StreamView stream);

 private:
  struct Slot {
    explicit Slot(std::size_t bytes) : device(bytes) {}
    cuda::DeviceBuffer<std::byte> device;
    cuda::Event scaled;
  };
  struct Held;
  [[nodiscard]] float* scratch_for(Size from, Size to, cuda::StreamView stream);
  /// Enqueues the scaling into `memory`, and black beside it.
  void fit(const Frame& source, std::byte* memory, cuda::StreamView stream);

  PictureLayout layout_;
  Rational pixel_;
  bool full_range_;
  Device device_;
  Pool<Slot> slots_;
  cuda::DeviceBuffer<float> scratch_;  // for one picture, because a stream's work happens in order
};

}  // namespace facepipe::video
