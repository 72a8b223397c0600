#include "app/run/task.h"

#include <spdlog/spdlog.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "app/stop_signals.h"
#include "core/files/output_file.h"
#include "core/machine.h"
#include "core/timing.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Tries once to lock the file. Returns the failure if another program holds the lock.
std::optional<LockHeld> held_lock(const fs::path& file) {
  try {
    const OutputLock lock(file);
  } catch (const LockHeld& error) {
    return error;
  } catch (const Error&) {
    // The code that makes the file reports other errors.
  }
  return std::nullopt;
}

std::optional<int> number_of(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text = value;
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr int kMost = 1'000'000;
  const bool whole = status == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 && number <= kMost ? std::optional(number) : std::nullopt;
}

std::optional<int> task_attempt() {
  if (const auto attempt = number_of("FACEPIPE_ATTEMPT")) return attempt;
  if (const auto restarts = number_of("SLURM_RESTART_COUNT")) return *restarts + 1;
  return number_of("AWS_BATCH_JOB_ATTEMPT");
}

}  // namespace

int code_of(const Failure& failure, const RunOptions& options) {
  if (!options.task.wanted) return failure.code;
  if (failure.code == kExitInterrupted)
    return signal_that_stopped() == SIGTERM ? kExitTerminated : kExitInterrupted;
  return failure.passes ? kExitTryAgain : failure.code;
}

void expect_whole(const pipeline::JobResult& result) {
  if (result.failure) result.throw_failure();
  if (result.interrupted) throw Stopped();
}

void wait_for_lock(const fs::path& file, const RunOptions& options, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kPace{100};
  std::error_code error;
  if (!options.task.wanted || file.empty() || is_stream_target(file) ||
      !fs::is_directory(folder_of(file), error))
    return;
  const Clock::time_point end = Clock::now() + options.task.patience;
  bool logged = false;
  while (const std::optional<LockHeld> held = held_lock(file)) {
    if (Clock::now() >= end) throw LockHeld(*held);
    if (!std::exchange(logged, true)) spdlog::info("{}; facepipe waits for it", held->what());
    if (stop.stop_requested()) throw Stopped();
    std::this_thread::sleep_for(kPace);
  }
}

void wait_for_side_files(const RunOptions& options, const std::stop_token& stop) {
  const SideFiles& files = options.files;
  for (const fs::path& file :
       {files.detections, files.latency, files.report, files.tracks, files.page})
    wait_for_lock(file, options, stop);
}

TaskPlace this_task() { return {this_machine().host, task_attempt()}; }

}  // namespace facepipe::app
