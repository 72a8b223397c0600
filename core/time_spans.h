// Lists when something happened, in bounded memory.
#pragma once

#include <cstddef>
#include <vector>

namespace facepipe {

/// Holds spans of a video's time. A time near a span extends it. If there are too many spans, those
/// with the shortest gap between them become one. So all times are always covered. Not thread-safe.
class TimeSpans {
 public:
  struct Span {
    double from_s = 0;
    double to_s = 0;
  };
  TimeSpans() = default;
  /// @param near_s  a time that is at most this far from a span extends it
  /// @param most    the largest number of spans, at least 1
  TimeSpans(double near_s, std::size_t most) : near_s_(near_s), most_(most) {}

  void add(double time_s) { add({time_s, time_s}); }
  /// Adds all times of a span. Does nothing if a bound is not finite, or if `to_s` < `from_s`.
  void add(Span span);
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  void merge_nearest();

  double near_s_ = 0.25;
  std::size_t most_ = 64;
  std::vector<Span> spans_;  ///< sorted, without overlaps
};

}  // namespace facepipe
