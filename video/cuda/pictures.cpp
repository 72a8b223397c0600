#include "video/cuda/pictures.h"

#include <utility>

#include "core/cuda/check.h"
#include "core/error.h"

namespace facepipe::video {

void expect_device_picture(const Frame& frame) {
  const PixelFormat& format = frame.format;
  const bool fits = frame.device.kind == DeviceKind::cuda && format.semi_planar &&
                    format.log2_chroma_w == 1 && format.log2_chroma_h == 1;
  if (!fits)
    throw Error(ErrorKind::internal, "a picture on " + to_string(frame.device) +
                                         " where semi-planar 4:2:0 on cuda is expected");
}

void attach_ready(Frame& frame, std::shared_ptr<const cuda::Event> event) {
  struct Held {
    std::shared_ptr<void> owner;
    std::shared_ptr<const cuda::Event> event;
  };
  frame.ready = event->get();
  auto held = std::make_shared<Held>(Held{std::move(frame.owner), std::move(event)});
  void* const owner = held->owner.get();  // unwrap() expects this pointer in frame.owner
  frame.owner = std::shared_ptr<void>(std::move(held), owner);
}

void hold_back_until_ready(const Frame& frame, cuda::StreamView stream) {
  if (frame.ready == nullptr) return;
  FACEPIPE_CUDA_CHECK(cudaStreamWaitEvent(stream.get(), frame.ready, 0));
}

PictureLayout picture_layout(Size size, int bits) {
  constexpr int kAlignment = 256;
  PictureLayout layout;
  layout.size = size;
  if (bits > 8) layout.format = bits <= 10 ? AV_PIX_FMT_P010LE : AV_PIX_FMT_P016LE;
  // There must be room for U and V of the last column, which can belong to only one luma column.
  const int samples = (size.width + 1) / 2 * 2;
  const int row = samples * (bits > 8 ? 2 : 1);
  layout.stride = (row + kAlignment - 1) / kAlignment * kAlignment;
  const auto stride = static_cast<std::size_t>(layout.stride);
  layout.luma_bytes = stride * static_cast<std::size_t>(size.height);
  layout.bytes = layout.luma_bytes + stride * static_cast<std::size_t>((size.height + 1) / 2);
  return layout;
}

UniqueAVFrame picture_over(std::byte* memory, const PictureLayout& layout, const AVFrame& like,
                           std::shared_ptr<void> holder) {
  UniqueAVFrame picture = new_av_frame();
  check_av(av_frame_copy_props(picture.get(), &like), ErrorKind::internal, "picture properties");
  picture->format = layout.format;
  picture->width = layout.size.width;
  picture->height = layout.size.height;
  auto* const data = reinterpret_cast<std::uint8_t*>(memory);
  picture->data[0] = data;
  picture->data[1] = data + layout.luma_bytes;
  picture->linesize[0] = layout.stride;
  picture->linesize[1] = layout.stride;
  auto kept = std::make_unique<std::shared_ptr<void>>(std::move(holder));
  const auto let_go = [](void* opaque, std::uint8_t*) {
    const std::unique_ptr<std::shared_ptr<void>> last(static_cast<std::shared_ptr<void>*>(opaque));
  };
  picture->buf[0] = allocated(av_buffer_create(data, layout.bytes, let_go, kept.get(), 0));
  static_cast<void>(kept.release());
  return picture;
}

}  // namespace facepipe::video
