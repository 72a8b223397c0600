// What became of each input, and with what: the facts that report, summary and exit code tell.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/failure.h"
#include "app/run/inputs.h"
#include "core/device.h"
#include "detector/options.h"
#include "pipeline/job.h"

namespace facepipe::app {

enum class InputStatus { waiting, done, damaged, partial, skipped, failed };
[[nodiscard]] inline std::string_view to_string(InputStatus status) {
  constexpr std::array<std::string_view, 6> kNames{"not run", "done",    "damaged",
                                                   "partial", "skipped", "failed"};
  return kNames[static_cast<std::size_t>(status)];
}

struct InputOutcome {
  PlannedInput planned;
  InputStatus status = InputStatus::waiting;
  int code = 0;                ///< this input's exit code
  std::string error;           ///< one line where it failed
  bool keeps_video = false;    ///< its video is there already: only the files beside it are made
  pipeline::JobResult result;  ///< of an input that was done, damaged or partial

  [[nodiscard]] bool has_result() const {
    return status == InputStatus::done || status == InputStatus::damaged ||
           status == InputStatus::partial;
  }
};

/// What all inputs of one run were worked on with.
struct RunFacts {
  std::vector<Device> devices;    ///< one, unless several were asked for
  std::string device_why;         ///< empty where the user named it
  detector::EngineChoice engine;  ///< this, and what follows, of a model alone
  std::string model_kind;         ///< empty where nothing was looked for
  std::filesystem::path model;
  std::string model_sha256;
  std::string class_name;  ///< of what is found: "face", "pedestrian"
};

/// The exit code of all: kExitInterrupted if that is any input's, else that of the first that
/// failed.
[[nodiscard]] inline int exit_code(const std::vector<InputOutcome>& outcomes) {
  int code = kExitDone;
  for (const InputOutcome& outcome : outcomes) {
    if (outcome.code == kExitInterrupted) return kExitInterrupted;
    if (code == kExitDone) code = outcome.code;
  }
  return code;
}

}  // namespace facepipe::app
