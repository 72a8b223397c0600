#include "app/media_files.h"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>

#include "app/inputs.h"
#include "core/error.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 54> kExtensions{
    ".264", ".265", ".3g2",   ".3gp",  ".asf",  ".av1",  ".avi",  ".avif", ".bmp",  ".dv",  ".f4v",
    ".flv", ".gif", ".h264",  ".h265", ".hevc", ".ivf",  ".jpeg", ".jpg",  ".jxl",  ".m1v", ".m2ts",
    ".m2v", ".m4v", ".mjpeg", ".mjpg", ".mkv",  ".mov",  ".mp4",  ".mpeg", ".mpg",  ".mts", ".mxf",
    ".nut", ".obu", ".ogv",   ".pgm",  ".png",  ".pnm",  ".ppm",  ".rm",   ".rmvb", ".tif", ".tiff",
    ".tga", ".ts",  ".vob",   ".vp8",  ".vp9",  ".webm", ".webp", ".wmv",  ".wtv",  ".y4m"};

bool hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// "NAME.partial" or "NAME.partial-2".
bool is_partial(std::string_view stem) {
  const std::size_t last = stem.find_last_not_of("0123456789");
  if (last != std::string_view::npos && last + 1 < stem.size() && stem[last] == '-')
    stem = stem.substr(0, last);
  return stem.ends_with(".partial");
}

[[noreturn]] void unreadable(const fs::path& directory, const std::error_code& error) {
  throw Error(ErrorKind::input, directory.string() + ": can't be read: " + error.message());
}

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
  return stem.ends_with(kOutputSuffix) || is_partial(stem) ||
         stem.find(std::string(kOutputSuffix) + '.') != std::string::npos;
}

std::vector<fs::path> media_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::size_t outputs = 0;
  std::error_code error;
  fs::recursive_directory_iterator walk(directory, error);
  for (; !error && walk != fs::end(walk); walk.increment(error)) {
    const fs::path& path = walk->path();
    if (hidden(path)) {
      walk.disable_recursion_pending();
      continue;
    }
    std::error_code unknown;  // of a link that leads nowhere: no file
    if (!walk->is_regular_file(unknown) || !has_media_extension(path)) continue;
    if (is_earlier_output(path))
      ++outputs;
    else
      files.push_back(path);
  }
  if (error) unreadable(directory, error);
  if (files.empty())
    throw Error(ErrorKind::input,
                directory.string() + ": no video or image in it" +
                    (outputs > 0 ? " but " + std::to_string(outputs) + " earlier outputs" : ""));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace facepipe
