// The parameter sets of an H.264 or HEVC stream, as a decoder that read all of it would have them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "video/bitstream/nal_units.h"

namespace facepipe::video {

/// The last set of each type and number. The bytes come from outside: what is kept is bounded.
class ParameterSets {
 public:
  explicit ParameterSets(AVCodecID codec) : codec_(codec) {}

  /// Takes a unit that is a set, in place of an older one of its type and number.
  void note(Bytes unit);

  /// All of them as they would lie in a packet: video, then sequence, then picture parameter sets,
  /// so that each comes behind what it refers to. Empty where there is none.
  [[nodiscard]] std::vector<std::uint8_t> bytes(NalFraming framing) const;

  /// A counter that rises with each set that is new or says something else.
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  /// Sets came that are too large or too many to be kept: who begins later lacks them.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

 private:
  AVCodecID codec_;
  std::map<std::pair<int, std::uint32_t>, std::vector<std::uint8_t>> sets_;  // by rank, number
  std::size_t total_ = 0;                                                    // bytes of all
  std::int64_t changes_ = 0;
  bool overflowed_ = false;
};

}  // namespace facepipe::video
