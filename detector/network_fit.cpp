#include "detector/network_fit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "core/limits.h"

namespace facepipe::detector {
namespace {

int round_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

Size scaled_to_fit(Size frame, Size bounds) {
  const double scale = std::min(static_cast<double>(bounds.width) / frame.width,
                                static_cast<double>(bounds.height) / frame.height);
  const auto side = [scale](int length) {
    return std::max(1, static_cast<int>(std::lround(scale * length)));
  };
  return {side(frame.width), side(frame.height)};
}

}  // namespace

std::optional<Box> box_in_frame(const NetworkFit& fit, const Box& box) {
  const float x = fit.scale_x();
  const float y = fit.scale_y();
  const Box scaled{box.x1 * x, box.y1 * y, box.x2 * x, box.y2 * y};
  const bool finite = std::isfinite(scaled.x1) && std::isfinite(scaled.y1) &&
                      std::isfinite(scaled.x2) && std::isfinite(scaled.y2);
  if (!finite) return std::nullopt;
  const Box visible = clipped(scaled, fit.frame);
  if (visible.width() <= 0 || visible.height() <= 0) return std::nullopt;
  return visible;
}

NetworkFit fit_network(Size frame, const std::optional<Size>& detect_size, int multiple) {
  if (frame.width < 1 || frame.height < 1)
    throw Error(ErrorKind::internal, "detector: frame of size " + to_string(frame));
  if (detect_size) {
    const auto [low, high] = std::minmax(detect_size->width, detect_size->height);
    if (low < 1 || high > kMaxPictureSide)
      throw Error(ErrorKind::usage,
                  "detect size " + to_string(*detect_size) + ": each side must be from 1 to 16384");
  }
  const Size content = detect_size ? scaled_to_fit(frame, *detect_size) : frame;
  if (std::max(content.width, content.height) > kMaxPictureSide)
    throw Error(
        ErrorKind::device,
        "detector: frames of " + to_string(frame) +
            " are too large: a side has more than 16384 pixels; give a smaller --detect-size");
  return {frame, content, {round_up(content.width, multiple), round_up(content.height, multiple)}};
}

}  // namespace facepipe::detector
