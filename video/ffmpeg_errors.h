// FFmpeg's own words for what its codes don't tell.
#pragma once

#include <string>

namespace facepipe {

/// Collects what FFmpeg logs as errors, on any thread, while it lives; one at a time. Afterwards
/// the log goes where redirect_ffmpeg_log() sends it.
class FFmpegErrors {
 public:
  /// @param of  the object (an AVCodecContext, say) whose errors count; nullptr: all
  explicit FFmpegErrors(const void* of = nullptr);
  ~FFmpegErrors();
  FFmpegErrors(const FFmpegErrors&) = delete;
  FFmpegErrors& operator=(const FFmpegErrors&) = delete;

  /// The first line, and in brackets the last warning before it: they name the cause. Empty if
  /// there was no error.
  [[nodiscard]] std::string first() const;
};

}  // namespace facepipe
