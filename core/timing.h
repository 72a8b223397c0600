// Measures when each stage worked on a frame, by the host's steady clock.
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

/// Holds when one stage began and ended its work on one frame. If the stage did not run, both times
/// are the clock's epoch.
struct Interval {
  Clock::time_point begin{};
  Clock::time_point end{};
  [[nodiscard]] bool ran() const { return begin != Clock::time_point{}; }
  [[nodiscard]] double milliseconds() const { return in_milliseconds(end - begin); }
};

/// Holds the times of one frame in all stages.
struct FrameTimes {
  std::array<Interval, kStageCount> stages{};
  /// CPU time in milliseconds that the stage's own thread spent on the frame in our code. The time
  /// that codecs and engines spend in their own threads is not included.
  std::array<float, kStageCount> cpu_ms{};

  Interval& operator[](StageId stage) { return stages[static_cast<std::size_t>(stage)]; }
  const Interval& operator[](StageId stage) const {
    return stages[static_cast<std::size_t>(stage)];
  }
  /// Returns the time from reading the frame's first packet to muxing the frame's packet (or to the
  /// end of the last stage that ran).
  [[nodiscard]] double total_ms() const;
  /// Returns the time from the end of decoding until the encoder got the frame. The encoder's
  /// look-ahead is not included.
  [[nodiscard]] double latency_ms() const;
};

/// Measures a scope, from construction to destruction. If the stage has worked on the frame before,
/// the interval ends with this scope, and its length is the sum of both scopes.
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

  /// Returns the CPU time of the calling thread since its start.
  [[nodiscard]] static double thread_cpu_ms();

 private:
  float& total_;
  double begin_;
};

/// Marks a scope in which the calling thread waits for other stages (for input, or for free room).
class ScopedWait {
 public:
  ScopedWait() : begin_(Clock::now()) {}
  ~ScopedWait() { waited_ += Clock::now() - begin_; }
  ScopedWait(const ScopedWait&) = delete;
  ScopedWait& operator=(const ScopedWait&) = delete;

  /// Returns how long the calling thread has waited since its start.
  [[nodiscard]] static Clock::duration total() { return waited_; }

 private:
  static inline thread_local Clock::duration waited_{};
  Clock::time_point begin_;
};

/// Adds a scope's wall time to a total, without the time that the thread waited in a ScopedWait.
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
