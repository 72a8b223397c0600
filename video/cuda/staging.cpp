#include "video/cuda/staging.h"

#include <utility>

namespace facepipe {

PictureLayout picture_layout(Size size, int bits) {
  constexpr int kAlignment = 256;
  PictureLayout layout;
  layout.size = size;
  if (bits > 8) layout.format = bits <= 10 ? AV_PIX_FMT_P010LE : AV_PIX_FMT_P016LE;
  const int samples = (size.width + 1) / 2 * 2;  // U and V of the last, half covered column
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
  picture->buf[0] = av_buffer_create(data, layout.bytes, let_go, kept.get(), 0);
  if (picture->buf[0] == nullptr) throw std::bad_alloc();
  static_cast<void>(kept.release());
  return picture;
}

}  // namespace facepipe
