#include "experiments/programs/viola_jones/plain_loop.h"

#include <algorithm>
#include <cmath>

namespace facepipe::viola_jones {
namespace {

float deviation(const SummedPicture& picture, const ScaledCascade& cascade, int x, int y) {
  const Edges& inner = cascade.inner;
  const std::int64_t area = std::int64_t{inner.right - inner.left} * (inner.bottom - inner.top);
  const std::int64_t sum = picture.sum(x, y, inner);
  const std::int64_t spread = area * picture.squares(x, y, inner) - sum * sum;
  return spread > 0 ? std::sqrt(static_cast<float>(spread)) * cascade.inverse_area : 1;
}

std::int32_t leaf(const SummedPicture& picture, const ScaledStump& stump, int x, int y,
                  float deviation) {
  const auto sum = [&](int i) { return static_cast<float>(picture.sum(x, y, stump.rects[i])); };
  float value = stump.weights[0] * sum(0);
  value = std::fma(stump.weights[1], sum(1), value);
  if (stump.weights[2] != 0) value = std::fma(stump.weights[2], sum(2), value);
  return value < stump.threshold * deviation ? stump.below : stump.above;
}

/// Returns how many stages the window passes until a stage rejects it.
std::size_t stages_passed(const SummedPicture& picture, const ScaledCascade& cascade, int x,
                          int y) {
  const float of_window = deviation(picture, cascade, x, y);
  for (std::size_t i = 0; i < cascade.stages.size(); ++i) {
    const StageSpan& stage = cascade.stages[i];
    std::int32_t sum = 0;
    for (std::int32_t k = stage.first; k < stage.first + stage.count; ++k)
      sum += leaf(picture, cascade.stumps[static_cast<std::size_t>(k)], x, y, of_window);
    if (sum < stage.threshold) return i;
  }
  return cascade.stages.size();
}

}  // namespace

SummedPicture::SummedPicture(std::span<const std::uint8_t> pixels, Size size) : size_(size) {
  const auto stride = static_cast<std::size_t>(size.width) + 1;
  sums_.resize(stride * (static_cast<std::size_t>(size.height) + 1));
  squares_.resize(sums_.size());
  for (std::size_t y = 0; y < static_cast<std::size_t>(size.height); ++y)
    for (std::size_t x = 0; x + 1 < stride; ++x) {
      const std::int64_t grey = pixels[y * (stride - 1) + x];
      const std::size_t at = y * stride + x;  // index of the corner above and to the left
      sums_[at + stride + 1] = grey + sums_[at + stride] + sums_[at + 1] - sums_[at];
      squares_[at + stride + 1] =
          grey * grey + squares_[at + stride] + squares_[at + 1] - squares_[at];
    }
}

std::int64_t SummedPicture::difference(const std::vector<std::int64_t>& sums, int x, int y,
                                       const Edges& edges) const {
  const auto at = [&](int column, int row) {
    return sums[static_cast<std::size_t>(row) * (static_cast<std::size_t>(size_.width) + 1) +
                static_cast<std::size_t>(column)];
  };
  return at(x + edges.right, y + edges.bottom) - at(x + edges.left, y + edges.bottom) -
         at(x + edges.right, y + edges.top) + at(x + edges.left, y + edges.top);
}

ScaleResult scan_scale(const SummedPicture& picture, const ScaledCascade& cascade,
                       const Scale& scale, std::size_t index) {
  ScaleResult result;
  result.survivors.resize(cascade.stages.size());
  for (int row = 0; row < scale.places.height; ++row)
    for (int column = 0; column < scale.places.width; ++column) {
      const int x = column * scale.step;
      const int y = row * scale.step;
      const std::size_t passed = stages_passed(picture, cascade, x, y);
      for (std::size_t i = 0; i < passed; ++i) ++result.survivors[i];
      for (std::size_t i = 0; i <= passed && i < cascade.stages.size(); ++i)
        result.stumps += static_cast<std::uint64_t>(cascade.stages[i].count);
      if (passed == cascade.stages.size())
        result.windows.push_back({static_cast<std::uint16_t>(index), static_cast<std::uint16_t>(x),
                                  static_cast<std::uint16_t>(y)});
    }
  return result;
}

std::vector<ScaleResult> scan(const SummedPicture& picture,
                              const detector::cascade::Cascade& cascade,
                              const std::vector<Scale>& scales) {
  std::vector<ScaleResult> results;
  for (std::size_t i = 0; i < scales.size(); ++i)
    results.push_back(scan_scale(picture, scaled(cascade, scales[i].factor), scales[i], i));
  return results;
}

std::vector<FoundWindow> windows_of(const std::vector<ScaleResult>& results) {
  std::vector<FoundWindow> windows;
  for (const ScaleResult& result : results)
    windows.insert(windows.end(), result.windows.begin(), result.windows.end());
  std::sort(windows.begin(), windows.end());
  return windows;
}

}  // namespace facepipe::viola_jones
