// Computes percentiles of any number of durations in bounded memory.
#pragma once

#include <cstdint>
#include <vector>

namespace facepipe {

/// Holds percentiles by the nearest-rank method, and the largest value.
struct Percentiles {
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
};

/// Counts values in buckets whose bounds grow by 2 %, as HdrHistogram does. It takes 12 KB for any
/// number of values. quantile() returns the geometric middle of a bucket, so its relative error is
/// below 1 %. Values below 1e-4 have an absolute error of at most 1e-4. For values above 1e9, the
/// largest value is returned. The smallest and the largest value are exact, and every quantile lies
/// between them. Not thread-safe.
class Histogram {
 public:
  /// Adds a value >= 0. A negative value or NaN counts as 0.
  void add(double value);

  /// Adds all values that `other` has counted.
  void merge(const Histogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// Returns the smallest value v such that at least the share `quantile` (0..1) of all values are
  /// not larger than v; 0 if there are no values.
  [[nodiscard]] double quantile(double quantile) const;
  [[nodiscard]] Percentiles percentiles() const;

 private:
  std::vector<std::uint64_t> buckets_;  ///< empty until the first value
  std::uint64_t count_ = 0;
  double least_ = 0;
  double most_ = 0;
};

}  // namespace facepipe
