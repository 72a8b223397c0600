#include "detector/looks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>

#include "core/error.h"
#include "detector/tiling.h"

namespace facepipe::detector {

Size scaled(Size size, float scale) {
  const auto side = [scale](int pixels) {
    return std::max(1, static_cast<int>(std::lround(static_cast<float>(pixels) * scale)));
  };
  return {side(size.width), side(size.height)};
}

std::optional<Size> size_of_look(Size frame, const std::optional<Size>& detect_size, float scale) {
  if (scale == 1) return detect_size;
  const Size usual = detect_size.value_or(frame);
  const Size size = scaled(usual, scale);
  if (std::int64_t{size.width} * size.height <= kLargestUntiled) return size;
  std::ostringstream reason;
  reason << "a look at " << scale << " times the size of " << to_string(usual)
         << " has more than 12 megapixels; --looks chooses others";
  throw Error(ErrorKind::device, reason.str());
}

}  // namespace facepipe::detector
