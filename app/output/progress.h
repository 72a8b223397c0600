// Shows the progress of a run while it works.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/options/options.h"
#include "core/timing.h"
#include "pipeline/job_observer.h"

namespace facepipe::app {

/// Says how the work on an input has ended.
struct ProgressResult {
  int exit_code = 0;
  std::string error;  ///< one line; empty if there was none
};

/// Says which attempt of a task tells its progress, and where.
struct TaskPlace {
  std::string host;
  std::optional<int> attempt;  ///< counted from 1; nullopt if unknown
};

/// Holds what one line of progress says.
struct ProgressState {
  std::string file;
  std::size_t input = 1;  ///< 1..inputs
  std::size_t inputs = 1;
  pipeline::Progress progress;
  double elapsed_s = 0;
  std::string status = "running";
  std::optional<TaskPlace> task{};         ///< set for a task (app/run/task.h)
  std::optional<ProgressResult> result{};  ///< set for the last line

  /// Returns the number of seconds that are left; a negative number if it is unknown.
  [[nodiscard]] double left_s() const;
};

/// Returns one JSON object with a line break: file, input, inputs, status, frames, expected_frames,
/// fps, faces, elapsed_s, left_s; for a task also host and attempt; in the last line also exit_code
/// and error. Unknown values are null.
[[nodiscard]] std::string progress_json(const ProgressState& state);

/// Returns at most 79 characters, without a line break. They contain a bar if the number of frames
/// is known.
[[nodiscard]] std::string progress_bar(const ProgressState& state);

enum class ProgressKind { none, bar, json };
/// Returns what the user chose. If the choice is automatic, returns a bar if standard error is a
/// terminal.
[[nodiscard]] ProgressKind progress_kind(const Console& console);

enum class ProgressEnd { of_all_frames, before_the_last };

/// Shows the progress of one input. Writes lines in its own thread, so there are lines even before
/// the first frame is complete. For ProgressKind::json, writes a line at the start, each second,
/// and at the end. For ProgressKind::bar, writes a bar four times a second, and clears the bar at
/// the end. If a line can't be written, write_error() returns the reason. One thread may call
/// update() while another thread calls the other functions.
///
/// Its eight members belong together, because the thread works with all of them.
class ProgressReporter {
 public:
  /// @param out  must stay open; this object doesn't close it
  ProgressReporter(ProgressKind kind, std::FILE* out, ProgressState first);
  /// Ends the thread without a last line, unless end() was called.
  ~ProgressReporter();
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;

  /// @param input  the new ProgressState::input; nullopt if it stays the same
  void update(const pipeline::Progress& progress, std::optional<std::size_t> input = {});
  /// Writes the last line, with this status. With ProgressEnd::of_all_frames, the line's number of
  /// expected frames is the number of frames that were processed.
  void end(const std::string& status, ProgressEnd at, ProgressResult result = {});

  /// Returns errno of the first line that couldn't be written, or 0 if all were written. If nobody
  /// reads the stream any longer, that is no error. Must be called after end().
  [[nodiscard]] int write_error() const { return write_error_; }

 private:
  void work(const std::stop_token& stop);
  void stop_thread();
  void report(ProgressState state);

  const ProgressKind kind_;
  std::FILE* const out_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  ///< guards state_
  std::condition_variable_any stopping_;
  ProgressState state_;
  int write_error_ = 0;  ///< until the thread has ended, only the thread uses this member
  std::jthread thread_;  // last, because the thread uses all members above
};

/// Adds up the progress of several inputs that are worked on at the same time: the number of inputs
/// that are done, and the frames and faces of all inputs. Thread-safe.
class ProgressOfSeveral {
 public:
  /// @param reporter  must outlive this object
  explicit ProgressOfSeveral(ProgressReporter& reporter) : reporter_(reporter) {}

  void update(std::size_t input, const pipeline::Progress& progress);
  /// Must be called when the input has ended, with any outcome.
  void end(std::size_t input);

 private:
  void report();

  ProgressReporter& reporter_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::map<std::size_t, pipeline::Progress> running_;
  pipeline::Progress all_;
  std::size_t ended_ = 0;
};

}  // namespace facepipe::app
