// An output file as FFmpeg's muxers write to it.
#pragma once

#include "core/output_file.h"
#include "video/ffmpeg.h"

namespace facepipe {

/// FFmpeg's I/O context over `file`, which must outlive it. Not thread-safe.
class OutputIo {
 public:
  explicit OutputIo(OutputFile& file);
  ~OutputIo();
  OutputIo(const OutputIo&) = delete;
  OutputIo& operator=(const OutputIo&) = delete;

  /// Makes `muxer` write here, and nowhere else: muxers that open files of their own (image2) get
  /// this one, once, whatever name they ask for.
  void attach(AVFormatContext& muxer);

  /// Writes out what FFmpeg holds back. 0 or an error of FFmpeg's.
  [[nodiscard]] int flush();

 private:
  AVIOContext* context_ = nullptr;
};

}  // namespace facepipe
