#include "app/run/named_files.h"

#include <sys/stat.h>

#include <ranges>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/files/output_file.h"
#include "video/read/input_access.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Converts "cache:file:///a" to "file:///a"; returns nullopt if the text doesn't begin with a
/// protocol. A protocol's options are between its name and the colon.
std::optional<std::string> behind_protocol(const std::string& text) {
  constexpr std::string_view kNameLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
  const std::size_t end = text.find_first_not_of(kNameLetters);
  if (end == 0 || end == std::string::npos || (text[end] != ':' && text[end] != ','))
    return std::nullopt;
  const std::size_t colon = text.find(':', end);
  if (colon == std::string::npos) return std::nullopt;
  return text.substr(colon + 1);
}

/// Converts "pipe:3" to "/dev/fd/3". Without a number, the result is standard input.
fs::path descriptor_path(const std::string& url) {
  const std::size_t digits = url.find_first_of("0123456789");
  return "/dev/fd/" + (digits == std::string::npos ? "0" : url.substr(digits));
}

}  // namespace

std::vector<fs::path> input_paths(const std::string& input) {
  std::vector<fs::path> paths;
  for (const auto range : std::views::split(input, '|')) {  // "concat:a|b" names two files
    std::optional<std::string> part(std::in_place, range.begin(), range.end());
    for (; part && !part->empty(); part = behind_protocol(*part)) {
      paths.emplace_back(*part);
      if (part->starts_with("pipe:") || part->starts_with("fd:"))
        paths.push_back(descriptor_path(*part));
    }
  }
  return paths;
}

std::vector<fs::path> names_of_a_run(const fs::path& target) {
  std::vector<fs::path> names{target, OutputLock::record_path(target)};
  std::error_code error;
  for (int number = 1;; ++number) {
    names.push_back(partial_name(target, number));
    if (!fs::exists(fs::symlink_status(names.back(), error))) return names;
  }
}

NamedFile identity(const fs::path& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0) return {found.st_dev, found.st_ino, {}};
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(fs::absolute(path, error), error);
  return {0, 0, error ? path.lexically_normal() : canonical};
}

fs::path target_of_temporary(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  const fs::path& file = error ? path : real;
  const std::string name = without_temporary_suffix(file.filename().string());
  return name.empty() ? path : file.parent_path() / name;
}

std::optional<std::uintmax_t> bytes_of_input(const std::string& input) {
  std::error_code error;
  if (video::is_url(input) || !fs::is_regular_file(input, error)) return std::nullopt;
  const std::uintmax_t bytes = fs::file_size(input, error);
  return error ? std::nullopt : std::optional(bytes);
}

void refuse_input_as_output(const fs::path& output, const std::vector<std::string>& inputs) {
  if (output.empty() || is_stream_target(output)) return;
  for (const std::string& input : inputs) {
    if (input.empty()) continue;
    for (const fs::path& read : input_paths(input))
      for (const fs::path& made : names_of_a_run(output))
        if (identity(read) == identity(made))
          throw Error(ErrorKind::usage, made.string() + ": is also an input");
  }
}

}  // namespace facepipe::app
