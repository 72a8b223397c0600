#include "video/write/subtitles.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <cstring>
#include <memory>
#include <vector>

namespace facepipe::video {
namespace {

constexpr std::size_t kMaxEncodedSize = 1 << 16;
constexpr AVRational kMilliseconds{1, 1000};

}  // namespace

SubtitleConverter::SubtitleConverter(const AVStream& from, AVCodecID to)
    : input_time_base_(from.time_base) {
  const AVCodec* decoder = avcodec_find_decoder(from.codecpar->codec_id);
  const AVCodec* encoder = avcodec_find_encoder(to);
  decoder_ = new_codec_context(decoder);
  encoder_ = new_codec_context(encoder);
  check_av(avcodec_parameters_to_context(decoder_.get(), from.codecpar), ErrorKind::internal,
           "subtitle decoder");
  decoder_->pkt_timebase = from.time_base;
  check_av(avcodec_open2(decoder_.get(), decoder, nullptr), ErrorKind::internal,
           "subtitle decoder");
  encoder_->time_base = AV_TIME_BASE_Q;
  if (decoder_->subtitle_header != nullptr) {
    const auto size = static_cast<std::size_t>(decoder_->subtitle_header_size);
    encoder_->subtitle_header = static_cast<std::uint8_t*>(allocated(av_mallocz(size + 1)));
    std::memcpy(encoder_->subtitle_header, decoder_->subtitle_header, size);
    encoder_->subtitle_header_size = decoder_->subtitle_header_size;
  }
  check_av(avcodec_open2(encoder_.get(), encoder, nullptr), ErrorKind::internal,
           "subtitle encoder");
}

void SubtitleConverter::fill(AVCodecParameters& parameters) const {
  check_av(avcodec_parameters_from_context(&parameters, encoder_.get()), ErrorKind::internal,
           "subtitle encoder");
}

UniqueAVPacket SubtitleConverter::convert(const AVPacket& packet) {
  AVSubtitle subtitle{};
  const std::unique_ptr<AVSubtitle, FFmpegDelete<avsubtitle_free>> rectangles(&subtitle);
  int got = 0;
  const UniqueAVPacket copy = reference(packet);
  // Text that can't be decoded is left out, and the run continues.
  if (avcodec_decode_subtitle2(decoder_.get(), &subtitle, &got, copy.get()) < 0 || got == 0 ||
      subtitle.num_rects == 0)
    return nullptr;
  const std::int64_t begin_us =
      (packet.pts != AV_NOPTS_VALUE ? av_rescale_q(packet.pts, input_time_base_, AV_TIME_BASE_Q)
                                    : subtitle.pts) +
      av_rescale_q(subtitle.start_display_time, kMilliseconds, AV_TIME_BASE_Q);
  subtitle.pts = begin_us;
  subtitle.end_display_time -= subtitle.start_display_time;
  subtitle.start_display_time = 0;
  std::vector<std::uint8_t> buffer(kMaxEncodedSize);
  const int size = avcodec_encode_subtitle(encoder_.get(), buffer.data(),
                                           static_cast<int>(buffer.size()), &subtitle);
  if (size <= 0) return nullptr;
  UniqueAVPacket result = new_av_packet();
  check_av(av_new_packet(result.get(), size), ErrorKind::internal, "subtitle");
  std::memcpy(result->data, buffer.data(), static_cast<std::size_t>(size));
  result->pts = result->dts = begin_us;
  result->duration = av_rescale_q(subtitle.end_display_time, kMilliseconds, AV_TIME_BASE_Q);
  return result;
}

}  // namespace facepipe::video
