#include "video/bitstream/nal_units.h"

#include <algorithm>
#include <cstring>

namespace facepipe::video {
namespace {

constexpr std::size_t kStartCode = 3;  // bytes of a start code: 0, 0, 1

void take_units(ByteReader& from, std::uint64_t count, std::vector<Bytes>& units) {
  for (std::uint64_t i = 0; i < count && !from.failed(); ++i) {
    const Bytes unit = from.take(from.number(2));
    if (!unit.empty() && !from.failed()) units.push_back(unit);
  }
}

int length_size_in(std::uint64_t byte) { return static_cast<int>(byte & 3U) + 1; }

NalExtradata read_avcc(Bytes extradata) {
  ByteReader reader(extradata);
  NalExtradata result;
  reader.skip(4);  // version, profile, compatibility, level
  result.framing.length_size = length_size_in(reader.number(1));
  take_units(reader, reader.number(1) & 31U, result.units);  // sequence parameter sets
  take_units(reader, reader.number(1), result.units);        // picture parameter sets
  return result;
}

NalExtradata read_hvcc(Bytes extradata) {
  ByteReader reader(extradata);
  NalExtradata result;
  reader.skip(21);  // version, profile, level, formats, frame rate
  result.framing.length_size = length_size_in(reader.number(1));
  const std::uint64_t arrays = reader.number(1);
  for (std::uint64_t i = 0; i < arrays && !reader.failed(); ++i) {
    reader.skip(1);  // the type of the units, which each unit repeats
    take_units(reader, reader.number(2), result.units);
  }
  return result;
}

}  // namespace

std::optional<Bytes> behind_start_code(Bytes bytes) {
  for (std::size_t at = kStartCode - 1; at < bytes.size(); ++at) {
    const void* const one = std::memchr(bytes.data() + at, 1, bytes.size() - at);
    if (one == nullptr) return std::nullopt;
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(one) - bytes.data());
    if (bytes[at - 1] == 0 && bytes[at - 2] == 0) return bytes.subspan(at + 1);
  }
  return std::nullopt;
}

NalReader::NalReader(Bytes packet, NalFraming framing) : rest_(packet), framing_(framing) {
  if (framing_.length_size == 0) rest_ = behind_start_code(packet).value_or(Bytes());
}

std::optional<Bytes> NalReader::next() {
  return framing_.length_size > 0 ? next_by_length() : next_by_start_code();
}

std::optional<Bytes> NalReader::next_by_length() {
  const auto size_of_length = static_cast<std::size_t>(framing_.length_size);
  while (!rest_.empty()) {
    ByteReader reader(rest_);
    const Bytes unit = reader.take(reader.number(size_of_length));
    malformed_ = reader.failed();
    rest_ = malformed_ ? Bytes() : reader.rest();
    if (!unit.empty() && !malformed_) return unit;
  }
  return std::nullopt;
}

std::optional<Bytes> NalReader::next_by_start_code() {
  while (!rest_.empty()) {
    const std::optional<Bytes> following = behind_start_code(rest_);
    Bytes unit = rest_;
    rest_ = following.value_or(Bytes());
    if (following) unit = unit.first(unit.size() - following->size() - kStartCode);
    while (!unit.empty() && unit.back() == 0) unit = unit.first(unit.size() - 1);
    if (!unit.empty()) return unit;
  }
  return std::nullopt;
}

std::optional<int> hevc_type(Bytes unit) {
  const bool base_layer = unit.size() >= 2 && (unit[0] & 1) == 0 && unit[1] >> 3 == 0;
  return base_layer ? std::optional(unit[0] >> 1 & 63) : std::nullopt;
}

int hevc_layer(Bytes unit) { return unit.size() >= 2 ? (unit[0] & 1) << 5 | unit[1] >> 3 : 0; }

NalExtradata read_nal_extradata(AVCodecID codec, Bytes extradata) {
  if (codec == AV_CODEC_ID_H264 && extradata.size() >= 7 && extradata[0] == 1)
    return read_avcc(extradata);
  if (codec == AV_CODEC_ID_HEVC && extradata.size() > 3 &&
      (extradata[0] != 0 || extradata[1] != 0 || extradata[2] > 1))
    return read_hvcc(extradata);
  NalExtradata result;
  NalReader reader(extradata, {});
  while (const std::optional<Bytes> unit = reader.next()) result.units.push_back(*unit);
  return result;
}

int RbspReader::available(std::uint64_t wanted) {
  if (unread_ == 0) {
    if (zeros_ == 2 && !bytes_.empty() && bytes_.front() == 3) {
      bytes_ = bytes_.subspan(1);
      zeros_ = 0;
    }
    failed_ = failed_ || bytes_.empty();
    if (failed_) return 0;
    byte_ = bytes_.front();
    bytes_ = bytes_.subspan(1);
    zeros_ = byte_ == 0 ? std::min(zeros_ + 1, 2) : 0;
    unread_ = 8;
  }
  return static_cast<int>(std::min<std::uint64_t>(wanted, static_cast<std::uint64_t>(unread_)));
}

std::uint32_t RbspReader::bits(int count) {
  std::uint32_t value = 0;
  while (count > 0) {
    const int taken = available(static_cast<std::uint64_t>(count));
    if (taken == 0) return 0;
    unread_ -= taken;
    value = value << taken | (byte_ >> unread_ & ((1U << taken) - 1));
    count -= taken;
  }
  return value;
}

std::uint32_t RbspReader::exp_golomb() {
  int zeros = 0;
  while (bits(1) == 0 && !failed_)
    if (++zeros > 31) failed_ = true;
  return failed_ ? 0 : (1U << zeros) - 1 + bits(zeros);
}

void RbspReader::skip_bits(std::uint64_t count) {
  while (count > 0) {
    const int taken = available(count);
    if (taken == 0) return;
    unread_ -= taken;
    count -= static_cast<std::uint64_t>(taken);
  }
}

}  // namespace facepipe::video
