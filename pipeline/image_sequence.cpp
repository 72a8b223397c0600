#include "pipeline/image_sequence.h"

#include <array>
#include <charconv>
#include <climits>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "pipeline/ffmpeg.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

/// The file of one number, in the pattern's folder.
fs::path numbered(const fs::path& pattern, int number) {
  std::array<char, NAME_MAX + 1> name{};
  const std::string last = pattern.filename().string();
  if (av_get_frame_filename(name.data(), static_cast<int>(name.size()), last.c_str(), number) < 0)
    throw Error(ErrorKind::output,
                pattern.string() + ": no name for picture " + std::to_string(number));
  return pattern.parent_path() / name.data();
}

/// What stands before and behind the number in the names of a pattern.
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

/// Whether a file's name is that of one of the sequence's pictures.
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

fs::path with_suffix(const fs::path& pattern, const std::string& suffix) {
  fs::path result = pattern;
  result.replace_filename(pattern.stem().string() + suffix + pattern.extension().string());
  return result;
}

fs::path free_partial(const fs::path& pattern) {
  fs::path partial = with_suffix(pattern, ".partial");
  for (int i = 2; !existing_picture(partial).empty(); ++i)
    partial = with_suffix(pattern, ".partial-" + std::to_string(i));
  return partial;
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
  const fs::path parent = pattern.parent_path();
  fs::directory_iterator walk(parent.empty() ? "." : parent, error);
  for (; !error && walk != fs::end(walk); walk.increment(error)) {
    const std::string name = walk->path().filename().string();
    if (is_picture(name, pattern)) return parent / name;
  }
  return {};
}

ImageSequence::ImageSequence(fs::path pattern)
    : pattern_(std::move(pattern)), partial_(free_partial(pattern_)) {
  std::error_code error;
  const fs::path parent = pattern_.parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error)) fail(pattern_, "no such folder");
}

std::string ImageSequence::muxer_name() const {
  const std::string whole = partial_.string();
  const std::size_t folder = whole.size() - partial_.filename().string().size();
  std::string name;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    name += whole[i];
    if (i < folder && whole[i] == '%') name += '%';
  }
  return name;
}

void ImageSequence::publish(bool replace) {
  for (; published_ < bytes_.size(); ++published_) {
    const int number = static_cast<int>(published_) + 1;
    const fs::path from = numbered(partial_, number);
    const fs::path to = numbered(pattern_, number);
    std::error_code error;
    const std::uintmax_t written = fs::file_size(from, error);
    if (error) fail(from, error.message());
    // FFmpeg's muxer doesn't look whether a picture got to the disk.
    if (written < static_cast<std::uintmax_t>(bytes_[published_]))
      fail(from, std::to_string(bytes_[published_]) + " bytes long, but only " +
                     std::to_string(written) + " were written");
    if (!replace && fs::exists(fs::symlink_status(to, error)))
      fail(to, "has appeared meanwhile; it stays as it is");
    fs::rename(from, to, error);
    if (error) fail(to, error.message());
  }
}

void ImageSequence::discard() noexcept {
  std::error_code ignored;
  for (std::size_t i = published_; i < bytes_.size(); ++i)
    fs::remove(numbered(partial_, static_cast<int>(i) + 1), ignored);
}

}  // namespace facepipe
