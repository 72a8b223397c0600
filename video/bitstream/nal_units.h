// NAL units of H.264 and HEVC: where they lie in a packet, and how the fields inside are read.
// Bytes come from outside: whatever they hold, nothing beyond them is read, and the work grows with
// their number alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// What marks the begin of a NAL unit in a stream's packets.
struct NalFraming {
  int length_size = 0;  ///< bytes (1 to 4) of the big-endian length in front of each unit, as MP4
                        ///< and Matroska have it; 0: start codes (H.264 and HEVC, annex B)
  friend bool operator==(const NalFraming&, const NalFraming&) = default;
};

/// What follows the first start code (0, 0, 1), which all of MPEG's codecs share; nullopt if there
/// is none.
[[nodiscard]] std::optional<Bytes> behind_start_code(Bytes bytes);

/// Gives the units of one packet, which must outlive it, one by one.
class NalReader {
 public:
  NalReader(Bytes packet, NalFraming framing);

  /// The next unit that isn't empty, from its header on, without zeros behind it; nullopt at the
  /// end.
  [[nodiscard]] std::optional<Bytes> next();
  /// A length pointed beyond the packet, or bytes were left over; known at the end.
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  [[nodiscard]] std::optional<Bytes> next_by_length();
  [[nodiscard]] std::optional<Bytes> next_by_start_code();

  Bytes rest_;
  NalFraming framing_;
  bool malformed_ = false;
};

/// The type of an HEVC unit (nal_unit_type, 7.3.1.2), whose header takes 2 bytes; nullopt for one
/// of another layer than the base layer, or a shorter one.
[[nodiscard]] std::optional<int> hevc_type(Bytes unit);
/// The layer of an HEVC unit (nuh_layer_id): 0 is the base layer, which all decoders show; 0 also
/// for one that is shorter than a header.
[[nodiscard]] int hevc_layer(Bytes unit);

/// What the extradata of an H.264 or HEVC stream says.
struct NalExtradata {
  NalFraming framing;
  std::vector<Bytes> units;  ///< of `extradata`: parameter sets, as far as they are whole
};

/// Reads avcC, hvcC (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1), or units behind start codes, by the
/// marks by which FFmpeg's decoders tell them apart. The result refers to `extradata`.
[[nodiscard]] NalExtradata read_nal_extradata(AVCodecID codec, Bytes extradata);

/// Reads bits of a NAL unit, without the bytes that were put in to keep start codes from arising
/// (H.264 7.4.1, HEVC 7.4.2). Behind the end it gives zeros, and says so.
class RbspReader {
 public:
  explicit RbspReader(Bytes bytes) : bytes_(bytes) {}

  /// The next bits, 32 at most, as a number.
  [[nodiscard]] std::uint32_t bits(int count);
  /// ue(v) of H.264 and HEVC.
  [[nodiscard]] std::uint32_t exp_golomb();
  void skip_bits(std::uint64_t count);
  /// More was read than there is, or a number was too large to be one.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  /// As many of the wanted bits as the current byte has; makes the next byte current first, if that
  /// is used up.
  [[nodiscard]] int available(std::uint64_t wanted);

  Bytes bytes_;
  int zeros_ = 0;  // that precede the next byte, two at most
  std::uint32_t byte_ = 0;
  int unread_ = 0;  // bits of byte_
  bool failed_ = false;
};

}  // namespace facepipe::video
