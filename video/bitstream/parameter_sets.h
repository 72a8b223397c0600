// Keeps the parameter sets of an H.264 or HEVC stream, as a decoder that read the whole stream
// would have them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "video/bitstream/nal_units.h"

namespace facepipe::video {

/// Keeps the last set of each type and number. The bytes come from outside, so the kept size is
/// bounded.
class ParameterSets {
 public:
  explicit ParameterSets(AVCodecID codec) : codec_(codec) {}

  /// Takes a unit if it is a set. It replaces an older set of its type and number.
  void note(Bytes unit);

  /// Returns all sets as they would lie in a packet: video, then sequence, then picture parameter
  /// sets. So each set comes after those that it refers to. Empty if there is no set.
  [[nodiscard]] std::vector<std::uint8_t> bytes(NalFraming framing) const;

  /// Returns a counter that rises with each set that is new or has changed.
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  /// Returns whether sets came that were too large or too many to be kept. A decoder that begins
  /// later would lack them.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

 private:
  AVCodecID codec_;
  // The keys are rank and number.
  std::map<std::pair<int, std::uint32_t>, std::vector<std::uint8_t>> sets_;
  // Bytes of all sets.
  std::size_t total_ = 0;
  std::int64_t changes_ = 0;
  bool overflowed_ = false;
};

}  // namespace facepipe::video
