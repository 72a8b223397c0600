// FFmpeg's own words for what its codes don't tell.
#pragma once

#include <string>

namespace facepipe {

/// Collects what FFmpeg logs as errors, on any thread, while it lives; one at a time. Afterwards
/// the log goes where redirect_ffmpeg_log() sends it.
class FFmpegErrors {
 public:
  FFmpegErrors();
  ~FFmpegErrors();
  FFmpegErrors(const FFmpegErrors&) = delete;
  FFmpegErrors& operator=(const FFmpegErrors&) = delete;

  /// The first line, which names the cause; empty if there was none.
  [[nodiscard]] std::string first() const;
};

}  // namespace facepipe
