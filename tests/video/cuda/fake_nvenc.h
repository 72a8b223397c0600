// A stand-in for the driver's encoder library, libnvidia-encode.so.1, through which FFmpeg reaches
// NVENC. It serves machines whose GPU has no NVENC; the code has only been run on such. It encodes
// nothing. It checks its arguments, keeps the pictures, and returns the packets of a script, held
// back and reordered like NVENC's.
//
// A program that is linked to the stand-in loads it under that name before FFmpeg looks for the
// library.
#pragma once

#include <ffnvcodec/nvEncodeAPI.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace facepipe::test {

/// A packet of the script, in decoding order.
struct FakePacket {
  std::size_t shown = 0;  ///< the picture's place in order of presentation
  bool key = false;
  std::vector<std::uint8_t> bytes;
};

/// What the GPU can do, and the packets that it "encodes".
struct FakeChip {
  bool has_nvenc = true;
  int largest_side = 4096;
  bool ten_bits = true;  ///< for HEVC
  bool interlaced = false;
  int preset_b_frames = 2;
  std::vector<FakePacket> script = {};
  std::vector<std::uint8_t> headers = {};  ///< parameter sets, 256 bytes at most
};

/// A picture as NVENC would read it.
struct FakePicture {
  std::int64_t stamp = 0;
  NV_ENC_PIC_STRUCT structure = NV_ENC_PIC_STRUCT_FRAME;
  std::uint32_t flags = 0;
  std::vector<std::uint8_t> luma;    ///< rows without padding
  std::vector<std::uint8_t> chroma;  ///< rows without padding
};

/// What a caller asked of one encoder.
struct FakeSession {
  NV_ENC_INITIALIZE_PARAMS setup{};  ///< encodeConfig doesn't point anywhere; see config
  NV_ENC_CONFIG config{};
  NV_ENC_BUFFER_FORMAT format = NV_ENC_BUFFER_FORMAT_UNDEFINED;
  std::vector<FakePicture> pictures;  ///< in order of presentation
  std::size_t most_held = 0;          ///< the most pictures that it held at once
  bool closed = false;
};

/// Forgets everything and behaves like that GPU from now on.
void become(const FakeChip& chip);
[[nodiscard]] const std::deque<FakeSession>& sessions();
/// Returns a sentence for each call that NVENC's documentation doesn't allow.
[[nodiscard]] const std::vector<std::string>& problems();

}  // namespace facepipe::test
