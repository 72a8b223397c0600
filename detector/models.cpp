#include "detector/models.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "detector/families.h"

namespace facepipe::detector {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& reason) { throw Error(ErrorKind::usage, reason); }

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns the options of each model, with all classes.
std::vector<DetectorOptions> each_model(const DetectorOptions& options) {
  std::vector<DetectorOptions> models{options};
  models.front().more_models.clear();
  for (const fs::path& file : options.more_models) {
    models.push_back(models.front());
    models.back().model = file;
  }
  return models;
}

/// Returns the file's path from the root, without "." and "..", so that these don't hide that two
/// names mean one file. Keeps links, because each link may have its own card beside it.
fs::path whole_path(const fs::path& file) {
  std::error_code failure;
  const fs::path whole = fs::absolute(file, failure);
  return (failure ? file : whole).lexically_normal();
}

void check_that_files_differ(const std::vector<fs::path>& files) {
  std::vector<fs::path> before;
  for (const fs::path& file : files) {
    const fs::path& whole = before.emplace_back(whole_path(file));
    if (std::ranges::count(before, whole) > 1)
      refuse("--model: " + file.string() + " is named twice");
  }
}

void check_files(const DetectorOptions& options) {
  std::vector<fs::path> files{options.model};
  files.insert(files.end(), options.more_models.begin(), options.more_models.end());
  if (files.size() > kMostModels)
    refuse("--model: at most " + std::to_string(kMostModels) + " models search a frame, not " +
           std::to_string(files.size()));
  if (files.size() > 1 && !options.card.empty())
    refuse(
        "--card works only with one --model; the card of each of several models stands beside it, "
        "as MODEL.onnx.json");
  check_that_files_differ(files);
}

std::vector<std::string> names_of(const DetectorOptions& model) {
  return family_of(model.model).classes(model);
}

/// Returns those of the wanted classes that the model finds.
std::vector<std::string> wanted_of(const DetectorOptions& model) {
  std::vector<std::string> wanted = names_of(model);
  std::erase_if(wanted, [&](const std::string& name) { return !contains(model.classes, name); });
  return wanted;
}

void check_classes(const DetectorOptions& options) {
  const std::vector<std::string> known = class_names(options);
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  for (const std::string& name : options.classes)
    if (!contains(known, name))
      refuse("--classes: no model finds \"" + name + "\"; the classes are " + list);
}

}  // namespace

std::vector<DetectorOptions> models_of(const DetectorOptions& options) {
  check_files(options);
  std::vector<DetectorOptions> models = each_model(options);
  if (!options.classes.empty()) {
    check_classes(options);
    for (DetectorOptions& model : models) model.classes = wanted_of(model);
    std::erase_if(models, [](const DetectorOptions& model) { return model.classes.empty(); });
  }
  for (DetectorOptions& model : models) model.models = static_cast<int>(models.size());
  // The other models search a frame one after the other, behind the first one.
  for (std::size_t i = 1; i < models.size(); ++i) models[i].requests = 1;
  return models;
}

std::vector<std::string> class_names(const DetectorOptions& options) {
  std::vector<std::string> all;
  for (const DetectorOptions& model : each_model(options))
    for (const std::string& name : names_of(model))
      if (!contains(all, name)) all.push_back(name);
  return all;
}

}  // namespace facepipe::detector
