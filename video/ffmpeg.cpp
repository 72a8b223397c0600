#include "video/ffmpeg.h"

#include <spdlog/spdlog.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <mutex>
#include <span>

#include "core/passing_error.h"
#include "video/picture_limit.h"

namespace facepipe::video {
namespace {

constexpr std::size_t kLongestMessage = 1024;

/// Writes a message into `line` and returns it without its line break. If `author` isn't nullptr,
/// the message begins with the author's name.
std::string_view message_of(std::span<char> line, void* author, int level, const char* format,
                            std::va_list arguments) {
  int print_prefix = 1;
  av_log_format_line(author, level, format, arguments, line.data(), static_cast<int>(line.size()),
                     &print_prefix);
  const std::string_view text = line.data();
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

void log_line(void* context, int level, const char* format, std::va_list arguments) {
  if (level > AV_LOG_INFO) return;
  std::array<char, kLongestMessage> line{};
  const std::string_view text = message_of(line, context, level, format, arguments);
  watch_for_refused_size(line.data());
  if (!text.empty()) spdlog::debug("FFmpeg: {}", text);
}

// These variables are global because FFmpeg's callback has no argument for our own data.
std::mutex lock;
const void* wanted = nullptr;
std::string last_warning;
std::string first_line;

void keep_first_error(void* context, int level, const char* format, std::va_list arguments) {
  if (level > AV_LOG_WARNING) return;
  std::array<char, kLongestMessage> line{};
  const std::string text(message_of(line, nullptr, level, format, arguments));
  const std::scoped_lock guard(lock);
  if (wanted != nullptr && context != wanted) return;
  if (!first_line.empty()) return;
  if (level > AV_LOG_ERROR) {
    last_warning = text;
    return;
  }
  first_line = text + (last_warning.empty() ? "" : " (" + last_warning + ")");
}

/// Names the resource that the system has run out of; returns an empty text for all other errors.
std::string missing_resource(int code) {
  if (code == AVERROR(ENOMEM)) return "out of memory";
  return code == AVERROR(EAGAIN) ? "can't start a thread: " + av_error_text(code) : "";
}

}  // namespace

void close_input(AVFormatContext** input) noexcept {
  AVFormatContext& context = **input;
  if (context.url != nullptr) return avformat_close_input(input);
  context.iformat = nullptr;  // FFmpeg would free what only an opened format has
  avio_context_free(&context.pb);
  avformat_free_context(&context);
}

Dictionary::~Dictionary() {
  for (AVDictionary*& each : all_) av_dict_free(&each);
}

void Dictionary::set(const std::string& key, const std::string& value) {
  for (AVDictionary*& each : all_)
    check_av(av_dict_set(&each, key.c_str(), value.c_str(), 0), ErrorKind::internal, key);
}

const char* Dictionary::first_key() const {
  const AVDictionaryEntry* entry = av_dict_get(all_.front(), "", nullptr, AV_DICT_IGNORE_SUFFIX);
  return entry != nullptr ? entry->key : nullptr;
}

std::string av_error_text(int code) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(code, text.data(), text.size());
  return text.data();
}

int check_av(int code, ErrorKind kind, std::string_view subject, std::source_location place) {
  if (code >= 0) return code;
  spdlog::debug("{}:{} {}: FFmpeg returned {}", place.file_name(), place.line(),
                place.function_name(), code);
  const std::string missing = missing_resource(code);
  // The kind `device` isn't changed, because a device has its own memory.
  const bool ours = !missing.empty() && kind != ErrorKind::device;
  if (ours) throw PassingError(ErrorKind::internal, std::string(subject) + ": " + missing);
  const std::string message = std::string(subject) + ": " + av_error_text(code);
  if (kind == ErrorKind::output && is_passing(AVUNERROR(code))) throw PassingError(kind, message);
  throw Error(kind, message);
}

void redirect_ffmpeg_log() { av_log_set_callback(log_line); }

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

}  // namespace facepipe::video
