// Connects FFmpeg's muxers with an output file.
#pragma once

#include "core/files/output_queue.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// FFmpeg's I/O context over `file`, which must outlive it. Another thread writes the file
/// (core/files/output_queue.h). Not thread-safe.
class OutputIo {
 public:
  explicit OutputIo(OutputFile& file);
  ~OutputIo();
  OutputIo(const OutputIo&) = delete;
  OutputIo& operator=(const OutputIo&) = delete;

  /// Makes `muxer` write only here. Muxers that open files themselves (image2) get this file, once,
  /// for every name that they ask for.
  void attach(AVFormatContext& muxer);

  /// Writes what FFmpeg holds back, and waits until all is in the file. Afterwards the caller may
  /// use the file. Returns 0 or an FFmpeg error.
  [[nodiscard]] int flush();

  /// Returns the queue to the file: size() as it will be, reserve(), full().
  [[nodiscard]] OutputQueue& queue() { return queue_; }
  [[nodiscard]] const OutputQueue& queue() const { return queue_; }

 private:
  OutputQueue queue_;
  AVIOContext* context_ = nullptr;
};

}  // namespace facepipe::video
