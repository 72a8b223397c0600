// Decoding time stamps of an encoder that reorders pictures and doesn't stamp them well.
#pragma once

#include <cstdint>
#include <deque>

namespace facepipe {

/// A packet's decoding stamp is the presentation stamp that stands `lead` places before its own in
/// the rising order of all, as libx264 does it; before the first there are as many frames' ticks.
/// So they rise strictly, and none is later than its packet's presentation as long as a picture is
/// overtaken by `lead` others at most. With no lead both stamps are the same. Not thread-safe.
class DecodingStamps {
 public:
  /// @param lead         pictures, 0 or more
  /// @param frame_ticks  a frame's usual duration, at least 1
  DecodingStamps(int lead, std::int64_t frame_ticks);

  /// The presentation stamp of the next picture that the encoder gets; they rise strictly.
  void sent(std::int64_t stamp);
  /// Of the next packet that it gives. Errors: Error(internal) for more packets than pictures.
  [[nodiscard]] std::int64_t next();

 private:
  int lead_;
  std::int64_t frame_ticks_;
  bool begun_ = false;
  std::deque<std::int64_t> stamps_;
};

}  // namespace facepipe
