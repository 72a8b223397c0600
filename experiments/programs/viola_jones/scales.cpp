#include "experiments/programs/viola_jones/scales.h"

#include <cmath>
#include <stdexcept>

namespace facepipe::viola_jones {
namespace {

int rounded(double value) { return static_cast<int>(std::lround(value)); }

Scale scale_of(double factor, Size window, Size picture) {
  Scale scale;
  scale.factor = factor;
  scale.step = static_cast<int>(factor);
  scale.window = {rounded(window.width * factor), rounded(window.height * factor)};
  scale.places = {(picture.width - scale.window.width) / scale.step + 1,
                  (picture.height - scale.window.height) / scale.step + 1};
  const int pixels = kBlockSide * scale.step;  // side of a block in pixels
  scale.blocks = {picture.width / pixels, picture.height / pixels};
  if (scale.blocks.width * kBlockSide < scale.places.width ||
      scale.blocks.height * kBlockSide < scale.places.height)
    throw std::invalid_argument("the published numbers of blocks are too few for a window of " +
                                to_string(window));
  return scale;
}

}  // namespace

std::vector<Scale> paper_scales(Size window, Size picture, double ratio) {
  if (!(ratio > 1)) throw std::invalid_argument("the ratio of scales must be above 1");
  std::vector<Scale> scales;
  for (double factor = 1; rounded(window.width * factor) <= picture.width &&
                          rounded(window.height * factor) <= picture.height;
       factor *= ratio)
    scales.push_back(scale_of(factor, window, picture));
  return scales;
}

std::vector<Scale> whole_scales(Size window, Size picture) {
  std::vector<Scale> scales;
  for (const Scale& scale : paper_scales(window, picture))
    if (scales.empty() || scales.back().step != scale.step)
      scales.push_back(scale_of(scale.step, window, picture));
  return scales;
}

std::vector<Part> whole_parts(const std::vector<Scale>& scales) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < scales.size(); ++i)
    parts.push_back({static_cast<int>(i), 0, scales[i].blocks.height});
  return parts;
}

}  // namespace facepipe::viola_jones
