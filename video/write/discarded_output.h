// Takes what FFmpeg's muxers write, counts it, and keeps nothing.
#pragma once

#include <cstdint>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Owns FFmpeg's I/O context that stands for a file on the disk: a muxer can seek in it. The bytes
/// go nowhere. Not thread-safe.
class DiscardedOutput {
 public:
  DiscardedOutput();
  ~DiscardedOutput();
  DiscardedOutput(const DiscardedOutput&) = delete;
  DiscardedOutput& operator=(const DiscardedOutput&) = delete;

  /// Makes `muxer` write here. Muxers that open files themselves (image2) write each of them here.
  void attach(AVFormatContext& muxer);

  /// Returns the size that the file would have; the sum of all files if the muxer opens files
  /// itself. Doesn't count bytes that FFmpeg has buffered.
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  [[nodiscard]] static DiscardedOutput& self(void* opaque) {
    return *static_cast<DiscardedOutput*>(opaque);
  }
  void take(int bytes);
  [[nodiscard]] std::int64_t seek(std::int64_t offset, int whence);

  std::int64_t position_ = 0;
  std::int64_t size_ = 0;
  AVIOContext* context_ = nullptr;
};

}  // namespace facepipe::video
