#include "app/run/inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files/output_file.h"
#include "video/read/input_access.h"

namespace facepipe::app {
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

/// Collects what is in a directory and below.
class Walk {
 public:
  void enter(const fs::path& directory) {
    std::error_code error;
    fs::directory_iterator entries(directory, error);
    for (; !error && entries != fs::end(entries); entries.increment(error)) look_at(*entries);
    if (error) found_.unreadable.push_back({directory, error.message()});
  }

  [[nodiscard]] std::size_t earlier_outputs() const { return earlier_outputs_; }
  [[nodiscard]] MediaFiles take() {
    std::ranges::sort(found_.files);
    std::ranges::sort(found_.unreadable, {}, &MediaFiles::Unreadable::directory);
    return std::move(found_);
  }

 private:
  void look_at(const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    if (hidden(path)) return;
    std::error_code unknown;  // of what has just gone, or a link that leads nowhere: no file
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

/// What a job reads, before its output is known. `folder` is where the input lies below the
/// directory that was named.
struct Source {
  std::string input;
  std::string name;
  fs::path folder;
  std::string unreadable;  ///< why the input, a folder, can't be read; else empty
};

std::vector<Source> walk(const fs::path& directory) {
  std::vector<Source> sources;
  const MediaFiles found = media_files(directory);
  for (const fs::path& file : found.files) {
    const fs::path relative = file.lexically_relative(directory);
    sources.push_back({file.string(), relative.generic_string(), relative.parent_path(), {}});
  }
  for (const auto& [folder, reason] : found.unreadable) {
    const bool named = folder == directory;
    sources.push_back({folder.string(),
                       (named ? folder : folder.lexically_relative(directory)).generic_string(),
                       {},
                       "can't be read: " + reason});
  }
  return sources;
}

std::vector<Source> expand(const std::string& input) {
  if (video::is_url(input)) return {{input, input, {}, {}}};
  std::error_code error;
  const fs::file_status status = fs::status(input, error);
  if (status.type() == fs::file_type::not_found)
    throw Error(ErrorKind::input, input + ": no such file or directory");
  if (!fs::status_known(status)) throw Error(ErrorKind::input, input + ": " + error.message());
  if (fs::is_directory(status)) return walk(input);
  return {{input, input, {}, {}}};
}

/// The last component of a URL's path, without query and fragment.
std::string url_file_name(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::string rest = url.substr(host, url.find_first_of("?#", host) - host);
  const std::size_t slash = rest.rfind('/');
  const std::string last = slash == std::string::npos ? "" : rest.substr(slash + 1);
  return last.empty() || last == "." || last == ".." ? "stream" : last;
}

bool names_directory(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || fs::is_directory(path, error);
}

fs::path output_of(const Source& source, const OutputPlace& place,
                   const ExtensionOf& extension_of) {
  if (!place.video) return {};
  if (!place.path.empty() && !names_directory(place.path)) return place.path;
  const bool url = video::is_url(source.input);
  const bool nowhere = url || source.input == video::kStandardInput;  // in no folder of the user's
  const fs::path file = url ? fs::path(url_file_name(source.input)) : fs::path(source.input);
  const fs::path name =
      file.stem().string() + std::string(place.suffix) + extension_of(source.input);
  if (!place.path.empty()) return fs::path(place.path) / source.folder / name;
  return nowhere ? name : file.parent_path() / name;
}

/// One --output FILE can't hold several inputs; a directory counts as several, whatever it holds.
void check_single(const std::vector<std::string>& inputs, const OutputPlace& place) {
  if (place.path.empty() || names_directory(place.path)) return;
  std::error_code error;
  if (inputs.size() > 1 || fs::is_directory(inputs.front(), error))
    throw Error(ErrorKind::usage, "--output " + place.path +
                                      ": several inputs need a directory (a name that ends in /)");
}

/// "cache:file:///a" -> "file:///a"; nothing where no protocol stands in front. What stands between
/// the protocol's name and the colon are its options.
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

/// "pipe:3" -> "/dev/fd/3"; without a number it is standard input.
fs::path descriptor_path(const std::string& url) {
  const std::size_t digits = url.find_first_of("0123456789");
  return "/dev/fd/" + (digits == std::string::npos ? "0" : url.substr(digits));
}

/// What a temporary file of a run is to become; `path` itself where it is none.
fs::path target_of_temporary(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  const fs::path& file = error ? path : real;
  const std::string name = without_temporary_suffix(file.filename().string());
  return name.empty() ? path : file.parent_path() / name;
}

void check_outputs(const std::vector<PlannedInput>& planned) {
  std::map<NamedFile, const PlannedInput*> by_output;
  for (const PlannedInput& job : planned) {
    if (job.output.empty() || is_stream_target(job.output)) continue;
    const auto [other, added] = by_output.emplace(identity(job.output), &job);
    if (!added)
      throw Error(ErrorKind::usage, job.output.string() + ": would be the output of " +
                                        other->second->input + " and of " + job.input);
  }
  std::map<NamedFile, const PlannedInput*> by_name = by_output;
  for (const auto& [unused, job] : by_output)
    for (const fs::path& name : names_of_a_run(job->output)) by_name.emplace(identity(name), job);
  for (const PlannedInput& input : planned)
    for (const fs::path& path : input_paths(input.input)) {
      auto job = by_name.find(identity(path));
      if (job == by_name.end()) job = by_output.find(identity(target_of_temporary(path)));
      if (job == by_output.end() || job == by_name.end()) continue;
      const bool final_name = by_output.contains(identity(path));
      throw Error(ErrorKind::usage, input.input + ": is an input and would be the " +
                                        (final_name ? "" : "unfinished ") + "output of " +
                                        job->second->input);
    }
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
                directory.string() + ": no video or image in it" +
                    (outputs > 0 ? " but " + std::to_string(outputs) + " earlier outputs" : ""));
  return found;
}

std::vector<PlannedInput> plan_inputs(const std::vector<std::string>& inputs,
                                      const OutputPlace& place, const ExtensionOf& extension_of) {
  check_single(inputs, place);
  std::vector<PlannedInput> planned;
  for (const std::string& input : inputs) {
    std::vector<Source> sources;
    if (auto failure = attempt(input, [&] { sources = expand(input); }))
      planned.push_back({input, input, {}, std::move(failure)});
    for (const Source& source : sources) {
      PlannedInput job{source.input, source.name, {}, {}};
      job.failure = attempt(source.input, [&] {
        if (!source.unreadable.empty()) throw Error(ErrorKind::input, source.unreadable);
        job.output = output_of(source, place, extension_of);
      });
      planned.push_back(std::move(job));
    }
  }
  check_outputs(planned);
  return planned;
}

std::vector<fs::path> input_paths(const std::string& input) {
  std::vector<fs::path> paths;
  for (const auto range : std::views::split(input, '|')) {  // "concat:a|b" names two
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

}  // namespace facepipe::app
