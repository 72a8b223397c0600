#include "video/bitstream/unchanged.h"

extern "C" {
#include <libavutil/intreadwrite.h>
}

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>

#include "video/bitstream/nal_units.h"
#include "video/bitstream/packet_bytes.h"

namespace facepipe::video {
namespace {

/// Reads bits from front to back. Past the end it returns zeros, and failed() is true.
class Bits {
 public:
  explicit Bits(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint32_t take(int count) {
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i, ++at_) {
      const bool there = at_ / 8 < bytes_.size();
      failed_ = failed_ || !there;
      const unsigned bit = there ? bytes_[at_ / 8] >> (7 - at_ % 8) & 1U : 0;
      value = value << 1 | bit;
    }
    return value;
  }
  void skip(int count) { static_cast<void>(take(count)); }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// Returns the bytes after the first start code whose kind (the byte after the code) is between
/// `first` and `last`; nullopt if there is none.
std::optional<Bytes> behind_kind(Bytes bytes, std::uint8_t first, std::uint8_t last) {
  while (const std::optional<Bytes> code = behind_start_code(bytes)) {
    bytes = *code;
    if (!bytes.empty() && bytes[0] >= first && bytes[0] <= last) return bytes.subspan(1);
  }
  return std::nullopt;
}

/// Returns vop_time_increment_resolution of a video object layer (ISO/IEC 14496-2, 6.2.3); 0 if it
/// has none.
std::uint32_t time_resolution(Bytes layer) {
  constexpr std::uint32_t kExtendedAspect = 15;
  constexpr std::uint32_t kGreyscale = 3;
  Bits bits(layer);
  bits.skip(1 + 8);  // random_accessible_vol, video_object_type_indication
  std::uint32_t version = 1;
  if (bits.take(1) == 1) {
    version = bits.take(4);
    bits.skip(3);
  }
  if (bits.take(4) == kExtendedAspect) bits.skip(8 + 8);
  if (bits.take(1) == 1) {  // vol_control_parameters
    bits.skip(2 + 1);
    if (bits.take(1) == 1) bits.skip(79);  // vbv_parameters
  }
  if (bits.take(2) == kGreyscale && version != 1) bits.skip(4);
  bits.skip(1);
  const std::uint32_t resolution = bits.take(16);
  return bits.failed() ? 0 : resolution;
}

bool is_hidden_vp8(Bytes frame) {
  constexpr unsigned kShown = 1U << 4U;
  return (frame.front() & kShown) == 0;
}

/// Returns whether the bytes contain only data units that are no pictures, such as the end of a
/// sequence.
bool is_dirac_without_picture(Bytes bytes) {
  // The header is "BBCD", a code, the distance to the next unit, and the distance to the previous
  // unit.
  constexpr std::size_t kHeader = 13;
  constexpr unsigned kPicture = 1U << 3U;
  constexpr std::array<std::uint8_t, 4> kBegin{'B', 'B', 'C', 'D'};
  while (bytes.size() >= kHeader && std::ranges::equal(bytes.first(kBegin.size()), kBegin)) {
    if ((bytes[4] & kPicture) != 0) return false;
    const std::size_t next = AV_RB32(bytes.data() + 5);
    if (next == 0 || next >= bytes.size()) return true;
    if (next < kHeader) return false;
    bytes = bytes.subspan(next);
  }
  return false;
}

}  // namespace

UnchangedPackets::UnchangedPackets(const AVCodecParameters& parameters)
    : codec_(parameters.codec_id) {
  if (codec_ == AV_CODEC_ID_MPEG4) follow_mpeg4(header_of(parameters));
}

bool UnchangedPackets::is_one(const AVPacket& packet) {
  if (packet.size <= 0) return true;
  const Bytes bytes = data_of(packet);
  if (codec_ == AV_CODEC_ID_DIRAC) return is_dirac_without_picture(bytes);
  if (codec_ == AV_CODEC_ID_VP8) return is_hidden_vp8(bytes);
  if (codec_ != AV_CODEC_ID_MPEG4) return false;
  follow_mpeg4(bytes);
  return is_vop_not_coded(bytes);
}

/// Reads the number of time bits from a header, if there is one.
void UnchangedPackets::follow_mpeg4(Bytes bytes) {
  const std::optional<Bytes> layer = behind_kind(bytes, 0x20, 0x2F);
  const std::uint32_t resolution = layer ? time_resolution(*layer) : 0;
  if (resolution > 0) time_bits_ = std::max(1, static_cast<int>(std::bit_width(resolution - 1)));
}

/// Returns whether a packet's only VOP isn't coded. In a packed stream, further VOPs can follow it.
bool UnchangedPackets::is_vop_not_coded(Bytes bytes) const {
  constexpr std::uint8_t kVop = 0xB6;
  constexpr int kMostSeconds = 64;  // more seconds in a row are not a valid time
  if (time_bits_ == 0) return false;
  const std::optional<Bytes> vop = behind_kind(bytes, kVop, kVop);
  if (!vop) return false;
  Bits bits(*vop);
  bits.skip(2);  // vop_coding_type
  int seconds = 0;
  while (bits.take(1) == 1)  // modulo_time_base
    if (++seconds > kMostSeconds) return false;
  bits.skip(1 + time_bits_ + 1);
  const bool coded = bits.take(1) == 1;
  return !coded && !bits.failed() && !behind_kind(*vop, kVop, kVop);
}

}  // namespace facepipe::video
