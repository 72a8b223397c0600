// What hiding does with pictures in device memory.
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

/// Memory for the pictures of one job's frames, which a decoder's surfaces, 32 at most, are copied
/// to while they wait. All of it is allocated in one piece for the first; frames may outlive this.
/// Thread-safe.
class WaitingPictures {
 public:
  /// @param first     all are like it
  /// @param pictures  at once; what waits beyond has its own memory
  WaitingPictures(const Frame& first, int pictures);

  /// The frame's picture, copied by `stream` to memory that is used again when nobody refers to the
  /// copy any more. `done` is the event after which the samples are there.
  struct Copy {
    Frame frame;
    std::shared_ptr<const cuda::Event> done;
  };
  /// Errors: Error(device); Error(internal) for a frame unlike the first.
  [[nodiscard]] Copy copy(const Frame& frame, cuda::StreamView stream);

  [[nodiscard]] std::size_t bytes_of_one() const { return layout_.bytes; }

 private:
  /// A picture's memory, a part of a larger one, and the event of the last that was done to it.
  struct Place {
    std::shared_ptr<cuda::DeviceBuffer<std::byte>> memory;
    std::byte* samples = nullptr;
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

/// CUDA's current device must be the frames'; `pictures` and `copies` must outlive it.
[[nodiscard]] std::unique_ptr<PictureKeeper> make_cuda_keeper(WaitingPictures& pictures,
                                                              CopyCounter& copies);

/// For pictures of `stored` size, which carry Frame::ready when they are hidden. Several may hide
/// on a frame one after the other. CUDA's current device must be the frames'. Errors:
/// Error(device); as check_hide_options().
[[nodiscard]] std::unique_ptr<HidingPixels> make_cuda_hiding_pixels(
    const overlay::HideOptions& look, Size stored);

}  // namespace facepipe::pipeline
