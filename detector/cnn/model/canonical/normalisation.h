// Makes the normalisation of a network's picture a part of its first convolution.
#pragma once

#include <array>

namespace facepipe::detector {

class Rewriting;

/// The network was trained for (picture - mean) / deviation, for each of the three planes in the
/// network's own order. All numbers are in levels of 0..255.
struct InputNormalisation {
  std::array<float, 3> mean{0, 0, 0};
  std::array<float, 3> deviation{1, 1, 1};  ///< each above 0

  friend bool operator==(const InputNormalisation&, const InputNormalisation&) = default;
};

/// Changes the network so that it takes levels of 0..255. The normalisation becomes a part of the
/// weights of each convolution that reads the picture, and costs nothing.
///
/// The result stays the same, except for rounding and at the picture's edges. There, a
/// convolution's window also reads padding. The padding was the mean before, and is black now. In
/// SCRFD, whose first convolution pads one row and one column, this changes the average precision
/// on WIDER FACE by at most .001.
///
/// Throws Error(device) if anything but a convolution of three planes reads the picture.
void fold_normalisation(Rewriting& to, const InputNormalisation& normalisation);

}  // namespace facepipe::detector
