// What a run gets from outside: its options, and the functions that do its work.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/backends.h"
#include "app/options/options.h"
#include "detector/turned_faces.h"
#include "pipeline/backend.h"
#include "pipeline/job.h"

namespace facepipe::app {

/// The functions that a run calls; tests put their own in place of the pipeline's.
struct RunParts {
  std::function<std::string(const std::string& input, const std::string& encoder)> output_extension;
  std::function<CudaProbe()> probe_cuda;  ///< is called unless the user names the CPU
  MakeBackend backend;
  std::function<pipeline::JobResult(const pipeline::JobOptions&, pipeline::Backend&,
                                    const pipeline::JobObserver&, const std::stop_token&)>
      job;
  /// Makes what runs jobs that look for nothing; it loads no model.
  std::function<std::unique_ptr<pipeline::Backend>(const Device&)> renderer = make_renderer;
  /// Looks as TurnedInputs::faces_of() does; if it is empty, nobody looks.
  std::function<std::optional<detector::FacesByTurn>(
      const pipeline::JobOptions&, const detector::DetectorOptions&, const std::stop_token&)>
      faces_by_turn = {};
};

/// What each part of a run gets. The options and the functions outlive the run.
struct RunContext {
  const RunOptions& options;
  const RunParts& parts;
  std::stop_token stop;
};

}  // namespace facepipe::app
