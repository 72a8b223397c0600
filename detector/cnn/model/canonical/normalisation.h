// What a network wants its picture to be, as a part of its first convolution.
#pragma once

#include <array>

namespace facepipe::detector {

class Rewriting;

/// A network sees (picture - mean) / deviation, for each of the three planes in the network's own
/// order. All are in levels of 0..255.
struct InputNormalisation {
  std::array<float, 3> mean{0, 0, 0};
  std::array<float, 3> deviation{1, 1, 1};  ///< each above 0

  friend bool operator==(const InputNormalisation&, const InputNormalisation&) = default;
};

/// Makes the network take levels of 0..255. The normalisation becomes a part of the weights of each
/// convolution that reads the picture, and costs nothing.
///
/// The result is the same but for rounding, except where a convolution's window reaches over the
/// picture's edge: the padding there was the mean, and is black now, if the mean isn't 0. In
/// SCRFD, whose first convolution pads one row and one column, this changes the average precision
/// on WIDER FACE by .001 at most.
/// Errors: device, if something else than a convolution of three planes reads the picture.
void fold_normalisation(Rewriting& to, const InputNormalisation& normalisation);

}  // namespace facepipe::detector
