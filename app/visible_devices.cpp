#include "app/visible_devices.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";
constexpr int kMostDevices = 64;

/// Returns the model in a file such as "Model: \t\t NVIDIA H100 80GB HBM3"; empty if it has none.
std::string model_in(const fs::path& information) {
  constexpr const char* kModel = "Model:";
  std::ifstream file(information);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kModel)) return line;
  return {};
}

}  // namespace

std::vector<std::string> gpu_models(const fs::path& gpus) {
  std::vector<std::string> models;
  std::error_code error;
  for (fs::directory_iterator each(gpus, error); !error && each != fs::end(each);
       each.increment(error))
    models.push_back(model_in(each->path() / "information"));
  return models;
}

std::optional<int> needed_devices(const RunOptions& options,
                                  const std::vector<std::string>& models) {
  int last = 0;
  if (options.devices) {
    if (options.devices->empty()) return std::nullopt;  // all
    last = *std::ranges::max_element(*options.devices);
  } else if (options.device.automatic) {
    if (models.empty() || models.front().empty()) return std::nullopt;
    const auto differs = [&](const std::string& model) { return model != models.front(); };
    if (std::ranges::any_of(models, differs)) return std::nullopt;
  } else if (options.device.device.kind == DeviceKind::cuda) {
    last = options.device.device.index;
  } else {
    return std::nullopt;
  }
  return last < kMostDevices ? std::optional(last + 1) : std::nullopt;
}

void show_needed_devices(const RunOptions& options) {
  // NOLINTBEGIN(concurrency-mt-unsafe): there is one thread
  if (std::getenv(kVariable) != nullptr) return;
  const std::optional<int> needed = needed_devices(options, gpu_models());
  if (!needed) return;
  std::string visible = "0";
  for (int i = 1; i < *needed; ++i) visible += ',' + std::to_string(i);
  setenv(kVariable, visible.c_str(), 0);
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace facepipe::app
