// An output file as FFmpeg's muxers write to it.
#pragma once

#include "core/files/output_queue.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// FFmpeg's I/O context over `file`, which must outlive it, and which a thread of its own writes
/// (core/files/output_queue.h). Not thread-safe.
class OutputIo {
 public:
  explicit OutputIo(OutputFile& file);
  ~OutputIo();
  OutputIo(const OutputIo&) = delete;
  OutputIo& operator=(const OutputIo&) = delete;

  /// Makes `muxer` write here, and nowhere else: muxers that open files of their own (image2) get
  /// this one, once, whatever name they ask for.
  void attach(AVFormatContext& muxer);

  /// Writes out what FFmpeg holds back, and waits until all is in the file, which then is the
  /// caller's. 0 or an error of FFmpeg's.
  [[nodiscard]] int flush();

  /// The file behind its end: size() as it will be, reserve(), full().
  [[nodiscard]] OutputQueue& queue() { return queue_; }
  [[nodiscard]] const OutputQueue& queue() const { return queue_; }

 private:
  OutputQueue queue_;
  AVIOContext* context_ = nullptr;
};

}  // namespace facepipe::video
