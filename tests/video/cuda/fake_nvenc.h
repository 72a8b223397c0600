// Fakes the driver's encoder library, libnvidia-encode.so.1, which FFmpeg calls for NVENC. The fake
// is for machines whose GPU has no NVENC; facepipe's code for NVENC has only been run on such
// machines. The fake encodes nothing. It checks its arguments, keeps the pictures, and returns the
// packets of a script with the delay and the reordering of NVENC.
//
// A program that is linked to the fake loads it under the library's name before FFmpeg looks for
// the library.
#pragma once

#include <ffnvcodec/nvEncodeAPI.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace facepipe::test {

/// Holds a packet of the script. The script is in decoding order.
struct FakePacket {
  std::size_t shown = 0;  ///< number of the picture in presentation order
  bool key = false;
  std::vector<std::uint8_t> bytes;
};

/// Says what the fake GPU can do, and which packets its encoder returns.
struct FakeChip {
  bool has_nvenc = true;
  int largest_side = 4096;
  bool ten_bits = true;  ///< whether HEVC can have 10 bits
  bool interlaced = false;
  int preset_b_frames = 2;
  std::vector<FakePacket> script = {};
  std::vector<std::uint8_t> headers = {};  ///< parameter sets; at most 256 bytes
};

/// Holds a picture as NVENC would read it from memory.
struct FakePicture {
  std::int64_t stamp = 0;
  NV_ENC_PIC_STRUCT structure = NV_ENC_PIC_STRUCT_FRAME;
  std::uint32_t flags = 0;
  std::vector<std::uint8_t> luma;    ///< rows without padding
  std::vector<std::uint8_t> chroma;  ///< rows without padding
};

/// Records the calls to one encoder: its settings and its pictures.
struct FakeSession {
  NV_ENC_INITIALIZE_PARAMS setup{};  ///< encodeConfig points to nothing; see `config`
  NV_ENC_CONFIG config{};
  NV_ENC_BUFFER_FORMAT format = NV_ENC_BUFFER_FORMAT_UNDEFINED;
  std::vector<FakePicture> pictures;  ///< in presentation order
  std::size_t most_held = 0;          ///< largest number of pictures that the encoder held at the
                                      ///< same time
  bool closed = false;
};

/// Forgets all sessions and problems. From now on, the library behaves like this GPU.
void become(const FakeChip& chip);
[[nodiscard]] const std::deque<FakeSession>& sessions();
/// Returns a sentence for each call that NVENC's documentation forbids.
[[nodiscard]] const std::vector<std::string>& problems();

}  // namespace facepipe::test
