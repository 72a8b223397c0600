// Encodes frames one after the other.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "video/write/encoder.h"

namespace facepipe::test {

/// Encodes `count` frames and flushes the encoder. Returns the packets, whose records have the
/// numbers of the frames.
inline std::vector<video::EncodedFrame> encode_all(
    video::Encoder& encoder, int count, const std::function<Frame(int)>& frame,
    const std::function<void()>& after_each = [] {}) {
  std::vector<video::EncodedFrame> packets;
  const auto sink = [&](video::EncodedFrame encoded) { packets.push_back(std::move(encoded)); };
  for (int i = 0; i < count; ++i) {
    FrameRecord record;
    record.index = i;
    encoder.encode(frame(i), std::move(record), sink);
    after_each();
  }
  encoder.flush(sink);
  return packets;
}

}  // namespace facepipe::test
