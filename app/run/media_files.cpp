#include "app/run/media_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 54> kExtensions{
    ".264", ".265", ".3g2",   ".3gp",  ".asf",  ".av1",  ".avi",  ".avif", ".bmp",  ".dv",  ".f4v",
    ".flv", ".gif", ".h264",  ".h265", ".hevc", ".ivf",  ".jpeg", ".jpg",  ".jxl",  ".m1v", ".m2ts",
    ".m2v", ".m4v", ".mjpeg", ".mjpg", ".mkv",  ".mov",  ".mp4",  ".mpeg", ".mpg",  ".mts", ".mxf",
    ".nut", ".obu", ".ogv",   ".pgm",  ".png",  ".pnm",  ".ppm",  ".rm",   ".rmvb", ".tif", ".tiff",
    ".tga", ".ts",  ".vob",   ".vp8",  ".vp9",  ".webm", ".webp", ".wmv",  ".wtv",  ".y4m"};

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// Returns whether `stem` is "NAME.partial" or "NAME.partial-2".
bool is_partial(std::string_view stem) {
  const std::size_t last = stem.find_last_not_of("0123456789");
  if (last != std::string_view::npos && last + 1 < stem.size() && stem[last] == '-')
    stem = stem.substr(0, last);
  return stem.ends_with(".partial");
}

/// Collects the media files of a directory and of all directories below it.
class Walk {
 public:
  void enter(const fs::path& directory) {
    std::error_code error;
    fs::directory_iterator entries(directory, error);
    for (; !error && entries != fs::end(entries); entries.increment(error)) visit(*entries);
    if (error) found_.unreadable.push_back({directory, error.message()});
  }

  [[nodiscard]] std::size_t earlier_outputs() const { return earlier_outputs_; }
  [[nodiscard]] MediaFiles take() {
    std::ranges::sort(found_.files);
    std::ranges::sort(found_.unreadable, {}, &MediaFiles::Unreadable::directory);
    return std::move(found_);
  }

 private:
  void visit(const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    if (is_hidden(path)) return;
    std::error_code unknown;  // set if the file was just removed, or if the link is broken
    if (!entry.is_symlink(unknown) && entry.is_directory(unknown)) return enter(path);
    if (!entry.is_regular_file(unknown) || !has_media_extension(path)) return;
    if (is_earlier_output(path))
      ++earlier_outputs_;
    else
      found_.files.push_back(path);
  }

  MediaFiles found_;
  std::size_t earlier_outputs_ = 0;
};

}  // namespace

std::span<const std::string_view> media_extensions() { return kExtensions; }

bool has_media_extension(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

bool is_earlier_output(const fs::path& path) {
  const std::string stem = path.stem().string();
  return is_partial(stem) ||
         std::ranges::any_of(std::array{kDrawnSuffix, kHiddenSuffix}, [&](std::string_view suffix) {
           return stem.ends_with(suffix) ||
                  stem.find(std::string(suffix) + '.') != std::string::npos;
         });
}

MediaFiles media_files(const fs::path& directory) {
  Walk walk;
  walk.enter(directory);
  const std::size_t outputs = walk.earlier_outputs();
  MediaFiles found = walk.take();
  if (found.files.empty() && found.unreadable.empty())
    throw Error(ErrorKind::input,
                directory.string() + ": there is no video or image in it" +
                    (outputs > 0 ? " except " + std::to_string(outputs) + " earlier outputs" : ""));
  return found;
}

}  // namespace facepipe::app
