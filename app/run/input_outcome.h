// Holds the outcome of each input, and the device and model that were used. Report, summary and
// exit code are made from these data.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/failure.h"
#include "app/options/options.h"
#include "app/output/input_record.h"
#include "app/run/plan_inputs.h"
#include "core/device.h"
#include "detector/facts.h"
#include "pipeline/job_result.h"

namespace facepipe::app {

enum class InputStatus { waiting, done, damaged, partial, skipped, failed };
[[nodiscard]] std::string_view to_string(InputStatus status);

struct InputOutcome {
  PlannedInput planned;
  InputStatus status = InputStatus::waiting;
  int code = 0;                ///< this input's exit code
  std::string error;           ///< the error in one line, if the input failed
  bool keeps_video = false;    ///< its video exists already; only the other files are made
  pipeline::JobResult result;  ///< only for an input that is done, damaged or partial
  InputRecord record{};        ///< what reports need besides the result

  [[nodiscard]] bool has_result() const;
};

/// Says with which device and model a run worked on its inputs.
struct RunFacts {
  std::vector<Device> devices;  ///< one device, unless the user asked for several
  std::string device_why;       ///< why this device was chosen; empty if the user named it
  std::optional<detector::ModelInfo> model_info;  ///< nullopt if no model was loaded
  std::filesystem::path model;                    ///< its file; of several, the first one's
  /// The classes of the tracks in an edit file that replaces the models.
  std::vector<detector::FoundClass> known_classes{};

  /// Returns why this device and this engine were chosen. Gives no reason for a device or an engine
  /// that the user named.
  [[nodiscard]] std::vector<std::string> reasons() const;
  /// Returns the classes of objects that the models find. FrameRecord::faces has indices in this
  /// list.
  [[nodiscard]] const std::vector<detector::FoundClass>& classes() const {
    return model_info ? model_info->classes() : known_classes;
  }
  /// Returns all models that were loaded.
  [[nodiscard]] std::vector<detector::ModelInfo> models() const;
  /// Returns facts about the first model; they are empty if no model was loaded.
  [[nodiscard]] detector::ModelAbout about() const;
};

/// Ends an input without a result, and logs the reason.
void end_with_failure(InputOutcome& outcome, const Failure& failure, const RunOptions& options);

/// Ends an input with the result of its job, and logs what is wrong with the result.
void end_with_result(InputOutcome& outcome, pipeline::JobResult result, const RunOptions& options);

/// Returns whether any input has this status.
[[nodiscard]] bool any_is(InputStatus status, const std::vector<InputOutcome>& outcomes);

/// Returns the exit code for all inputs: that of an input that was stopped, if any; otherwise
/// kExitTryAgain if any input has it; otherwise the exit code of the first input that failed.
[[nodiscard]] int exit_code(const std::vector<InputOutcome>& outcomes);

}  // namespace facepipe::app
