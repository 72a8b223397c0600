// Headers of codecs, and fonts. The first byte of the input is the codec. A header that was cleaned
// has nothing left to clean.
#include <array>
#include <vector>

#include "tests/fuzz/targets.h"
#include "video/bitstream/codec_headers.h"
#include "video/write/timecode.h"

namespace facepipe::fuzz {
namespace {

constexpr std::array kCodecs{AV_CODEC_ID_VORBIS,      AV_CODEC_ID_THEORA,    AV_CODEC_ID_FLAC,
                             AV_CODEC_ID_OPUS,        AV_CODEC_ID_ASS,       AV_CODEC_ID_SUBRIP,
                             AV_CODEC_ID_WEBVTT,      AV_CODEC_ID_TTF,       AV_CODEC_ID_AAC,
                             AV_CODEC_ID_H264,        AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_MOV_TEXT,
                             AV_CODEC_ID_DVD_SUBTITLE};

std::vector<std::uint8_t> header_of(const AVCodecParameters& parameters) {
  return {parameters.extradata, parameters.extradata + parameters.extradata_size};
}

void clean(AVCodecID codec, Bytes header) {
  const video::UniqueCodecParameters parameters(avcodec_parameters_alloc());
  if (!parameters) throw std::bad_alloc();
  parameters->codec_type = avcodec_get_type(codec);
  parameters->codec_id = codec;
  video::set_header(*parameters, header);
  static_cast<void>(video::clean_header(*parameters));
  const std::vector<std::uint8_t> cleaned = header_of(*parameters);
  require(video::clean_header(*parameters).empty(), "a clean header loses something");
  require(header_of(*parameters) == cleaned, "a clean header changes");
}

/// A timecode that is moved by no frame is still the same timecode.
void move_timecode(std::string_view text) {
  constexpr Rational kRate{30000, 1001};
  const std::string later = video::later_timecode(std::string(text), kRate, 1000);
  require(later.empty() || video::later_timecode(later, kRate, 0) == later,
          "a timecode isn't understood any more");
}

}  // namespace

void fuzz_headers(Bytes input) {
  av_log_set_level(AV_LOG_QUIET);
  Pieces pieces(input);
  const AVCodecID codec = kCodecs[pieces.byte() % kCodecs.size()];
  const Bytes header = pieces.rest();
  clean(codec, header);
  static_cast<void>(video::is_font(header));
  move_timecode(text_of(header));
}

}  // namespace facepipe::fuzz
