#include "pipeline/ffmpeg_errors.h"

#include <array>
#include <cstdarg>
#include <mutex>

#include "pipeline/ffmpeg.h"

namespace facepipe {
namespace {

// FFmpeg's callback gets nothing of ours along.
std::mutex lock;
std::string first_line;

void keep_first_error(void* /*context*/, int level, const char* format, std::va_list arguments) {
  if (level > AV_LOG_ERROR) return;
  int with_prefix = 0;
  std::array<char, 1024> line{};
  av_log_format_line(nullptr, level, format, arguments, line.data(), line.size(), &with_prefix);
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::scoped_lock guard(lock);
  if (first_line.empty()) first_line = std::move(text);
}

}  // namespace

FFmpegErrors::FFmpegErrors() {
  {
    const std::scoped_lock guard(lock);
    first_line.clear();
  }
  av_log_set_callback(keep_first_error);
}

FFmpegErrors::~FFmpegErrors() { redirect_ffmpeg_log(); }

std::string FFmpegErrors::first() const {
  const std::scoped_lock guard(lock);
  return first_line;
}

}  // namespace facepipe
