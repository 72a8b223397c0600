// Keeps the parameter sets of an H.264 or HEVC stream that a decoder knows after it has read the
// stream so far.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "video/bitstream/nal_units.h"

namespace facepipe::video {

/// Keeps the last set of each type and number. The bytes are not trusted, so the kept size is
/// limited.
class ParameterSets {
 public:
  explicit ParameterSets(AVCodecID codec) : codec_(codec) {}

  /// Keeps a unit if it is a parameter set. It replaces an older set of the same type and number.
  void note(Bytes unit);

  /// Returns all sets as they would lie in a packet: first the video parameter sets, then the
  /// sequence and the picture parameter sets. Therefore each set comes after the sets that it
  /// refers to. Returns nothing if there are no sets.
  [[nodiscard]] std::vector<std::uint8_t> bytes(NalFraming framing) const;

  /// Returns a counter that increases with each set that is new or has changed.
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  /// Returns whether there were sets that were too large or too many to be kept. A decoder that
  /// begins later would lack these sets.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

 private:
  AVCodecID codec_;
  // Each key is a rank and a number.
  std::map<std::pair<int, std::uint32_t>, std::vector<std::uint8_t>> sets_;
  // Size of all sets in bytes.
  std::size_t total_ = 0;
  std::int64_t changes_ = 0;
  bool overflowed_ = false;
};

}  // namespace facepipe::video
