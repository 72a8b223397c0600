// Sums up any number of values in bounded memory, for charts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace facepipe::app {

/// Sums up values in buckets of equal width along an axis: time, or a score. If a value lies beside
/// all buckets, neighbours are merged until the buckets reach it. So there are never more than
/// `most` buckets, and the axis need not be known before. Not thread-safe.
class Series {
 public:
  struct Bucket {
    std::int64_t count = 0;
    double sum = 0;
    double least = 0;  ///< 0 if there are no values
    double most = 0;
    [[nodiscard]] double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  };

  /// @param width  width of a bucket at the beginning, over 0
  /// @param most   an even number of buckets, at least 2
  explicit Series(double width, std::size_t most = 400) : width_(width), most_(most) {}

  /// Adds a value at a place. Does nothing if one of them is not finite.
  void add(double place, double value);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] double width() const { return width_; }
  /// Returns where bucket 0 begins.
  [[nodiscard]] double begin() const { return begin_; }
  /// Returns the buckets from the first one with a value to the last one. Those between may be
  /// empty.
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }
  /// Returns the middle of a bucket.
  [[nodiscard]] double middle(std::size_t bucket) const {
    return begin_ + (static_cast<double>(bucket) + 0.5) * width_;
  }
  /// Returns the largest place of a value; 0 without values.
  [[nodiscard]] double last_place() const { return last_; }
  /// Returns the largest value of all; 0 if none is over 0.
  [[nodiscard]] double largest() const;

  /// Returns the same series with wider buckets, so that there are at most `most` buckets. `most`
  /// is at least 2.
  [[nodiscard]] Series coarser(std::size_t most) const;

 private:
  void merge_neighbours();
  void reach(double place);

  double width_;
  std::size_t most_;
  double begin_ = 0;
  double last_ = 0;
  std::int64_t count_ = 0;
  std::vector<Bucket> buckets_;
};

/// Counts values over 0 in buckets that each grow by the same factor, the eighth root of 2. Not
/// thread-safe.
class LogCounts {
 public:
  /// Adds a value. Values below 1e-3 count as 1e-3, and those above 1e7 as 1e7. Does nothing if the
  /// value is not finite.
  void add(double value);
  [[nodiscard]] std::int64_t count() const { return count_; }

  struct Bar {
    double low = 0;
    double high = 0;
    std::int64_t count = 0;
  };
  /// Returns bars from the smallest value to the largest one; nothing without values.
  /// @param most  the largest number of bars, at least 1
  [[nodiscard]] std::vector<Bar> bars(std::size_t most) const;

 private:
  std::vector<std::int64_t> counts_;
  std::int64_t count_ = 0;
};

}  // namespace facepipe::app
