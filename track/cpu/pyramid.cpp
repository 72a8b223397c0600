#include "track/cpu/pyramid.h"

#include <cstddef>
#include <utility>

namespace facepipe::track {

LumaPyramid::LumaPyramid(Luma luma) : shape_(luma.picture) {
  levels_.push_back(std::move(luma.samples));
  for (int i = 1; i < shape_.levels; ++i)
    levels_.push_back(halved(levels_.back().data(), shape_.size(i - 1)));
}

LumaLevel LumaPyramid::level(int i) const {
  return {levels_[static_cast<std::size_t>(i)].data(), shape_.size(i), PyramidShape::scale(i)};
}

}  // namespace facepipe::track
