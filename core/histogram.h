// Percentiles of any number of durations in bounded memory.
#pragma once

#include <cstdint>
#include <vector>

namespace facepipe {

/// Percentiles by the nearest-rank method, and the largest value.
struct Percentiles {
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
};

/// Counts values in buckets whose bounds grow by 2 %, as HdrHistogram does: 12 KB, whatever the
/// number of values. A quantile is its bucket's geometric middle, so its relative error is below
/// 1 %; below 1e-4 the absolute error is 1e-4 at most, and above 1e9 the largest value stands for
/// all. Smallest and largest value are exact, and no quantile is outside of them. Not thread-safe.
class Histogram {
 public:
  /// `value` >= 0; a negative one or NaN counts as 0.
  void add(double value);

  /// As if the other's values had been added here.
  void merge(const Histogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The smallest value that at least the share `quantile` (0..1) of all do not exceed; 0 if there
  /// are none.
  [[nodiscard]] double quantile(double quantile) const;
  [[nodiscard]] Percentiles percentiles() const;

 private:
  std::vector<std::uint64_t> buckets_;  ///< empty until the first value
  std::uint64_t count_ = 0;
  double least_ = 0;
  double most_ = 0;
};

}  // namespace facepipe
