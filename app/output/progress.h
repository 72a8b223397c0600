// Tells how far a run is, while it runs.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/timing.h"
#include "pipeline/progress.h"

namespace facepipe::app {

/// What one line of progress tells.
struct ProgressState {
  std::string file;
  std::size_t input = 1;  ///< 1..inputs
  std::size_t inputs = 1;
  pipeline::Progress progress;
  double elapsed_s = 0;
  std::string status = "running";

  /// Seconds left; negative if unknown.
  [[nodiscard]] double left_s() const;
};

/// One JSON object with a line break: file, input, inputs, status, frames, expected_frames, fps,
/// faces, elapsed_s, left_s; null for what is unknown.
[[nodiscard]] std::string progress_json(const ProgressState& state);

/// At most 79 characters, no line break: a bar where the number of frames is known.
[[nodiscard]] std::string progress_bar(const ProgressState& state);

enum class ProgressKind { none, bar, json };
enum class ProgressEnd { of_all_frames, before_the_last };

/// Tells the progress of one input at a steady pace from a thread of its own, so that it goes on
/// while the first frame is on its way. JSON: at the start, each second, and at the end. Bar: four
/// times a second, and gone at the end. What can't be written is not told: write_error() has why.
/// update() may be called from another thread than begin and end.
class ProgressTeller {
 public:
  /// @param out stays open; not owned
  ProgressTeller(ProgressKind kind, std::FILE* out, ProgressState first);
  /// Ends without a last line, unless end() was called.
  ~ProgressTeller();
  ProgressTeller(const ProgressTeller&) = delete;
  ProgressTeller& operator=(const ProgressTeller&) = delete;

  /// @param input  ProgressState::input, where it changes
  void update(const pipeline::Progress& progress, std::optional<std::size_t> input = {});
  /// Writes the last line, with this status. With ProgressEnd::of_all_frames
  /// it expects no more frames than there were.
  void end(const std::string& status, ProgressEnd at);

  /// errno of the first line that couldn't be written, 0 where all were; a reader that went away
  /// counts for none. Asked after end().
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
  int write_error_ = 0;  ///< of the thread until it has ended
  std::jthread thread_;  // last: it uses all of the above
};

/// The progress of inputs that are worked on at once, as one: how many of them are done, and the
/// frames and faces of all. Thread-safe.
class ProgressOfSeveral {
 public:
  /// @param teller  outlives it
  explicit ProgressOfSeveral(ProgressTeller& teller) : teller_(teller) {}

  void update(std::size_t input, const pipeline::Progress& progress);
  /// The input is done, whatever became of it.
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
