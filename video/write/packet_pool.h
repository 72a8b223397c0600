// Memory for packets of an encoder that FFmpeg knows nothing of, used again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Packets of half a megabyte that are allocated on one thread and freed on another cost a system
/// call and a page fault for every 4 KiB each time: more than copying them does. Used by one
/// thread; packets may be freed on any, and may outlive the pool. What packets have taken goes back
/// to the system when both pool and packets have ended.
class PacketPool {
 public:
  /// A packet with these bytes, one at least. Throws std::bad_alloc.
  [[nodiscard]] UniqueAVPacket packet_of(std::span<const std::uint8_t> bytes);

 private:
  struct Free {
    void operator()(AVBufferPool* pool) const { av_buffer_pool_uninit(&pool); }
  };
  std::unique_ptr<AVBufferPool, Free> pool_;
  std::size_t each_ = 0;  // bytes of one of its buffers
};

}  // namespace facepipe::video
