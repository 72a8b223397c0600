// Packets that say that nothing changes, and second fields of a picture. The input's first byte is
// the codec. The rest of the input is packets: a byte with the packet's length, then its bytes.
#include "video/bitstream/unchanged.h"

#include <algorithm>
#include <array>

#include "tests/fuzz/targets.h"
#include "video/bitstream/codec_headers.h"
#include "video/bitstream/field_pairs.h"

namespace facepipe::fuzz {
namespace {

constexpr std::array kCodecs{AV_CODEC_ID_MPEG4, AV_CODEC_ID_DIRAC, AV_CODEC_ID_VP8,
                             AV_CODEC_ID_H264, AV_CODEC_ID_MPEG2VIDEO};

}  // namespace

void fuzz_unchanged(Bytes input) {
  av_log_set_level(AV_LOG_QUIET);
  Pieces pieces(input);
  const video::UniqueCodecParameters parameters(avcodec_parameters_alloc());
  if (!parameters) throw std::bad_alloc();
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  parameters->codec_id = kCodecs[pieces.byte() % kCodecs.size()];
  video::set_header(*parameters, pieces.take(pieces.byte()));
  video::UnchangedPackets unchanged(*parameters);
  video::FieldPairs fields(*parameters);
  while (!pieces.empty()) {
    const Bytes data = pieces.take(pieces.byte());
    const video::UniqueAVPacket packet = video::new_av_packet();
    if (av_new_packet(packet.get(), static_cast<int>(data.size())) != 0) throw std::bad_alloc();
    std::ranges::copy(data, packet->data);
    const bool is_one = unchanged.is_one(*packet);
    require(is_one || !data.empty(), "an empty packet counts as a picture");
    static_cast<void>(fields.is_second_field(*packet));
  }
}

}  // namespace facepipe::fuzz
