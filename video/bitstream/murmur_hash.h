// Computes MurmurHash3 by FFmpeg's libavutil. It is fast, and notices accidents, but no attacks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct AVMurMur3;

namespace facepipe::video {

/// Hashes bytes with 128 bits. Not thread-safe.
class MurmurHash {
 public:
  using Value = std::array<std::uint8_t, 16>;

  /// Throws std::bad_alloc.
  MurmurHash();
  ~MurmurHash();
  MurmurHash(const MurmurHash&) = delete;
  MurmurHash& operator=(const MurmurHash&) = delete;

  void add(std::span<const std::byte> bytes);
  /// Returns the hash of all bytes so far, and forgets them.
  [[nodiscard]] Value finish();

 private:
  struct Free {
    void operator()(AVMurMur3* state) const noexcept;
  };

  std::unique_ptr<AVMurMur3, Free> state_;
};

}  // namespace facepipe::video
