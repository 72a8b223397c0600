// Shows how far a run is, while it runs.
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

/// Holds what one line of progress says.
struct ProgressState {
  std::string file;
  std::size_t input = 1;  ///< 1..inputs
  std::size_t inputs = 1;
  pipeline::Progress progress;
  double elapsed_s = 0;
  std::string status = "running";

  /// Returns the seconds that are left; a negative number if they are unknown.
  [[nodiscard]] double left_s() const;
};

/// Returns one JSON object with a line break: file, input, inputs, status, frames, expected_frames,
/// fps, faces, elapsed_s, left_s. Unknown values are null.
[[nodiscard]] std::string progress_json(const ProgressState& state);

/// Returns at most 79 characters without a line break. There is a bar if the number of frames is
/// known.
[[nodiscard]] std::string progress_bar(const ProgressState& state);

enum class ProgressKind { none, bar, json };
/// Returns what the user chose. An automatic choice is a bar if standard error is a terminal.
[[nodiscard]] ProgressKind progress_kind(const Console& console);

enum class ProgressEnd { of_all_frames, before_the_last };

/// Shows the progress of one input from a thread of its own. So it also writes lines before the
/// first frame is complete. It writes a line of JSON at the start, each second, and at the end. Or
/// it writes a bar four times a second, and clears it at the end. If a line can't be written,
/// write_error() returns the reason. One thread may call update(), and another thread the other
/// functions.
///
/// Its eight members belong together: the thread works with all of them.
class ProgressTeller {
 public:
  /// @param out  stays open; it is not owned
  ProgressTeller(ProgressKind kind, std::FILE* out, ProgressState first);
  /// Ends without a last line, unless end() was called.
  ~ProgressTeller();
  ProgressTeller(const ProgressTeller&) = delete;
  ProgressTeller& operator=(const ProgressTeller&) = delete;

  /// @param input  the new ProgressState::input; nullopt if it stays the same
  void update(const pipeline::Progress& progress, std::optional<std::size_t> input = {});
  /// Writes the last line, with this status. With ProgressEnd::of_all_frames, the number of
  /// expected frames becomes the number of frames that came.
  void end(const std::string& status, ProgressEnd at);

  /// Returns errno of the first line that couldn't be written, 0 if all were written. It is no
  /// error if the reader went away. Must be called after end().
  [[nodiscard]] int write_error() const { return write_error_; }

 private:
  void work(const std::stop_token& stop);
  void stop_thread();
  void tell(ProgressState state);

  const ProgressKind kind_;
  std::FILE* const out_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  ///< guards state_
  std::condition_variable_any stopping_;
  ProgressState state_;
  int write_error_ = 0;  ///< belongs to the thread until that has ended
  std::jthread thread_;  // last: it uses all of the above
};

/// Adds up the progress of several inputs that are worked on at once. Counts the inputs that are
/// done, and the frames and faces of all inputs. Thread-safe.
class ProgressOfSeveral {
 public:
  /// @param teller  must outlive this object
  explicit ProgressOfSeveral(ProgressTeller& teller) : teller_(teller) {}

  void update(std::size_t input, const pipeline::Progress& progress);
  /// Tells that the input has ended, with any outcome.
  void end(std::size_t input);

 private:
  void tell();

  ProgressTeller& teller_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::map<std::size_t, pipeline::Progress> running_;
  pipeline::Progress all_;
  std::size_t ended_ = 0;
};

}  // namespace facepipe::app
