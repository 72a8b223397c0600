#include "app/run/input_outcome.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "app/output/command_text.h"
#include "app/run/task.h"
#include "core/add_once.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

void end_as_part(InputOutcome& outcome, const Failure& failure) {
  outcome.status = InputStatus::partial;
  outcome.code = failure.code;
  outcome.error = without_queries(failure.message);
  const std::string kept = outcome.result.output.string();
  spdlog::error("{}{}", outcome.error,
                kept.empty() ? "" : "; the output so far is kept as " + kept);
}

void end_as_damaged(InputOutcome& outcome, const RunOptions& options) {
  outcome.status = InputStatus::damaged;
  outcome.code = options.tolerate_damage ? kExitDone : kExitDamaged;
  if (outcome.code != kExitDone)
    spdlog::error("{}: {}; the output is kept", outcome.planned.input, outcome.result.damage());
}

}  // namespace

std::string_view to_string(InputStatus status) {
  constexpr std::array<std::string_view, 6> kNames{"not run", "done",    "damaged",
                                                   "partial", "skipped", "failed"};
  return kNames[static_cast<std::size_t>(status)];
}

std::vector<std::string> RunFacts::reasons() const {
  std::vector<std::string> reasons{device_why};
  for (const detector::ModelInfo& each : models()) add_once(reasons, each.choice().why);
  std::erase(reasons, "");
  return reasons;
}

std::vector<detector::ModelInfo> RunFacts::models() const {
  return model_info ? detector::each_of(*model_info) : std::vector<detector::ModelInfo>{};
}

detector::ModelAbout RunFacts::about() const {
  return model_info ? model_info->about() : detector::ModelAbout{};
}

bool InputOutcome::has_result() const {
  return status == InputStatus::done || status == InputStatus::damaged ||
         status == InputStatus::partial;
}

void end_with_failure(InputOutcome& outcome, const Failure& failure, const RunOptions& options) {
  outcome.status = InputStatus::failed;
  outcome.code = code_of(failure, options);
  outcome.error = without_queries(failure.message);
  spdlog::error("{}", failure.message);
}

void end_with_result(InputOutcome& outcome, pipeline::JobResult result, const RunOptions& options) {
  outcome.result = std::move(result);
  const auto failure = attempt(outcome.planned.input, [&] {
    if (outcome.result.failure) outcome.result.throw_failure();
  });
  if (failure) {
    end_as_part(outcome, *failure);
  } else if (outcome.result.interrupted) {
    outcome.status = InputStatus::partial;
    outcome.code = kExitInterrupted;
  } else if (outcome.result.intact()) {
    outcome.status = InputStatus::done;
    // The user must check the video before anybody else sees it.
    if (options.video && outcome.result.turned_faces > 0) outcome.code = kExitLeak;
  } else {
    end_as_damaged(outcome, options);
  }
}

bool any_is(InputStatus status, const std::vector<InputOutcome>& outcomes) {
  return std::ranges::find(outcomes, status, &InputOutcome::status) != outcomes.end();
}

int exit_code(const std::vector<InputOutcome>& outcomes) {
  int code = kExitDone;
  for (const InputOutcome& outcome : outcomes) {
    if (is_stop(outcome.code)) return outcome.code;
    if (code == kExitDone || outcome.code == kExitTryAgain) code = outcome.code;
  }
  return code;
}

}  // namespace facepipe::app
