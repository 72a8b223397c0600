#include "video/bitstream/parameter_sets.h"

#include <algorithm>
#include <optional>

namespace facepipe::video {
namespace {

// Real sets have tens of bytes. FFmpeg's decoders keep 4096 bytes of a set.
constexpr std::size_t kMaxSetBytes = 4096;
constexpr std::size_t kMaxTotalBytes = std::size_t{64} << 10;
// The largest number of a set. Only H.264's picture parameter sets have such large numbers.
constexpr std::uint32_t kMaxNumber = 255;

/// Identifies a set: the rank of its type, and its number.
using Name = std::pair<int, std::uint32_t>;

std::optional<Name> checked(int rank, std::uint32_t number, const RbspReader& reader) {
  if (reader.failed() || number > kMaxNumber) return std::nullopt;
  return Name{rank, number};
}

std::optional<Name> name_h264(Bytes unit) {
  RbspReader reader(unit.subspan(1));
  const int type = unit[0] & 31;
  switch (type) {
    case 7:   // sequence parameter set (H.264 7.3.2.1.1)
    case 15:  // sequence parameter set of a scalable or multiview stream (7.3.2.1.3)
      reader.skip_bits(24);
      return checked(type == 7 ? 0 : 2, reader.exp_golomb(), reader);
    case 13:  // extension of a sequence parameter set (7.3.2.1.2)
      return checked(1, reader.exp_golomb(), reader);
    case 8:  // picture parameter set (7.3.2.2)
      return checked(3, reader.exp_golomb(), reader);
    default:
      return std::nullopt;
  }
}

/// Skips profile_tier_level() (HEVC 7.3.3) of a sequence parameter set.
void skip_profile(RbspReader& reader, std::uint32_t sub_layers_below) {
  constexpr int kProfileBits = 88;
  constexpr int kLevelBits = 8;
  reader.skip_bits(kProfileBits + kLevelBits);
  std::uint64_t more = 0;
  for (std::uint32_t i = 0; i < sub_layers_below; ++i) {
    more += reader.bits(1) != 0 ? kProfileBits : 0;
    more += reader.bits(1) != 0 ? kLevelBits : 0;
  }
  if (sub_layers_below > 0) reader.skip_bits((8 - sub_layers_below) * 2);
  reader.skip_bits(more);
}

std::optional<Name> name_hevc(Bytes unit) {
  const std::optional<int> type = hevc_type(unit);
  if (!type) return std::nullopt;
  RbspReader reader(unit.subspan(2));
  switch (*type) {
    case 32:  // video parameter set (HEVC 7.3.2.1)
      return checked(0, reader.bits(4), reader);
    case 33: {  // sequence parameter set (7.3.2.2.1)
      reader.skip_bits(4);
      const std::uint32_t sub_layers_below = reader.bits(3);
      reader.skip_bits(1);
      skip_profile(reader, sub_layers_below);
      return checked(1, reader.exp_golomb(), reader);
    }
    case 34:  // picture parameter set (7.3.2.3.1)
      return checked(2, reader.exp_golomb(), reader);
    default:
      return std::nullopt;
  }
}

void append_unit(std::vector<std::uint8_t>& bytes, const std::vector<std::uint8_t>& unit,
                 NalFraming framing) {
  if (framing.length_size == 0) bytes.insert(bytes.end(), {0, 0, 0, 1});
  for (int i = framing.length_size - 1; i >= 0; --i)
    bytes.push_back(static_cast<std::uint8_t>(unit.size() >> (8 * i) & 0xFF));
  bytes.insert(bytes.end(), unit.begin(), unit.end());
}

}  // namespace

void ParameterSets::note(Bytes unit) {
  const std::optional<Name> name = codec_ == AV_CODEC_ID_HEVC ? name_hevc(unit) : name_h264(unit);
  if (!name) return;
  const auto known = sets_.find(*name);
  const std::size_t replaced = known != sets_.end() ? known->second.size() : 0;
  if (known != sets_.end() && std::ranges::equal(known->second, unit)) return;
  if (unit.size() > kMaxSetBytes || total_ - replaced + unit.size() > kMaxTotalBytes) {
    overflowed_ = true;
    return;
  }
  total_ += unit.size() - replaced;
  sets_[*name].assign(unit.begin(), unit.end());
  ++changes_;
}

std::vector<std::uint8_t> ParameterSets::bytes(NalFraming framing) const {
  std::vector<std::uint8_t> result;
  for (const auto& [name, unit] : sets_) append_unit(result, unit, framing);
  return result;
}

}  // namespace facepipe::video
