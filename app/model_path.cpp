#include "app/model_path.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <system_error>

#include "core/error.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "FACEPIPE_MODEL";
constexpr const char* kDefaultModel = "centerface";
/// The models that come with the program.
constexpr std::array kModels{kDefaultModel, "centerface-hide"};

/// Returns the paths at which a model that comes with the program may be, the preferred path first.
std::vector<fs::path> model_places(const fs::path& directory, const std::string& name) {
  const fs::path file = fs::path("models") / (name + ".onnx");
  return {directory / file, directory.parent_path() / "share/facepipe" / file};
}

/// @param looked_at_variable  true if FACEPIPE_MODEL could have named another model
[[noreturn]] void not_found(const std::vector<fs::path>& places, bool looked_at_variable) {
  std::string message = "no model: ";
  if (looked_at_variable) message += std::string(kVariable) + " is not set, and ";
  message += "there is no";
  for (std::size_t i = 0; i < places.size(); ++i)
    message += (i == 0 ? " " : " or ") + places[i].string();
  throw Error(ErrorKind::device, message + "; ./dev setup fetches it, --model names another");
}

}  // namespace

fs::path program_directory() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path() : program.parent_path();
}

std::vector<fs::path> default_model_places(const fs::path& directory) {
  return model_places(directory, kDefaultModel);
}

fs::path find_model(const fs::path& named, const fs::path& directory) {
  std::error_code failure;
  const bool by_name =
      std::ranges::any_of(kModels, [&](const char* name) { return named == name; }) &&
      !fs::exists(named, failure);
  if (!named.empty() && !by_name) return named;
  const char* const variable = std::getenv(kVariable);
  if (!by_name && variable != nullptr && *variable != '\0') return variable;
  const std::vector<fs::path> places =
      model_places(directory, by_name ? named.string() : std::string(kDefaultModel));
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) return place;
  }
  not_found(places, !by_name);
}

void find_models(detector::DetectorOptions& options, const fs::path& directory) {
  options.model = find_model(options.model, directory);
  for (fs::path& more : options.more_models) more = find_model(more, directory);
}

void warn_of_unused_models(const detector::DetectorOptions& named,
                           const std::vector<detector::ModelInfo>& used) {
  if (used.size() > named.more_models.size()) return;
  std::vector<fs::path> files{named.model};
  files.insert(files.end(), named.more_models.begin(), named.more_models.end());
  for (const fs::path& file : files)
    if (std::ranges::none_of(used, [&](const auto& model) { return model.about().file == file; }))
      spdlog::info("model {} is not used: it finds none of the classes of --classes",
                   file.string());
}

}  // namespace facepipe::app
