#include "pipeline/cuda/hiding_pixels.h"

#include <utility>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/cuda/stream.h"
#include "core/error.h"
#include "overlay/cuda/hide.h"
#include "video/cuda/pictures.h"
#include "video/cuda/pool.h"
#include "video/frames/pictures.h"

namespace facepipe::pipeline {
namespace {

void copy_plane(const Plane& from, std::byte* to, int to_stride, std::size_t row_bytes, int rows,
                cuda::StreamView stream) {
  FACEPIPE_CUDA_CHECK(cudaMemcpy2DAsync(
      to, static_cast<std::size_t>(to_stride), from.data, static_cast<std::size_t>(from.stride),
      row_bytes, static_cast<std::size_t>(rows), cudaMemcpyDeviceToDevice, stream.get()));
}

class CudaKeeper final : public PictureKeeper {
 public:
  CudaKeeper(WaitingPictures& pictures, CopyCounter& copies)
      : pictures_(pictures), copies_(copies) {}

  // Waits, because memory must not be freed while a copy uses it.
  ~CudaKeeper() override { static_cast<void>(cudaStreamSynchronize(stream_.view().get())); }
  CudaKeeper(const CudaKeeper&) = delete;
  CudaKeeper& operator=(const CudaKeeper&) = delete;

  [[nodiscard]] Frame kept(Frame frame) override {
    wait();
    WaitingPictures::Copy copy = pictures_.copy(frame, stream_);
    copies_.add(CopyKind::waiting, pictures_.bytes_of_one());
    source_ = std::move(frame);
    copied_ = std::move(copy.done);
    return std::move(copy.frame);
  }

  void wait() override {
    if (!copied_) return;
    copied_->synchronize();
    copied_ = nullptr;
    source_ = {};  // gives the surface back to the decoder
  }

 private:
  WaitingPictures& pictures_;
  CopyCounter& copies_;
  cuda::Stream stream_;
  Frame source_;  // the frame that is being copied
  std::shared_ptr<const cuda::Event> copied_;
};

class CudaHidingPixels final : public HidingPixels {
 public:
  CudaHidingPixels(const overlay::HideOptions& look, Size stored)
      : color_(look.color), hider_(look, stored) {}

  // Waits, because a frame's memory must not be freed while the device works on the frame.
  ~CudaHidingPixels() override { static_cast<void>(cudaStreamSynchronize(stream_.view().get())); }
  CudaHidingPixels(const CudaHidingPixels&) = delete;
  CudaHidingPixels& operator=(const CudaHidingPixels&) = delete;

  void hide(Frame& frame, std::span<const Box> faces) override {
    video::hold_back_until_ready(frame, stream_);
    hider_.enqueue(frame, faces, stream_);
    record_ready(frame);
  }

  void hide_all(Frame& frame) override {
    video::hold_back_until_ready(frame, stream_);
    overlay::enqueue_hide_all(frame, color_, stream_);
    record_ready(frame);
  }

 private:
  void record_ready(Frame& frame) {
    std::shared_ptr<cuda::Event> hidden = events_.lease();
    hidden->record(stream_);
    video::attach_ready(frame, std::move(hidden));
  }

  const overlay::Rgb color_;
  cuda::Stream stream_;
  overlay::CudaFaceHider hider_;
  video::Pool<cuda::Event> events_{4, [] { return std::make_unique<cuda::Event>(); }};
};

}  // namespace

WaitingPictures::WaitingPictures(const Frame& first, int pictures)
    : device_(first.device),
      format_(first.format),
      layout_(video::picture_layout(first.size, first.format.bits)),
      pictures_(static_cast<std::size_t>(pictures)) {}

std::shared_ptr<WaitingPictures::Place> WaitingPictures::place() {
  std::call_once(allocated_, [this] {
    const std::size_t bytes = layout_.bytes;
    auto all = std::make_shared<cuda::DeviceBuffer<std::byte>>(pictures_ * bytes);
    // The first pictures_ places use memory of `all`; each further place has its own memory.
    const auto make = [bytes, all = std::move(all), used = std::size_t{0}]() mutable {
      auto made = std::make_unique<Place>();
      const bool in_piece = all && used + bytes <= all->size();
      made->memory = in_piece ? all : std::make_shared<cuda::DeviceBuffer<std::byte>>(bytes);
      made->samples = made->memory->data() + (in_piece ? used : 0);
      if (in_piece) used += bytes;
      return made;
    };
    places_.emplace(pictures_, make);
  });
  return places_->lease();
}

WaitingPictures::Copy WaitingPictures::copy(const Frame& frame, cuda::StreamView stream) {
  if (frame.size != layout_.size || frame.format != format_)
    throw Error(ErrorKind::internal, "hide: a picture unlike the first");
  const std::shared_ptr<Place> to = place();
  const Size chroma = frame.chroma_size();
  const auto sample = static_cast<std::size_t>(format_.bytes_per_sample());
  video::hold_back_until_ready(frame, stream);
  copy_plane(frame.planes[0], to->samples, layout_.stride,
             static_cast<std::size_t>(frame.size.width) * sample, frame.size.height, stream);
  copy_plane(frame.planes[1], to->samples + layout_.luma_bytes, layout_.stride,
             static_cast<std::size_t>(chroma.width) * 2 * sample, chroma.height, stream);
  to->done.record(stream);
  Frame copy = video::wrap(video::picture_over(to->samples, layout_, video::unwrap(frame), to),
                           layout_.format, device_);
  copy.info() = frame.info();
  return {std::move(copy), {to, &to->done}};
}

std::unique_ptr<PictureKeeper> make_cuda_keeper(WaitingPictures& pictures, CopyCounter& copies) {
  return std::make_unique<CudaKeeper>(pictures, copies);
}

std::unique_ptr<HidingPixels> make_cuda_hiding_pixels(const overlay::HideOptions& look,
                                                      Size stored) {
  return std::make_unique<CudaHidingPixels>(look, stored);
}

}  // namespace facepipe::pipeline
