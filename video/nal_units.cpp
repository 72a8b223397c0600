#include "video/nal_units.h"

#include <algorithm>
#include <cstring>

namespace facepipe {
namespace {

constexpr std::size_t kStartCode = 3;  // 0, 0, 1

/// The byte behind the first start code; nullptr if there is none.
const std::uint8_t* behind_start_code(Bytes bytes) {
  const std::uint8_t* const end = bytes.data() + bytes.size();
  const std::uint8_t* at = bytes.data() + std::min(bytes.size(), kStartCode - 1);
  while (at < end) {
    const void* found = std::memchr(at, 1, static_cast<std::size_t>(end - at));
    if (found == nullptr) return nullptr;
    at = static_cast<const std::uint8_t*>(found) + 1;
    if (at[-2] == 0 && at[-3] == 0) return at;
  }
  return nullptr;
}

/// Takes numbers and runs of bytes off the front, until there are too few.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : rest_(bytes) {}

  [[nodiscard]] std::size_t number(std::size_t size) {
    std::size_t value = 0;
    for (const std::uint8_t byte : take(size)) value = value << 8 | byte;
    return value;
  }
  Bytes take(std::size_t size) {
    if (size > rest_.size()) {
      rest_ = {};
      failed_ = true;
      return {};
    }
    const Bytes taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  Bytes rest_;
  bool failed_ = false;
};

void take_units(Cursor& from, std::size_t count, std::vector<Bytes>& units) {
  for (std::size_t i = 0; i < count && !from.failed(); ++i) {
    const Bytes unit = from.take(from.number(2));
    if (!unit.empty()) units.push_back(unit);
  }
}

int length_size_in(std::size_t byte) { return static_cast<int>(byte & 3U) + 1; }

NalExtradata read_avcc(Bytes extradata) {
  Cursor cursor(extradata);
  NalExtradata result;
  cursor.take(4);  // version, profile, compatibility, level
  result.framing.length_size = length_size_in(cursor.number(1));
  take_units(cursor, cursor.number(1) & 31U, result.units);  // sequence parameter sets
  take_units(cursor, cursor.number(1), result.units);        // picture parameter sets
  return result;
}

NalExtradata read_hvcc(Bytes extradata) {
  Cursor cursor(extradata);
  NalExtradata result;
  cursor.take(21);  // version, profile, level, formats, frame rate
  result.framing.length_size = length_size_in(cursor.number(1));
  const std::size_t arrays = cursor.number(1);
  for (std::size_t i = 0; i < arrays && !cursor.failed(); ++i) {
    cursor.take(1);  // the type, which each unit says itself
    take_units(cursor, cursor.number(2), result.units);
  }
  return result;
}

}  // namespace

NalReader::NalReader(Bytes packet, NalFraming framing) : rest_(packet), framing_(framing) {
  if (framing_.length_size > 0) return;
  const std::uint8_t* first = behind_start_code(packet);
  rest_ = first != nullptr ? Bytes(first, packet.data() + packet.size()) : Bytes();
}

std::optional<Bytes> NalReader::next() {
  return framing_.length_size > 0 ? next_by_length() : next_by_start_code();
}

std::optional<Bytes> NalReader::next_by_length() {
  const auto size_of_length = static_cast<std::size_t>(framing_.length_size);
  while (!rest_.empty()) {
    Cursor cursor(rest_);
    const std::size_t length = cursor.number(size_of_length);
    const Bytes unit = cursor.take(length);
    malformed_ = cursor.failed();
    rest_ = malformed_ ? Bytes() : rest_.subspan(size_of_length + length);
    if (!unit.empty()) return unit;
  }
  return std::nullopt;
}

std::optional<Bytes> NalReader::next_by_start_code() {
  while (!rest_.empty()) {
    const std::uint8_t* following = behind_start_code(rest_);
    Bytes unit = rest_;
    rest_ = {};
    if (following != nullptr) {
      const auto begin = static_cast<std::size_t>(following - unit.data());
      rest_ = unit.subspan(begin);
      unit = unit.first(begin - kStartCode);
    }
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

}  // namespace facepipe
