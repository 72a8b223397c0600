#include "app/output/html/series.h"

#include <algorithm>
#include <cmath>

namespace facepipe::app {
namespace {

constexpr double kLowest = 1e-3;
constexpr double kHighest = 1e7;
constexpr double kOctave = 8;       // buckets of LogCounts in an octave
constexpr double kFarthest = 1e15;  // places beyond have no useful digits in a double

void merge(Series::Bucket& to, const Series::Bucket& more) {
  if (more.count == 0) return;
  to.least = to.count == 0 ? more.least : std::min(to.least, more.least);
  to.most = to.count == 0 ? more.most : std::max(to.most, more.most);
  to.sum += more.sum;
  to.count += more.count;
}

double edge_of(std::size_t bucket) {
  return kLowest * std::exp2(static_cast<double>(bucket) / kOctave);
}

}  // namespace

void Series::add(double place, double value) {
  if (!std::isfinite(value) || !(std::abs(place) <= kFarthest)) return;
  reach(place);
  const auto bucket = static_cast<std::size_t>((place - begin_) / width_);
  merge(buckets_[std::min(bucket, buckets_.size() - 1)], {1, value, value, value});
  last_ = count_ == 0 ? place : std::max(last_, place);
  ++count_;
}

/// Makes the buckets include `place`.
void Series::reach(double place) {
  if (buckets_.empty()) begin_ = std::floor(place / width_) * width_;
  const auto most = static_cast<double>(most_);
  const auto end = [&] { return begin_ + static_cast<double>(buckets_.size()) * width_; };
  while (!buckets_.empty() &&
         std::max(place, end()) - std::min(place, begin_) >= (most - 1) * width_)
    merge_neighbours();
  if (place < begin_) {
    const double before = std::ceil((begin_ - place) / width_);
    buckets_.insert(buckets_.begin(), static_cast<std::size_t>(before), {});
    begin_ -= before * width_;
  }
  const auto last = static_cast<std::size_t>((place - begin_) / width_);
  if (last >= buckets_.size()) buckets_.resize(last + 1);
}

/// Doubles the width of the buckets. Bucket 0 still begins at a multiple of the width, so that
/// bounds stay where they are, whatever comes first.
void Series::merge_neighbours() {
  const bool odd = std::fmod(std::abs(std::round(begin_ / width_)), 2) != 0;
  if (odd) {
    buckets_.insert(buckets_.begin(), Bucket{});
    begin_ -= width_;
  }
  std::vector<Bucket> merged((buckets_.size() + 1) / 2);
  for (std::size_t i = 0; i < buckets_.size(); ++i) merge(merged[i / 2], buckets_[i]);
  buckets_ = std::move(merged);
  width_ *= 2;
}

double Series::largest() const {
  double largest = 0;
  for (const Bucket& bucket : buckets_) largest = std::max(largest, bucket.most);
  return largest;
}

Series Series::coarser(std::size_t most) const {
  Series coarse = *this;
  while (coarse.buckets_.size() > most) coarse.merge_neighbours();
  return coarse;
}

void LogCounts::add(double value) {
  if (!std::isfinite(value)) return;
  const double steps = kOctave * std::log2(std::clamp(value, kLowest, kHighest) / kLowest);
  const auto bucket = static_cast<std::size_t>(std::max(0.0, steps));
  if (bucket >= counts_.size()) counts_.resize(bucket + 1);
  ++counts_[bucket];
  ++count_;
}

std::vector<LogCounts::Bar> LogCounts::bars(std::size_t most) const {
  std::vector<Bar> bars;
  const auto first = static_cast<std::size_t>(
      std::ranges::find_if(counts_, [](std::int64_t count) { return count > 0; }) -
      counts_.begin());
  const std::size_t span = counts_.size() - first;
  const std::size_t step = (span + most - 1) / most;
  for (std::size_t begin = first; begin < counts_.size(); begin += step) {
    Bar bar{edge_of(begin), edge_of(begin + step), 0};
    for (std::size_t i = begin; i < std::min(begin + step, counts_.size()); ++i)
      bar.count += counts_[i];
    bars.push_back(bar);
  }
  return bars;
}

}  // namespace facepipe::app
