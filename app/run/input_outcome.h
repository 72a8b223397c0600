// What became of each input, and with what: the facts for report, summary and exit code.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/failure.h"
#include "app/options/options.h"
#include "app/run/plan_inputs.h"
#include "core/device.h"
#include "detector/model_about.h"
#include "detector/options.h"
#include "pipeline/job_result.h"

namespace facepipe::app {

enum class InputStatus { waiting, done, damaged, partial, skipped, failed };
[[nodiscard]] std::string_view to_string(InputStatus status);

struct InputOutcome {
  PlannedInput planned;
  InputStatus status = InputStatus::waiting;
  int code = 0;                ///< this input's exit code
  std::string error;           ///< one line if it failed
  bool keeps_video = false;    ///< its video is there already: only the files beside it are made
  pipeline::JobResult result;  ///< of an input that was done, damaged or partial

  [[nodiscard]] bool has_result() const;
};

/// What all inputs of one run were worked on with.
struct RunFacts {
  std::vector<Device> devices;  ///< one, unless several were asked for
  std::string device_why;       ///< empty if the user named it
  /// The following are set only if a model was loaded.
  detector::EngineChoice engine;
  std::string model_kind;  ///< empty if nothing was looked for
  std::filesystem::path model;
  std::string model_sha256;
  std::string class_name;  ///< of what is found: "face", "pedestrian"
  detector::ModelAbout about;
};

/// Ends an input without a result, and logs why.
void end_with_failure(InputOutcome& outcome, const Failure& failure);

/// Ends an input with what its job returned, and logs what is wrong with that.
void end_with_result(InputOutcome& outcome, pipeline::JobResult result, const RunOptions& options);

/// Tells whether any input has this status.
[[nodiscard]] bool any_is(InputStatus status, const std::vector<InputOutcome>& outcomes);

/// Returns the exit code of all inputs: kExitInterrupted if any input has it, else that of the
/// first input that failed.
[[nodiscard]] int exit_code(const std::vector<InputOutcome>& outcomes);

}  // namespace facepipe::app
