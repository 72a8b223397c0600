// Holds what a run gets from its caller: its options, and the functions that do its work.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/backends.h"
#include "app/options/options.h"
#include "detector/turned_faces.h"
#include "pipeline/backend.h"
#include "pipeline/job.h"

namespace facepipe::app {

/// Holds the functions that a run calls. Tests use their own functions instead of the pipeline's.
struct RunParts {
  std::function<std::string(const std::string& input, const std::string& encoder)> output_extension;
  std::function<CudaProbe()> probe_cuda;  ///< called unless the user names the CPU
  MakeBackend backend;
  std::function<pipeline::JobResult(const pipeline::JobOptions&, pipeline::Backend&,
                                    const pipeline::JobObserver&, const std::stop_token&)>
      job;
  /// Makes a backend for jobs that don't detect; it loads no model.
  std::function<std::unique_ptr<pipeline::Backend>(const Device&)> renderer = make_renderer;
  /// Does the same as TurnedInputs::faces_of(). If the function is empty, the run doesn't search
  /// for turned faces.
  std::function<std::optional<detector::FacesByTurn>(
      const pipeline::JobOptions&, const detector::DetectorOptions&, const std::stop_token&)>
      faces_by_turn = {};
  /// True if the process ends after the run. Then the run doesn't free the memory of CUDA devices,
  /// because the system frees it at once when the process ends.
  bool process_ends = false;
  /// Begins to start the devices that a run may use, see start_devices(). May be empty.
  std::function<DeviceStart(const DeviceRequest&, const std::optional<std::vector<int>>&)>
      start_devices = {};
  /// Opens the only input, and keeps it open for its job, see OpenedInputs::open(). May be empty.
  std::function<void(const std::string& input)> open_input = {};
};

/// Holds the arguments that each part of a run gets. The options and the functions must outlive the
/// run.
struct RunContext {
  const RunOptions& options;
  const RunParts& parts;
  std::stop_token stop;
};

}  // namespace facepipe::app
