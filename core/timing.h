// When a frame was in which stage, on the host's steady clock.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace facepipe {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double in_seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}
[[nodiscard]] inline double in_milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

enum class StageId { read, decode, preprocess, inference, nms, overlay, encode, mux };
inline constexpr std::size_t kStageCount = 8;
[[nodiscard]] std::string_view to_string(StageId stage);

/// Begin and end of one stage's work on one frame; both at the epoch if the stage did not run.
struct Interval {
  Clock::time_point begin{};
  Clock::time_point end{};
  [[nodiscard]] bool ran() const { return begin != Clock::time_point{}; }
  [[nodiscard]] double milliseconds() const { return in_milliseconds(end - begin); }
};

/// The way of one frame through all stages.
struct FrameTimes {
  std::array<Interval, kStageCount> stages{};
  /// CPU time that the stage's own thread spent on the frame in our code, in milliseconds; what
  /// codecs and engines do in theirs is not in it.
  std::array<float, kStageCount> cpu_ms{};

  Interval& operator[](StageId stage) { return stages[static_cast<std::size_t>(stage)]; }
  const Interval& operator[](StageId stage) const {
    return stages[static_cast<std::size_t>(stage)];
  }
  /// First packet read to its packet muxed (or to the last stage that ran).
  [[nodiscard]] double total_ms() const;
  /// Frame decoded to handed to the encoder: without the encoder's look-ahead.
  [[nodiscard]] double latency_ms() const;
};

/// Measures a scope: begin at construction, end at destruction. A frame that was in the stage
/// before and has waited since: the interval ends with the scope, and is as long as both.
class ScopedInterval {
 public:
  explicit ScopedInterval(Interval& interval)
      : interval_(interval), before_(interval.end - interval.begin) {
    interval_.begin = Clock::now();
  }
  ~ScopedInterval() {
    interval_.end = Clock::now();
    interval_.begin -= before_;
  }
  ScopedInterval(const ScopedInterval&) = delete;
  ScopedInterval& operator=(const ScopedInterval&) = delete;

 private:
  Interval& interval_;
  const Clock::duration before_;
};

/// Adds the calling thread's CPU time in a scope to one stage of a frame.
class ScopedCpuTime {
 public:
  ScopedCpuTime(FrameTimes& times, StageId stage)
      : total_(times.cpu_ms[static_cast<std::size_t>(stage)]), begin_(thread_cpu_ms()) {}
  ~ScopedCpuTime() { total_ += static_cast<float>(thread_cpu_ms() - begin_); }
  ScopedCpuTime(const ScopedCpuTime&) = delete;
  ScopedCpuTime& operator=(const ScopedCpuTime&) = delete;

  /// CPU time of the calling thread since its start.
  [[nodiscard]] static double thread_cpu_ms();

 private:
  float& total_;
  double begin_;
};

/// A scope in which the calling thread waits for other stages: for input, or for room.
class ScopedWait {
 public:
  ScopedWait() : begin_(Clock::now()) {}
  ~ScopedWait() { waited_ += Clock::now() - begin_; }
  ScopedWait(const ScopedWait&) = delete;
  ScopedWait& operator=(const ScopedWait&) = delete;

  /// Of the calling thread since its start.
  [[nodiscard]] static Clock::duration total() { return waited_; }

 private:
  static inline thread_local Clock::duration waited_{};
  Clock::time_point begin_;
};

/// Adds a scope's wall time, less what its thread waited in it, to a total.
class ScopedWork {
 public:
  explicit ScopedWork(Clock::duration& total)
      : total_(total), begin_(Clock::now()), waited_(ScopedWait::total()) {}
  ~ScopedWork() { total_ += (Clock::now() - begin_) - (ScopedWait::total() - waited_); }
  ScopedWork(const ScopedWork&) = delete;
  ScopedWork& operator=(const ScopedWork&) = delete;

 private:
  Clock::duration& total_;
  Clock::time_point begin_;
  Clock::duration waited_;
};

}  // namespace facepipe
