// A stand-in for the driver's encoder library, libnvidia-encode.so.1, by which FFmpeg reaches
// NVENC: for chips without one, which is all that this was run on. It encodes nothing. It checks
// what it is given, keeps the pictures, and gives the packets of a script, held back and reordered
// as NVENC's.
//
// A program that is linked to it has it loaded under that name before FFmpeg looks for it.
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
  std::size_t shown = 0;  ///< the place of its picture in order of presentation
  bool key = false;
  std::vector<std::uint8_t> bytes;
};

/// What the chip can do, and what it "encodes".
struct FakeChip {
  bool has_nvenc = true;
  int largest_side = 4096;
  bool ten_bits = true;  ///< of HEVC
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
  std::vector<std::uint8_t> chroma;  ///< likewise
};

/// What was asked of one encoder.
struct FakeSession {
  NV_ENC_INITIALIZE_PARAMS setup{};  ///< encodeConfig points nowhere: see config
  NV_ENC_CONFIG config{};
  NV_ENC_BUFFER_FORMAT format = NV_ENC_BUFFER_FORMAT_UNDEFINED;
  std::vector<FakePicture> pictures;  ///< in order of presentation
  std::size_t most_held = 0;          ///< pictures that it had at once
  bool closed = false;
};

/// Forgets all, and is that chip from now on.
void become(const FakeChip& chip);
[[nodiscard]] const std::deque<FakeSession>& sessions();
/// What NVENC's documentation doesn't allow and was done nevertheless: a sentence each.
[[nodiscard]] const std::vector<std::string>& problems();

}  // namespace facepipe::test
