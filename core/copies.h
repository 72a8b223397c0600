// What crosses between host and device, counted by kind: no stage copies without telling.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace facepipe {

/// The named copies. What NVDEC itself uploads (the compressed packets) happens inside the driver
/// and isn't among them. Nor does anybody copy NVENC's bitstream, which the chip writes to the host
/// itself; its bytes are counted all the same.
enum class CopyKind : std::uint8_t {
  descriptor,  ///< host to device: FrameDescriptor
  upload,      ///< host to device: a picture decoded on the CPU
  counts,      ///< device to host: how many candidates and faces
  faces,       ///< device to host: boxes, scores, landmarks
  bitstream,   ///< device to host: encoded pictures
  download,  ///< device to host: a picture that the CPU works on, or a finished one for its encoder
  surface,   ///< on the device: a finished picture to one of NVENC's surfaces
  luma,      ///< device to host: a small luma, half the picture's size, to look for motion in
  motion,    ///< device to host: points of a picture and where they went, counts of its greys
  waiting,   ///< on the device: a picture that waits to be hidden, out of the decoder's surface
  drawing,   ///< host to device: faces to be drawn with what the host alone knows of them
  network_input,   ///< host to device: what a network looks at, for a library that takes no device
                   ///< memory
  network_output,  ///< device to host: one output of such a network
};
inline constexpr std::size_t kCopyKinds = 13;

/// "descriptor", "upload", ...
[[nodiscard]] std::string_view name_of(CopyKind kind);
/// "to device", "to host" or "on device"
[[nodiscard]] std::string_view direction_of(CopyKind kind);

/// Calls and bytes of one kind.
struct CopyTotal {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const CopyTotal&, const CopyTotal&) = default;
};

/// Thread-safe. A copy that is recorded in a graph is counted each time the graph has run.
class CopyCounter {
 public:
  void add(CopyKind kind, std::size_t bytes);
  /// All that `other` has counted so far.
  void add(const CopyCounter& other);
  [[nodiscard]] CopyTotal total(CopyKind kind) const;

 private:
  struct Entry {
    std::atomic<std::int64_t> calls = 0;
    std::atomic<std::int64_t> bytes = 0;
  };
  std::array<Entry, kCopyKinds> entries_;
};

}  // namespace facepipe
