#include "app/run/plan_inputs.h"

#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "app/output/command_text.h"
#include "app/run/named_files.h"
#include "core/error.h"
#include "core/files/output_file.h"
#include "video/read/input_access.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Describes an input before its output is known.
struct Source {
  std::string input;
  std::string name;
  fs::path folder;  ///< folder of the input, relative to the directory that the user named
  /// why the input can't be read, if it is an unreadable folder; otherwise empty
  std::string unreadable;
};

std::vector<Source> sources_in(const fs::path& directory) {
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

std::vector<Source> sources_of(const std::string& input) {
  if (video::is_url(input)) return {{input, without_queries(input), {}, {}}};
  std::error_code error;
  const fs::file_status status = fs::status(input, error);
  if (status.type() == fs::file_type::not_found)
    throw Error(ErrorKind::input, input + ": no such file or directory");
  if (!fs::status_known(status)) throw Error(ErrorKind::input, input + ": " + error.message());
  if (fs::is_directory(status)) return sources_in(input);
  return {{input, input, {}, {}}};
}

/// Returns the last component of a URL's path, without query and fragment.
std::string url_file_name(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::string rest = url.substr(host, url.find_first_of("?#", host) - host);
  const std::size_t slash = rest.rfind('/');
  const std::string last = slash == std::string::npos ? "" : rest.substr(slash + 1);
  return last.empty() || last == "." || last == ".." ? "stream" : last;
}

fs::path output_of(const Source& source, const OutputPlace& place,
                   const ExtensionOf& extension_of) {
  if (!place.video) return {};
  if (!place.path.empty() && !names_directory(place.path)) return place.path;
  const bool url = video::is_url(source.input);
  const bool has_no_folder = url || source.input == video::kStandardInput;
  const fs::path file = url ? fs::path(url_file_name(source.input)) : fs::path(source.input);
  const fs::path name =
      file.stem().string() + std::string(place.suffix) + extension_of(source.input);
  if (!place.path.empty()) return fs::path(place.path) / source.folder / name;
  return has_no_folder ? name : file.parent_path() / name;
}

/// Throws Error(usage) if several inputs have one --output FILE. A directory counts as several
/// inputs, even if it contains only one file.
void check_single_output(const std::vector<std::string>& inputs, const OutputPlace& place) {
  if (place.path.empty() || names_directory(place.path)) return;
  std::error_code error;
  if (inputs.size() > 1 || fs::is_directory(inputs.front(), error))
    throw Error(ErrorKind::usage, "--output " + place.path +
                                      ": several inputs need a directory (a name that ends in /)");
}

using InputsByFile = std::map<NamedFile, const PlannedInput*>;

/// Returns the input whose output has this name; nullptr if there is no such input.
const PlannedInput* find(const InputsByFile& inputs, const fs::path& name) {
  const auto found = inputs.find(identity(name));
  return found == inputs.end() ? nullptr : found->second;
}

/// Returns the inputs, with their outputs as keys. Throws Error(usage) if two inputs have the same
/// output.
InputsByFile by_output(const std::vector<PlannedInput>& planned) {
  InputsByFile inputs;
  for (const PlannedInput& input : planned) {
    if (input.output.empty() || is_stream_target(input.output)) continue;
    const auto [other, added] = inputs.emplace(identity(input.output), &input);
    if (!added)
      throw Error(ErrorKind::usage, input.output.string() + ": would be the output of " +
                                        other->second->input + " and of " + input.input);
  }
  return inputs;
}

/// Throws Error(usage) if two inputs have the same output, or if an input is the output of another
/// input.
void check_outputs(const std::vector<PlannedInput>& planned) {
  const InputsByFile finished = by_output(planned);
  InputsByFile all = finished;
  for (const auto& [unused, input] : finished)
    for (const fs::path& name : names_of_a_run(input->output)) all.emplace(identity(name), input);
  for (const PlannedInput& input : planned)
    for (const fs::path& path : input_paths(input.input)) {
      const PlannedInput* maker = find(all, path);
      if (maker == nullptr) maker = find(finished, target_of_temporary(path));
      if (maker == nullptr) continue;
      const bool final_name = find(finished, path) != nullptr;
      throw Error(ErrorKind::usage, input.input + ": is an input, but would also be the " +
                                        (final_name ? "" : "unfinished ") + "output of " +
                                        maker->input);
    }
}

}  // namespace

bool names_directory(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || fs::is_directory(path, error);
}

std::vector<PlannedInput> plan_inputs(const std::vector<std::string>& inputs,
                                      const OutputPlace& place, const ExtensionOf& extension_of) {
  check_single_output(inputs, place);
  std::vector<PlannedInput> planned;
  for (const std::string& input : inputs) {
    std::vector<Source> sources;
    if (auto failure = attempt(input, [&] { sources = sources_of(input); }))
      planned.push_back({input, without_queries(input), {}, std::move(failure)});
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

}  // namespace facepipe::app
