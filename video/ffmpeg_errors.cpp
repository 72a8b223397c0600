#include "video/ffmpeg_errors.h"

#include <array>
#include <cstdarg>
#include <mutex>

#include "video/ffmpeg.h"

namespace facepipe {
namespace {

// FFmpeg's callback gets nothing of ours along.
std::mutex lock;
const void* wanted = nullptr;
std::string last_warning;
std::string first_line;

void keep_first_error(void* context, int level, const char* format, std::va_list arguments) {
  if (level > AV_LOG_WARNING) return;
  int with_prefix = 0;
  std::array<char, 1024> line{};
  av_log_format_line(nullptr, level, format, arguments, line.data(), line.size(), &with_prefix);
  std::string text = line.data();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::scoped_lock guard(lock);
  if (wanted != nullptr && context != wanted) return;
  if (!first_line.empty()) return;
  if (level > AV_LOG_ERROR) {
    last_warning = std::move(text);
    return;
  }
  first_line = text + (last_warning.empty() ? "" : " (" + last_warning + ")");
}

}  // namespace

FFmpegErrors::FFmpegErrors(const void* of) {
  {
    const std::scoped_lock guard(lock);
    wanted = of;
    last_warning.clear();
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
