#include "track/pyramid.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace facepipe {
namespace {

constexpr std::size_t kMostLevels = 6;
constexpr int kSmallestSide = 16;

}  // namespace

LumaPyramid::LumaPyramid(Luma luma) : picture_(luma.picture) {
  levels_.push_back({luma.size, std::move(luma.samples)});
  while (levels_.size() < kMostLevels) {
    const Level& last = levels_.back();
    const Size size{(last.size.width + 1) / 2, (last.size.height + 1) / 2};
    if (std::min(size.width, size.height) < kSmallestSide) break;
    levels_.push_back({size, halved(last.samples.data(), last.size)});
  }
}

LumaLevel LumaPyramid::level(int i) const {
  const Level& level = levels_[static_cast<std::size_t>(i)];
  return {level.samples.data(), level.size, static_cast<float>(2 << i)};
}

}  // namespace facepipe
