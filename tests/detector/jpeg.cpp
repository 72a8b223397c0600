#include "tests/detector/jpeg.h"

#include <memory>
#include <stdexcept>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/pixdesc.h>
}

#include "tests/detector/files.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

struct Free {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

std::shared_ptr<AVFrame> decode(const std::string& bytes) {
  const std::unique_ptr<AVCodecContext, Free> decoder(
      avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_MJPEG)));
  const std::unique_ptr<AVPacket, Free> packet(av_packet_alloc());
  std::shared_ptr<AVFrame> picture(av_frame_alloc(), [](AVFrame* frame) { av_frame_free(&frame); });
  if (avcodec_open2(decoder.get(), nullptr, nullptr) < 0) return nullptr;
  if (av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0) return nullptr;
  std::copy(bytes.begin(), bytes.end(), packet->data);
  if (avcodec_send_packet(decoder.get(), packet.get()) < 0) return nullptr;
  (void)avcodec_send_packet(decoder.get(), nullptr);
  return avcodec_receive_frame(decoder.get(), picture.get()) < 0 ? nullptr : picture;
}

}  // namespace

Frame read_jpeg(const std::filesystem::path& file) {
  const std::shared_ptr<AVFrame> picture = decode(read_file(file));
  if (!picture) throw std::runtime_error(file.string() + ": no JPEG");
  Frame frame;
  const AVPixFmtDescriptor& format =
      *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture->format));
  frame.format.log2_chroma_w = format.log2_chroma_w;
  frame.format.log2_chroma_h = format.log2_chroma_h;
  frame.size = {picture->width, picture->height};
  frame.color.matrix = 6;
  frame.color.full_range = true;
  for (std::size_t i = 0; i < 3; ++i)
    frame.planes[i] = {reinterpret_cast<std::byte*>(picture->data[i]), picture->linesize[i]};
  frame.owner = picture;
  return frame;
}

}  // namespace facepipe::test
