// Keeps pictures of waiting frames, and hides faces in pictures, in device memory.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>

#include "core/copies.h"
#include "core/cuda/buffer.h"
#include "core/cuda/stream.h"
#include "core/device.h"
#include "core/frame.h"
#include "overlay/hide.h"
#include "pipeline/hide/hiding.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"

namespace facepipe::pipeline {

/// Copies the pictures of one job's waiting frames to memory of its own, because a decoder has at
/// most 32 surfaces. The first copy() allocates the memory for all pictures in one piece. Copies
/// may outlive this object. Thread-safe.
class WaitingPictures {
 public:
  /// @param first     all frames have its size and format
  /// @param pictures  number of pictures in the one piece; each further picture that waits at the
  ///                  same time gets its own memory
  WaitingPictures(const Frame& first, int pictures);

  /// A copied frame. Its memory is used again when all references to the frame are gone.
  struct Copy {
    Frame frame;
    std::shared_ptr<const cuda::Event> done;  ///< the end of the copy
  };
  /// Enqueues the copy of a frame in `stream`. The copy begins after Frame::ready. Errors:
  /// Error(device); Error(internal) for a frame of another size or format than the first.
  [[nodiscard]] Copy copy(const Frame& frame, cuda::StreamView stream);

  [[nodiscard]] std::size_t bytes_of_one() const { return layout_.bytes; }

 private:
  /// The memory of one picture, and the event of its last copy.
  struct Place {
    /// Memory of all pictures, or of this picture alone.
    std::shared_ptr<cuda::DeviceBuffer<std::byte>> memory;
    std::byte* samples = nullptr;  ///< the picture's part of `memory`
    cuda::Event done{cuda::Event::Timing::off, cuda::Event::Wait::sleeping};
  };
  [[nodiscard]] std::shared_ptr<Place> place();

  const Device device_;
  const PixelFormat format_;
  const video::PictureLayout layout_;
  const std::size_t pictures_;
  std::once_flag allocated_;
  std::optional<video::Pool<Place>> places_;
};

/// Makes a PictureKeeper. CUDA's current device must be the device of the frames. `pictures` and
/// `copies` must outlive the result.
[[nodiscard]] std::unique_ptr<PictureKeeper> make_cuda_keeper(WaitingPictures& pictures,
                                                              CopyCounter& copies);

/// Makes a HidingPixels for pictures of `stored` size. Its functions only enqueue their work, and
/// set Frame::ready to the event at the end of this work. Several HidingPixels may work on one
/// frame, one after the other. CUDA's current device must be the device of the frames. Errors:
/// Error(device); as check_hide_options().
[[nodiscard]] std::unique_ptr<HidingPixels> make_cuda_hiding_pixels(
    const overlay::HideOptions& look, Size stored);

}  // namespace facepipe::pipeline
