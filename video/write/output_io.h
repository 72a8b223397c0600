// Connects FFmpeg's muxers with an output file.
#pragma once

#include "core/files/output_queue.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// The size of the buffers of FFmpeg's I/O contexts; FFmpeg uses the same size for files.
inline constexpr int kOutputBufferBytes = 1 << 18;

/// Makes `muxer` write only to `io`, which must outlive the muxer. Muxers that open files
/// themselves (image2) get `io` each time, regardless of the name that they ask for.
void let_muxer_write(AVFormatContext& muxer, AVIOContext& io);

/// Owns FFmpeg's I/O context that writes to `file`, which must outlive it. Another thread writes
/// the file (core/files/output_queue.h). Not thread-safe.
class OutputIo {
 public:
  explicit OutputIo(OutputFile& file);
  ~OutputIo();
  OutputIo(const OutputIo&) = delete;
  OutputIo& operator=(const OutputIo&) = delete;

  /// Makes `muxer` write only to this file (let_muxer_write()).
  void attach(AVFormatContext& muxer);

  /// Writes the bytes that FFmpeg has buffered, and waits until they are in the file. Afterwards
  /// the caller may use the file. Returns 0 or an FFmpeg error.
  [[nodiscard]] int flush();

  /// Returns the queue before the file. Its size() is the future size of the file.
  [[nodiscard]] OutputQueue& queue() { return queue_; }
  [[nodiscard]] const OutputQueue& queue() const { return queue_; }

 private:
  OutputQueue queue_;
  AVIOContext* context_ = nullptr;
};

}  // namespace facepipe::video
