// Makes scripts for the fake NVENC.
#pragma once

#include <algorithm>
#include <string>

#include "tests/video/cuda/fake_nvenc.h"

namespace facepipe::test {

/// Returns packets for `count` pictures, with `b_frames` B pictures between two P pictures. Their
/// bytes have no meaning.
inline std::vector<FakePacket> meaningless_script(std::size_t count, std::size_t b_frames) {
  std::vector<FakePacket> script;
  const auto add = [&](std::size_t shown) {
    const std::string text = "picture " + std::to_string(shown);
    FakePacket packet{shown, shown == 0, {0, 0, 0, 1}};
    packet.bytes.insert(packet.bytes.end(), text.begin(), text.end());
    script.push_back(packet);
  };
  if (count > 0) add(0);
  for (std::size_t first = 1; first < count; first += b_frames + 1) {
    const std::size_t p = std::min(first + b_frames, count - 1);
    add(p);
    for (std::size_t b = first; b < p; ++b) add(b);
  }
  return script;
}

}  // namespace facepipe::test
