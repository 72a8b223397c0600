#include "detector/cnn/model/fit_into.h"

#include <algorithm>

#include "core/error.h"
#include "detector/looks.h"

namespace facepipe::detector {

NetworkFit fit_into(Size frame, Size network, const std::optional<Size>& detect_size, float scale) {
  if (scale > 1)
    throw Error(ErrorKind::usage, "looks: the model takes only pictures of " + to_string(network) +
                                      ", so no look can be above 1");
  const Size bound = detect_size.value_or(network);
  const Size inside{std::min(bound.width, network.width), std::min(bound.height, network.height)};
  const NetworkFit fit = fit_network(frame, scaled(inside, scale), 1);
  return {frame, fit.content, network};
}

}  // namespace facepipe::detector
