// `facepipe run`: all inputs, one after the other.
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

/// What a run is made of; tests put their own in place of the pipeline's.
struct RunParts {
  std::function<std::string(const std::string& input, const std::string& encoder)> output_extension;
  std::function<CudaProbe()> probe_cuda;  ///< asked unless the CPU is named
  MakeBackend backend;
  std::function<pipeline::JobResult(const pipeline::JobOptions&, pipeline::Backend&,
                                    const pipeline::JobObserver&, const std::stop_token&)>
      job;
  /// Makes what runs jobs that look for nothing; it loads no model.
  std::function<std::unique_ptr<pipeline::Backend>(const Device&)> renderer = make_renderer;
  /// Looks as TurnedInputs::faces_of() does; where there is none, nobody looks.
  std::function<std::optional<detector::FacesByTurn>(
      const pipeline::JobOptions&, const detector::DetectorOptions&, const std::stop_token&)>
      faces_by_turn = {};
};

/// Works on every input, writes the files beside the videos and the summary, and returns the exit
/// code. One input's failure is logged and does not stop the others. Throws Error for what
/// concerns all of them: options that clash, side files that can't be made, device or model.
[[nodiscard]] int run(const RunOptions& options, const RunParts& parts,
                      const std::stop_token& stop);

}  // namespace facepipe::app
