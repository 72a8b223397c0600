#include "overlay/cpu/box_blur.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace facepipe::overlay {
namespace {

constexpr int kPasses = 3;

/// Extends a row of `length` samples by `count` mirrored samples on each side (see mirrored()). If
/// `count` is larger than `length`, this mirrors the new samples again.
void mirror_edges(std::uint16_t* row, std::ptrdiff_t length, std::ptrdiff_t count) {
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    row[-1 - i] = row[i];
    row[length + i] = row[length - 1 - i];
  }
}

/// Does one pass along a row: to[i] is the mean of padded[i] .. padded[i + 2 * radius]. It reads
/// one sample beyond the last of these.
void filter_row(const std::uint16_t* __restrict padded, std::uint16_t* __restrict to, int length,
                const BoxMean& mean) {
  const auto window = static_cast<std::ptrdiff_t>(2 * mean.radius + 1);
  std::uint32_t sum = 0;
  for (std::ptrdiff_t i = 0; i < window; ++i) sum += padded[i];
  for (std::ptrdiff_t i = 0; i < length; ++i) {
    to[i] = mean(sum);
    sum += static_cast<std::uint32_t>(padded[i + window]) - padded[i];
  }
}

/// Writes a row of means, and moves the sums of all columns down by one row.
void filter_columns_of_row(std::uint32_t* __restrict sums, const std::uint16_t* __restrict next,
                           const std::uint16_t* __restrict last, std::uint16_t* __restrict to,
                           int width, const BoxMean mean) {
  for (int x = 0; x < width; ++x) {
    to[x] = mean(sums[x]);
    sums[x] += static_cast<std::uint32_t>(next[x]) - last[x];
  }
}

void add_row(std::uint32_t* __restrict sums, const std::uint16_t* __restrict row, int width) {
  for (int x = 0; x < width; ++x) sums[x] += row[x];
}

}  // namespace

void BoxBlur::resize(Size size) {
  size_ = size;
  const auto area = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  samples_.resize(std::max(samples_.size(), area));
  other_.resize(samples_.size());
}

void BoxBlur::blur(BlurRadius radius) {
  blur_rows(radius.x);
  const BoxMean mean(radius.y);
  for (int pass = 0; pass < kPasses; ++pass) filter_columns(mean);
}

void BoxBlur::blur_rows(int radius) {
  const BoxMean mean(radius);
  const int margin = radius + 1;
  for (auto& padded : padded_)
    padded.resize(static_cast<std::size_t>(size_.width) + 2 * static_cast<std::size_t>(margin));
  std::uint16_t* const even = padded_[0].data();
  std::uint16_t* const odd = padded_[1].data();
  for (int y = 0; y < size_.height; ++y) {
    std::copy_n(row(y), size_.width, even + margin);
    mirror_edges(even + margin, size_.width, margin);
    filter_row(even + 1, odd + margin, size_.width, mean);
    mirror_edges(odd + margin, size_.width, margin);
    filter_row(odd + 1, even + margin, size_.width, mean);
    mirror_edges(even + margin, size_.width, margin);
    filter_row(even + 1, row(y), size_.width, mean);
  }
}

void BoxBlur::filter_columns(const BoxMean& mean) {
  const int radius = static_cast<int>(mean.radius);
  const auto row_at = [&](int y) { return row(mirrored(y, size_.height)); };
  sums_.assign(static_cast<std::size_t>(size_.width), 0);
  for (int y = -radius; y <= radius; ++y) add_row(sums_.data(), row_at(y), size_.width);
  for (int y = 0; y < size_.height; ++y)
    filter_columns_of_row(sums_.data(), row_at(y + radius + 1), row_at(y - radius),
                          row_of(other_, y), size_.width, mean);
  std::swap(samples_, other_);
}

}  // namespace facepipe::overlay
