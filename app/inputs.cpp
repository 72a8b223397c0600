#include "app/inputs.h"

#include <sys/stat.h>

#include <map>
#include <system_error>
#include <utility>

#include "app/media_files.h"
#include "core/error.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFileScheme = "file://";

bool is_url(const std::string& text) { return text.find("://") != std::string::npos; }

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
  if (is_url(input)) return {{input, input, {}, {}}};
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

fs::path output_of(const Source& source, const OutputPlace& place, const FormatOf& format_of) {
  if (!place.video) return {};
  if (!place.path.empty() && !names_directory(place.path)) return place.path;
  const bool url = is_url(source.input);
  const fs::path file = url ? fs::path(url_file_name(source.input)) : fs::path(source.input);
  const fs::path name = file.stem().string() + kOutputSuffix + format_of(source.input).extension;
  if (!place.path.empty()) return fs::path(place.path) / source.folder / name;
  return url ? name : file.parent_path() / name;
}

/// One --output FILE can't hold several inputs; a directory counts as several, whatever it holds.
void check_single(const std::vector<std::string>& inputs, const OutputPlace& place) {
  if (place.path.empty() || names_directory(place.path)) return;
  std::error_code error;
  if (inputs.size() > 1 || fs::is_directory(inputs.front(), error))
    throw Error(ErrorKind::usage, "--output " + place.path +
                                      ": several inputs need a directory (a name that ends in /)");
}

fs::path path_of(const std::string& input) {
  return input.starts_with(kFileScheme) ? input.substr(kFileScheme.size()) : input;
}

void check_outputs(const std::vector<PlannedInput>& planned) {
  std::map<FileIdentity, const PlannedInput*> by_output;
  for (const PlannedInput& job : planned) {
    if (job.output.empty()) continue;
    const auto [other, added] = by_output.emplace(identity(job.output), &job);
    if (!added)
      throw Error(ErrorKind::usage, job.output.string() + ": would be the output of " +
                                        other->second->input + " and of " + job.input);
  }
  for (const PlannedInput& input : planned) {
    const auto job = by_output.find(identity(path_of(input.input)));
    if (job != by_output.end())
      throw Error(ErrorKind::usage,
                  input.input + ": is an input and would be the output of " + job->second->input);
  }
}

}  // namespace

std::vector<PlannedInput> plan_inputs(const std::vector<std::string>& inputs,
                                      const OutputPlace& place, const FormatOf& format_of) {
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
        job.output = output_of(source, place, format_of);
      });
      planned.push_back(std::move(job));
    }
  }
  check_outputs(planned);
  return planned;
}

FileIdentity identity(const fs::path& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0) return {found.st_dev, found.st_ino, {}};
  std::error_code error;
  fs::path canonical = fs::weakly_canonical(fs::absolute(path, error), error);
  return {0, 0, error ? path.lexically_normal() : canonical};
}

}  // namespace facepipe
