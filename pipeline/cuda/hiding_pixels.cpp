#include "pipeline/cuda/hiding_pixels.h"

#include <optional>
#include <utility>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/cuda/stream.h"
#include "core/error.h"
#include "overlay/cuda/hide.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"
#include "video/pictures.h"

namespace facepipe {
namespace {

/// A waiting picture's memory, and the event of the last that was done to it.
struct Place {
  explicit Place(std::size_t bytes) : memory(bytes) {}
  cuda::DeviceBuffer<std::byte> memory;
  cuda::Event done{cuda::Event::Timing::off, cuda::Event::Wait::sleeping};
};

void copy_plane(const Plane& from, std::byte* to, int to_stride, std::size_t row_bytes, int rows,
                cuda::StreamView stream) {
  FACEPIPE_CUDA_CHECK(cudaMemcpy2DAsync(
      to, static_cast<std::size_t>(to_stride), from.data, static_cast<std::size_t>(from.stride),
      row_bytes, static_cast<std::size_t>(rows), cudaMemcpyDeviceToDevice, stream.get()));
}

class CudaHidingPixels final : public HidingPixels {
 public:
  CudaHidingPixels(const HideOptions& look, const HidingPictures& pictures, CopyCounter& copies)
      : color_(look.color),
        device_(pictures.device),
        format_(pictures.format),
        waiting_(static_cast<std::size_t>(pictures.waiting)),
        layout_(picture_layout(pictures.size, pictures.format.bits)),
        copies_(copies),
        hider_(look, pictures.size) {}

  // What waits then is never shown; its memory must not go while it is worked on.
  ~CudaHidingPixels() override { static_cast<void>(cudaStreamSynchronize(stream_.view().get())); }
  CudaHidingPixels(const CudaHidingPixels&) = delete;
  CudaHidingPixels& operator=(const CudaHidingPixels&) = delete;

  [[nodiscard]] Frame kept(Frame frame) override {
    if (frame.size != layout_.size || frame.format != format_)
      throw Error(ErrorKind::internal, "hide: a picture unlike the first");
    if (!places_)
      places_.emplace(waiting_, [bytes = layout_.bytes] { return std::make_unique<Place>(bytes); });
    wait();
    std::shared_ptr<Place> place = places_->lease();
    std::byte* const memory = place->memory.data();
    const Size chroma = frame.chroma_size();
    const auto sample = static_cast<std::size_t>(format_.bytes_per_sample());
    hold_back_until_ready(frame, stream_);
    copy_plane(frame.planes[0], memory, layout_.stride,
               static_cast<std::size_t>(frame.size.width) * sample, frame.size.height, stream_);
    copy_plane(frame.planes[1], memory + layout_.luma_bytes, layout_.stride,
               static_cast<std::size_t>(chroma.width) * 2 * sample, chroma.height, stream_);
    copies_.add(CopyKind::waiting, layout_.bytes);
    place->done.record(stream_);
    Frame copy = wrap(picture_over(memory, layout_, unwrap(frame), place), layout_.format, device_);
    copy.info() = frame.info();
    source_ = std::move(frame);
    copying_ = std::move(place);
    return copy;
  }

  void wait() override {
    if (!copying_) return;
    copying_->done.synchronize();
    copying_ = nullptr;
    source_ = {};  // the decoder's surface goes back
  }

  void hide(Frame& frame, std::span<const Box> faces) override {
    hold_back_until_ready(frame, stream_);
    hider_.enqueue(frame, faces, stream_);
    tell_ready(frame);
  }

  void hide_all(Frame& frame) override {
    hold_back_until_ready(frame, stream_);
    enqueue_hide_all(frame, color_, stream_);
    tell_ready(frame);
  }

 private:
  void tell_ready(Frame& frame) {
    std::shared_ptr<cuda::Event> hidden = events_.lease();
    hidden->record(stream_);
    attach_ready(frame, std::move(hidden));
  }

  const Rgb color_;
  const Device device_;
  const PixelFormat format_;
  const std::size_t waiting_;
  const PictureLayout layout_;
  CopyCounter& copies_;
  cuda::Stream stream_;
  CudaFaceHider hider_;
  std::optional<Pool<Place>> places_;
  Frame source_;                    // while it is copied
  std::shared_ptr<Place> copying_;  // to where
  Pool<cuda::Event> events_{4, [] { return std::make_unique<cuda::Event>(); }};
};

}  // namespace

std::unique_ptr<HidingPixels> make_cuda_hiding_pixels(const HideOptions& look,
                                                      const HidingPictures& pictures,
                                                      CopyCounter& copies) {
  return std::make_unique<CudaHidingPixels>(look, pictures, copies);
}

}  // namespace facepipe
