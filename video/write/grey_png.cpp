#include "video/write/grey_png.h"

#include <algorithm>

#include "core/error.h"
#include "video/ffmpeg.h"

namespace facepipe::video {
namespace {

constexpr const char* kWhat = "PNG";

UniqueAVFrame picture_of(std::span<const std::uint8_t> samples, Size size) {
  UniqueAVFrame picture = new_av_frame();
  picture->format = AV_PIX_FMT_GRAY8;
  picture->width = size.width;
  picture->height = size.height;
  check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, kWhat);
  for (int y = 0; y < size.height; ++y)
    std::copy_n(samples.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width),
                size.width, picture->data[0] + std::ptrdiff_t{y} * picture->linesize[0]);
  return picture;
}

}  // namespace

std::vector<std::byte> grey_png(std::span<const std::uint8_t> samples, Size size) {
  const bool fits = size.width > 0 && size.height > 0 &&
                    samples.size() == static_cast<std::size_t>(size.width) *
                                          static_cast<std::size_t>(size.height);
  if (!fits) throw Error(ErrorKind::internal, "a grey picture that doesn't fit its size");
  const AVCodec* const codec = avcodec_find_encoder(AV_CODEC_ID_PNG);
  if (codec == nullptr) throw Error(ErrorKind::internal, "FFmpeg has no encoder for PNG");
  const UniqueCodecContext context = new_codec_context(codec);
  context->width = size.width;
  context->height = size.height;
  context->pix_fmt = AV_PIX_FMT_GRAY8;
  context->time_base = {1, 1};
  context->thread_count = 1;
  check_av(avcodec_open2(context.get(), codec, nullptr), ErrorKind::internal, kWhat);
  const UniqueAVFrame picture = picture_of(samples, size);
  check_av(avcodec_send_frame(context.get(), picture.get()), ErrorKind::internal, kWhat);
  const UniqueAVPacket packet = new_av_packet();
  check_av(avcodec_receive_packet(context.get(), packet.get()), ErrorKind::internal, kWhat);
  const auto* const bytes = reinterpret_cast<const std::byte*>(packet->data);
  return {bytes, bytes + packet->size};
}

}  // namespace facepipe::video
