// Keeps CUDA's driver from starting devices that a run doesn't use.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"

namespace facepipe::app {

/// Where NVIDIA's driver for Linux has a folder for each GPU.
inline constexpr const char* kDriverGpus = "/proc/driver/nvidia/gpus";

/// Returns the names of the GPUs' models, as the driver tells them; an empty list if it tells none.
[[nodiscard]] std::vector<std::string> gpu_models(const std::filesystem::path& gpus = kDriverGpus);

/// Returns how many devices must be visible, if the run uses only the first ones; nullopt if it may
/// use any. A run with --device auto uses the first one if all GPUs are of one model: each of them
/// can do what the others can.
/// @param models  gpu_models()
[[nodiscard]] std::optional<int> needed_devices(const RunOptions& options,
                                                const std::vector<std::string>& models);

/// Makes only the devices visible that the run may use, because the driver takes about 0.2 s for
/// each one (measured with four H100s). The numbers of the devices don't change. If the user has
/// set CUDA_VISIBLE_DEVICES, this does nothing. Must be called before CUDA is used, and before
/// there are threads.
void show_needed_devices(const RunOptions& options);

}  // namespace facepipe::app
