// Counts the copies between host and device by kind, so that no copy goes unnoticed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace facepipe {

/// Lists the kinds of copies. NVDEC's own upload of compressed packets, inside the driver, is not
/// counted. NVENC itself writes its bitstream to the host; these bytes are counted.
enum class CopyKind : std::uint8_t {
  descriptor,  ///< host to device: FrameDescriptor
  upload,      ///< host to device: a picture decoded on the CPU
  counts,      ///< device to host: the numbers of candidates and faces
  faces,       ///< device to host: boxes, scores, landmarks
  bitstream,   ///< device to host: encoded pictures
  download,  ///< device to host: a picture for the CPU to work on, or a finished one for an encoder
  surface,   ///< on the device: a finished picture to one of NVENC's surfaces
  luma,      ///< device to host: a luma plane of half width and height, to find motion in it
  motion,    ///< device to host: tracked points, their new positions, and a histogram of the greys
  waiting,   ///< on the device: a picture that waits to be hidden, out of the decoder's surface
  drawing,   ///< host to device: faces to draw, with data that only the host has
  network_input,   ///< host to device: a network's input, for a library that takes no device memory
  network_output,  ///< device to host: one output of such a network
  crops,           ///< host to device: which parts of a frame are looked at again
  crop_scores,     ///< device to host: the scores of these parts
};
inline constexpr std::size_t kCopyKinds = 15;

/// Returns "descriptor", "upload", ...
[[nodiscard]] std::string_view name_of(CopyKind kind);
/// Returns "to device", "to host" or "on device".
[[nodiscard]] std::string_view direction_of(CopyKind kind);

struct CopyTotal {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const CopyTotal&, const CopyTotal&) = default;
};

/// Counts copies by kind. A copy in a CUDA graph counts once for each run of the graph.
/// Thread-safe.
class CopyCounter {
 public:
  void add(CopyKind kind, std::size_t bytes);
  /// Adds all that `other` has counted so far.
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
