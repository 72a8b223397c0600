// Finds NAL units of H.264 and HEVC in a packet, and reads the fields in them. The bytes are not
// trusted: nothing beyond their end is read, and the work grows only in proportion to their number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Says how the beginning of each NAL unit is marked in the packets of a stream.
struct NalFraming {
  int length_size = 0;  ///< number of bytes (1 to 4) of the big-endian length before each unit, as
                        ///< in MP4 and Matroska; 0: start codes (H.264 and HEVC, annex B)
  friend bool operator==(const NalFraming&, const NalFraming&) = default;
};

/// Returns the bytes after the first start code (0, 0, 1), which all MPEG codecs use; nullopt if
/// there is none.
[[nodiscard]] std::optional<Bytes> behind_start_code(Bytes bytes);

/// Returns the units of one packet, one by one. The packet must outlive the reader.
class NalReader {
 public:
  NalReader(Bytes packet, NalFraming framing);

  /// Returns the next unit that isn't empty; nullopt at the end. The unit begins with its header.
  /// Zeros after the unit are removed.
  [[nodiscard]] std::optional<Bytes> next();
  /// Returns whether a length pointed beyond the packet, or bytes were left over. Valid at the end.
  [[nodiscard]] bool malformed() const { return malformed_; }

 private:
  [[nodiscard]] std::optional<Bytes> next_by_length();
  [[nodiscard]] std::optional<Bytes> next_by_start_code();

  Bytes rest_;
  NalFraming framing_;
  bool malformed_ = false;
};

/// Returns the type of an HEVC unit (nal_unit_type, 7.3.1.2). Returns nullopt for a unit that is
/// shorter than its header (2 bytes), and for a unit of a layer above the base layer.
[[nodiscard]] std::optional<int> hevc_type(Bytes unit);
/// Returns the layer of an HEVC unit (nuh_layer_id). 0 is the base layer, which all decoders show.
/// Also returns 0 for a unit that is shorter than a header.
[[nodiscard]] int hevc_layer(Bytes unit);

/// Holds what the extradata of an H.264 or HEVC stream says.
struct NalExtradata {
  NalFraming framing;
  std::vector<Bytes> units;  ///< parameter sets that are complete; they refer to `extradata`
};

/// Reads avcC, hvcC (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1), or units after start codes. Recognises
/// the kind by the same bytes as FFmpeg's decoders. The result refers to `extradata`.
[[nodiscard]] NalExtradata read_nal_extradata(AVCodecID codec, Bytes extradata);

/// Reads the bits of a NAL unit. It skips the bytes that encoders insert to avoid start codes
/// (H.264 7.4.1, HEVC 7.4.2). Past the end it returns zeros, and failed() is true.
class RbspReader {
 public:
  explicit RbspReader(Bytes bytes) : bytes_(bytes) {}

  /// Returns the next `count` bits, 32 at most, as a number.
  [[nodiscard]] std::uint32_t bits(int count);
  /// Returns the next number of type ue(v) of H.264 and HEVC.
  [[nodiscard]] std::uint32_t exp_golomb();
  void skip_bits(std::uint64_t count);
  /// Returns whether a call read past the end, or a number was too large to be valid.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  /// Returns how many of the wanted bits the current byte still has. If it has no unread bits, the
  /// next byte first becomes the current byte.
  [[nodiscard]] int available(std::uint64_t wanted);

  Bytes bytes_;
  int zeros_ = 0;  // number of zero bytes right before the next byte, at most 2
  std::uint32_t byte_ = 0;
  int unread_ = 0;  // number of unread bits of byte_
  bool failed_ = false;
};

}  // namespace facepipe::video
