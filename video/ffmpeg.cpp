#include "video/ffmpeg.h"

#include <spdlog/spdlog.h>

#include <array>
#include <cstdarg>
#include <new>

#include "video/picture_limit.h"

namespace facepipe {
namespace {

void log_line(void* context, int level, const char* format, std::va_list arguments) {
  if (level > AV_LOG_INFO) return;
  std::array<char, 1024> line{};
  int print_prefix = 1;
  av_log_format_line(context, level, format, arguments, line.data(), line.size(), &print_prefix);
  watch_for_refused_size(line.data());
  std::string_view text(line.data());
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (!text.empty()) spdlog::debug("FFmpeg: {}", text);
}

}  // namespace

void Dictionary::set(const std::string& key, const std::string& value) {
  check_av(av_dict_set(&dictionary_, key.c_str(), value.c_str(), 0), ErrorKind::internal, key);
}

Dictionaries::~Dictionaries() {
  for (AVDictionary*& each : all_) av_dict_free(&each);
}

void Dictionaries::set(const std::string& key, const std::string& value) {
  for (AVDictionary*& each : all_)
    check_av(av_dict_set(&each, key.c_str(), value.c_str(), 0), ErrorKind::internal, key);
}

const char* Dictionary::first_key() const {
  const AVDictionaryEntry* entry = av_dict_get(dictionary_, "", nullptr, AV_DICT_IGNORE_SUFFIX);
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
  throw Error(kind, std::string(subject) + ": " + av_error_text(code));
}

UniqueAVFrame new_av_frame() {
  UniqueAVFrame frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  return frame;
}

UniqueAVPacket new_av_packet() {
  UniqueAVPacket packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  return packet;
}

UniqueAVPacket reference(const AVPacket& packet) {
  UniqueAVPacket copy(av_packet_clone(&packet));
  if (!copy) throw std::bad_alloc();
  return copy;
}

void redirect_ffmpeg_log() { av_log_set_callback(log_line); }

}  // namespace facepipe
