// Subtitles that are converted. The input's bytes are both codecs, the length of the header, the
// header, and packets: a byte with the length, and the packet.
#include "video/write/subtitles.h"

#include <algorithm>
#include <array>

#include "tests/fuzz/targets.h"
#include "video/bitstream/codec_headers.h"

namespace facepipe::fuzz {
namespace {

constexpr std::array kFrom{AV_CODEC_ID_SUBRIP,   AV_CODEC_ID_ASS,      AV_CODEC_ID_WEBVTT,
                           AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_MICRODVD, AV_CODEC_ID_TEXT};
constexpr std::array kTo{AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP, AV_CODEC_ID_ASS,
                         AV_CODEC_ID_WEBVTT};

void convert_all(video::SubtitleConverter& converter, Pieces& pieces) {
  for (std::int64_t pts = 0; !pieces.empty(); ++pts) {
    const Bytes data = pieces.take(pieces.byte());
    const video::UniqueAVPacket packet = video::new_av_packet();
    if (av_new_packet(packet.get(), static_cast<int>(data.size())) != 0) throw std::bad_alloc();
    std::ranges::copy(data, packet->data);
    packet->pts = packet->dts = pts;
    packet->duration = 1;
    const video::UniqueAVPacket result = converter.convert(*packet);
    require(result == nullptr || (result->size > 0 && result->pts != AV_NOPTS_VALUE),
            "a subtitle has no bytes or no time");
  }
}

}  // namespace

void fuzz_subtitles(Bytes input) {
  av_log_set_level(AV_LOG_QUIET);
  Pieces pieces(input);
  const video::UniqueOutputContext context(avformat_alloc_context());
  if (!context) throw std::bad_alloc();
  AVStream* const stream = avformat_new_stream(context.get(), nullptr);
  if (stream == nullptr) throw std::bad_alloc();
  stream->time_base = {1, 1000};
  stream->codecpar->codec_type = AVMEDIA_TYPE_SUBTITLE;
  stream->codecpar->codec_id = kFrom[pieces.byte() % kFrom.size()];
  const AVCodecID to = kTo[pieces.byte() % kTo.size()];
  video::set_header(*stream->codecpar, pieces.take(pieces.byte()));
  // A header that FFmpeg's coder doesn't take is an error of kind internal. Its caller then leaves
  // the stream out.
  static_cast<void>(parsed(ErrorKind::internal, [&] {
    video::SubtitleConverter converter(*stream, to);
    convert_all(converter, pieces);
    return true;
  }));
}

}  // namespace facepipe::fuzz
