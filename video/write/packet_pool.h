// Reuses memory for packets of encoders that aren't FFmpeg's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Keeps the memory of packets for reuse. If one thread allocates half a megabyte and another frees
/// it, this costs a system call, and a page fault for every 4 KiB: more than copying a packet. Only
/// one thread may use it. Any thread may free a packet, even after the pool's end. The memory goes
/// back to the system when the pool and all packets are destroyed.
class PacketPool {
 public:
  /// Returns a packet with a copy of `bytes`, which must not be empty. Throws std::bad_alloc.
  [[nodiscard]] UniqueAVPacket packet_of(std::span<const std::uint8_t> bytes);

 private:
  struct Free {
    void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
  };
  std::unique_ptr<AVBufferPool, Free> pool_;
  std::size_t each_ = 0;  // size of each buffer in bytes
};

}  // namespace facepipe::video
