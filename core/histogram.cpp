#include "core/histogram.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace facepipe {
namespace {

constexpr double kLowest = 1e-4;
constexpr double kHighest = 1e9;
// The error is a factor of sqrt(1.02) = 1.00995.
const double kGrowth = std::log(1.02);
// The first bucket takes values below kLowest, and the last bucket takes values above kHighest.
const auto kBuckets = static_cast<std::size_t>(std::log(kHighest / kLowest) / kGrowth) + 3;

std::size_t bucket_of(double value) {
  if (value < kLowest) return 0;
  const double steps = std::log(value / kLowest) / kGrowth;
  return std::min(static_cast<std::size_t>(steps) + 1, kBuckets - 1);
}

double middle_of(std::size_t bucket) {
  if (bucket == 0) return 0;
  if (bucket == kBuckets - 1) return HUGE_VAL;
  return kLowest * std::exp((static_cast<double>(bucket) - 0.5) * kGrowth);
}

}  // namespace

void Histogram::add(double value) {
  const double known = value > 0 ? value : 0;  // `value > 0` is false for NaN
  if (buckets_.empty()) buckets_.resize(kBuckets);
  ++buckets_[bucket_of(known)];
  least_ = count_ == 0 ? known : std::min(least_, known);
  most_ = std::max(most_, known);
  ++count_;
}

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  buckets_.resize(kBuckets);
  std::ranges::transform(buckets_, other.buckets_, buckets_.begin(), std::plus());
  least_ = count_ == 0 ? other.least_ : std::min(least_, other.least_);
  most_ = std::max(most_, other.most_);
  count_ += other.count_;
}

double Histogram::quantile(double quantile) const {
  if (count_ == 0) return 0;
  const double rank = std::max(1.0, std::ceil(quantile * static_cast<double>(count_)));
  std::uint64_t within = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    within += buckets_[bucket];
    if (static_cast<double>(within) >= rank) return std::clamp(middle_of(bucket), least_, most_);
  }
  return most_;
}

Percentiles Histogram::percentiles() const {
  return {quantile(0.50), quantile(0.95), quantile(0.99), most_};
}

}  // namespace facepipe
