#include "video/write/image_sequence.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files/output_file.h"

namespace facepipe::video {
namespace {

namespace fs = std::filesystem;

/// Returns the file for a number, in the pattern's folder.
fs::path numbered(const fs::path& pattern, int number) {
  std::array<char, NAME_MAX + 1> name{};
  const std::string last = pattern.filename().string();
  if (av_get_frame_filename(name.data(), static_cast<int>(name.size()), last.c_str(), number) < 0)
    throw Error(ErrorKind::output, pattern.string() + ": the pattern gives no name for picture " +
                                       std::to_string(number));
  return pattern.parent_path() / name.data();
}

/// Holds the text before and after the number in a pattern's file names.
struct Around {
  std::string before;
  std::string behind;
};

Around around_number(const std::string& pattern) {
  Around result;
  std::string* part = &result.before;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool sign = pattern[i] == '%' && i + 1 < pattern.size();
    if (sign && pattern[i + 1] != '%') {
      i = pattern.find('d', i);
      part = &result.behind;
    } else {
      *part += pattern[i];
      if (sign) ++i;
    }
  }
  return result;
}

/// Returns whether a file of this name is one of the sequence's pictures.
bool is_picture(const std::string& name, const fs::path& pattern) {
  const auto [before, behind] = around_number(pattern.filename().string());
  const bool around = name.size() > before.size() + behind.size() && name.starts_with(before) &&
                      name.ends_with(behind);
  if (!around) return false;
  int number = 0;
  const char* const end = name.data() + name.size() - behind.size();
  const auto parsed = std::from_chars(name.data() + before.size(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end && number >= 0 &&
         numbered(pattern, number).filename() == name;
}

fs::path free_partial(const fs::path& pattern) {
  for (int i = 1;; ++i) {
    fs::path partial = partial_name(pattern, i);
    if (existing_picture(partial).empty()) return partial;
  }
}

/// Returns whether a file's name is one that keep_partial() gives to a picture.
bool is_partial_picture(const std::string& name, const fs::path& pattern) {
  const std::size_t mark = name.rfind(".partial");
  if (mark == std::string::npos) return false;
  int number = 1;
  if (name.compare(mark, std::string_view(".partial-").size(), ".partial-") == 0)
    std::from_chars(name.data() + mark + std::string_view(".partial-").size(),
                    name.data() + name.size(), number);
  return number >= 1 && is_picture(name, partial_name(pattern, number));
}

[[noreturn]] void fail(const fs::path& path, const std::string& reason) {
  throw Error(ErrorKind::output, path.string() + ": " + reason);
}

}  // namespace

bool is_sequence_name(const fs::path& path) {
  return av_filename_number_test(path.filename().c_str()) != 0;
}

fs::path existing_picture(const fs::path& pattern) {
  std::error_code error;
  fs::directory_iterator walk(folder_of(pattern), error);
  for (; !error && walk != fs::end(walk); walk.increment(error)) {
    const std::string name = walk->path().filename().string();
    if (is_picture(name, pattern)) return pattern.parent_path() / name;
  }
  return {};
}

ImageSequence::ImageSequence(fs::path pattern, ExistingTarget existing)
    : pattern_(std::move(pattern)),
      existing_(existing),
      suffix_(temporary_suffix()),
      lock_(pattern_, [this](const std::string& name, OutputLock::NameOf kind) {
        return kind == OutputLock::NameOf::partial ? is_partial_picture(name, pattern_)
                                                   : is_picture(name, pattern_);
      }) {}

ImageSequence::~ImageSequence() {
  for (; first_ <= count_; ++first_) remove_file(temporary(first_));
}

fs::path ImageSequence::temporary(int number) const {
  const fs::path picture = numbered(pattern_, number);
  return sibling_path(picture, picture.filename().string(), suffix_);
}

void ImageSequence::attach(AVFormatContext& muxer) {
  muxer.opaque = this;
  muxer.io_open = open_picture;
  muxer.io_close2 = close_picture;
}

int ImageSequence::open_picture(AVFormatContext* /*muxer*/, AVIOContext** io, const char* /*url*/,
                                int /*flags*/, AVDictionary** /*options*/) {
  return avio_open_dyn_buf(io);
}

int ImageSequence::close_picture(AVFormatContext* muxer, AVIOContext* io) {
  auto& self = *static_cast<ImageSequence*>(muxer->opaque);
  std::uint8_t* bytes = nullptr;
  const int size = avio_close_dyn_buf(io, &bytes);
  const int code = self.add({bytes, static_cast<std::size_t>(std::max(size, 0))});
  av_free(bytes);
  return AVERROR(code);
}

int ImageSequence::add(std::span<const std::uint8_t> picture) {
  if (full_ != 0) return full_;
  try {
    const fs::path file = temporary(count_ + 1);
    lock_.writes(file);
    full_ = write_new_file(file, std::as_bytes(picture));
  } catch (const Error&) {  // the lock's record can't be written
    full_ = ENOSPC;         // because an exception must not pass through FFmpeg
  }
  if (full_ == 0) ++count_;
  return full_;
}

void ImageSequence::sync() const noexcept {
  const int opened = open(folder_of(pattern_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  syncfs(opened);  // one call for all pictures is faster than a call for each
  close(opened);
}

void ImageSequence::commit() {
  sync();
  for (; first_ <= count_; ++first_) {
    const fs::path to = numbered(pattern_, first_);
    const int code = rename_file(temporary(first_), to, existing_);
    if (code == 0) continue;
    const fs::path kept = keep_partial();
    fail(to, rename_failure(code) +
                 (kept.empty() ? ""
                               : "; this picture and those after it are kept as " + kept.string()));
  }
  sync();
  lock_.finished();
}

fs::path ImageSequence::keep_partial() {
  if (!may_keep_partial_files()) return {};  // the destructor removes the pictures
  sync();
  fs::path partial = free_partial(pattern_);
  for (; first_ <= count_; ++first_) {
    const fs::path to = numbered(partial, first_);
    const int code = rename_file(temporary(first_), to, ExistingTarget::refuse);
    if (code != 0) fail(to, write_failure(code));
    lock_.left_partial(to);
  }
  return partial;
}

}  // namespace facepipe::video
