#include "app/self_test.h"

#include <cmath>
#include <memory>
#include <vector>

#include "core/error.h"

namespace facepipe {
namespace {

constexpr Size kSize{320, 192};

/// A frame in 4:2:0 whose luma is a slanted ramp and whose chroma is neutral.
Frame ramp() {
  constexpr std::size_t kLuma = std::size_t{kSize.width} * kSize.height;
  constexpr std::size_t kChroma = kLuma / 4;
  auto pixels = std::make_shared<std::vector<std::byte>>(kLuma + 2 * kChroma, std::byte{128});
  for (int y = 0; y < kSize.height; ++y)
    for (int x = 0; x < kSize.width; ++x)
      (*pixels)[static_cast<std::size_t>(y) * kSize.width + static_cast<std::size_t>(x)] =
          static_cast<std::byte>(16 + (x + y) % 220);
  Frame frame;
  frame.size = kSize;
  frame.planes[0] = {pixels->data(), kSize.width};
  frame.planes[1] = {pixels->data() + kLuma, kSize.width / 2};
  frame.planes[2] = {pixels->data() + kLuma + kChroma, kSize.width / 2};
  frame.owner = std::move(pixels);
  return frame;
}

void check(const Detections& found) {
  if (found.size() == 0)
    throw Error(ErrorKind::device, "no candidate above a score of 0: the output is no heat map");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Box& box = found.boxes[i];
    if (!std::isfinite(box.x1 + box.y1 + box.x2 + box.y2 + found.scores[i]))
      throw Error(ErrorKind::device, "the output is not finite");
  }
}

}  // namespace

SelfTestResult self_test(DetectorFactory& detectors) {
  const std::shared_ptr<Detector> detector = detectors.detector(kSize);
  const Frame frame = ramp();
  SelfTestResult result;
  result.network_size = detector->network_size();
  for (int round = 0; round < 2; ++round) {
    const Clock::time_point begin = Clock::now();
    const std::unique_ptr<DetectionRequest> request = detector->acquire({});
    request->prepare(frame);
    request->start();
    const Detections found = request->collect();
    result.milliseconds = Interval{begin, Clock::now()}.milliseconds();
    result.candidates = found.size();
    check(found);
  }
  return result;
}

}  // namespace facepipe
