#include "video/cuda/picture_fit.h"

#include <utility>

#include "core/cuda/check.h"
#include "video/cuda/rescale.h"
#include "video/frames/frame_filter.h"
#include "video/frames/pictures.h"

namespace facepipe::video {

/// Holds the objects that a scaled picture keeps alive: its own memory, and the source until it has
/// been read.
struct PictureFit::Held {
  Held(std::shared_ptr<Slot> into, Frame from) : slot(std::move(into)), source(std::move(from)) {}
  ~Held() { static_cast<void>(cudaEventSynchronize(slot->scaled.get())); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  std::shared_ptr<Slot> slot;
  Frame source;
};

PictureFit::PictureFit(const PictureShape& shape, int bits, bool full_range, std::size_t frames,
                       Device device)
    : layout_(picture_layout(shape.size, bits)),
      pixel_(shape.pixel),
      full_range_(full_range),
      device_(device),
      slots_(frames, [bytes = layout_.bytes] { return std::make_unique<Slot>(bytes); }) {}

float* PictureFit::scratch_for(Size from, Size to, cuda::StreamView stream) {
  const std::size_t needed = rescale_scratch(from, to);
  if (scratch_.size() < needed) {
    stream.synchronize();  // work on the old memory must end first
    scratch_ = cuda::DeviceBuffer<float>(needed);
  }
  return scratch_.data();
}

void PictureFit::fit(const Frame& source, std::byte* memory, cuda::StreamView stream) {
  constexpr Size kCell{2, 4};  // with such cells, each field has whole rows of chroma
  const PictureArea area =
      letterbox({source.size, kind_of(unwrap(source)).pixel}, {layout_.size, pixel_}, kCell);
  const PixelFormat format = *workable_format(layout_.format);
  RescaleTarget target{{memory, layout_.stride},
                       {memory + layout_.luma_bytes, layout_.stride},
                       layout_.size,
                       format,
                       full_range_};
  if (area.size != layout_.size) enqueue_black(target, stream);
  const std::ptrdiff_t column = std::ptrdiff_t{area.x} * format.bytes_per_sample();
  target.luma.data += std::ptrdiff_t{area.y} * layout_.stride + column;
  target.chroma.data += std::ptrdiff_t{area.y / 2} * layout_.stride + column;
  target.size = area.size;
  enqueue_rescale(source, target, scratch_for(source.size, area.size, stream), stream);
}

Frame PictureFit::apply(Frame frame, cuda::StreamView stream) {
  const std::shared_ptr<Slot> slot = slots_.lease();
  std::byte* const memory = slot->device.data();
  // From here on the frame outlives its work, even if an exception is thrown.
  const auto held = std::make_shared<Held>(slot, std::move(frame));
  const Frame& source = held->source;
  hold_back_until_ready(source, stream);
  fit(source, memory, stream);
  slot->scaled.record(stream);
  UniqueAVFrame picture = picture_over(memory, layout_, unwrap(source), held);
  if (source.color.full_range != full_range_)
    picture->color_range = full_range_ ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  Frame result = wrap(std::move(picture), layout_.format, device_);
  const ColorInfo color = result.color;
  result.info() = source.info();
  result.color = color;
  attach_ready(result, std::shared_ptr<const cuda::Event>(slot, &slot->scaled));
  return result;
}

}  // namespace facepipe::video
