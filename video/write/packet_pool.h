// Reuses memory for packets of an encoder that isn't FFmpeg's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Keeps the memory of packets. Allocating half a megabyte on one thread and freeing it on another
/// costs a system call, and a page fault for every 4 KiB. That is more than copying a packet costs.
/// Used by one thread. Packets may be freed on any thread, and may outlive the pool. Their memory
/// goes back to the system when the pool and all packets have ended.
class PacketPool {
 public:
  /// Returns a packet with these bytes, at least one. Throws std::bad_alloc.
  [[nodiscard]] UniqueAVPacket packet_of(std::span<const std::uint8_t> bytes);

 private:
  struct Free {
    void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
  };
  std::unique_ptr<AVBufferPool, Free> pool_;
  std::size_t each_ = 0;  // size of each of its buffers in bytes
};

}  // namespace facepipe::video
