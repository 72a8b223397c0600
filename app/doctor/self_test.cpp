#include "app/doctor/self_test.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/backends.h"
#include "app/doctor/test_picture.h"
#include "core/error.h"

namespace facepipe {
namespace {

void check(const Detections& found) {
  if (found.size() == 0)
    throw Error(ErrorKind::device, "no candidate above a score of 0: the output is no heat map");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Box& box = found.boxes[i];
    if (!std::isfinite(box.x1 + box.y1 + box.x2 + box.y2 + found.scores[i]))
      throw Error(ErrorKind::device, "the output is not finite");
  }
}

bool same_place(const Box& a, const Box& b) {
  constexpr float kLeastOverlap = 0.8F;
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (width <= 0 || height <= 0) return false;
  const float both = width * height;
  return both >= kLeastOverlap * (a.width() * a.height() + b.width() * b.height() - both);
}

void compare(const Detections& those, const Detections& partners, ScoreComparison& result) {
  for (std::size_t i = 0; i < those.size(); ++i) {
    if (those.scores[i] < kLeastCompared) continue;
    double difference = those.scores[i];
    for (std::size_t k = 0; k < partners.size(); ++k)
      if (same_place(those.boxes[i], partners.boxes[k]))
        difference = std::min(difference, std::abs(double{those.scores[i]} - partners.scores[k]));
    ++result.compared;
    result.largest_difference = std::max(result.largest_difference, difference);
  }
}

}  // namespace

SelfTestResult self_test(DetectorFactory& detectors) {
  const Frame frame = test_picture();
  const std::shared_ptr<Detector> detector = detectors.detector(frame.upright());
  SelfTestResult result;
  result.network_size = detector->facts().network.value_or(frame.upright());
  for (int round = 0; round < 2; ++round) {
    const Clock::time_point begin = Clock::now();
    const std::unique_ptr<DetectionRequest> request = detector->acquire({});
    request->prepare(frame);
    request->start();
    result.candidates = request->collect();
    result.milliseconds = Interval{begin, Clock::now()}.milliseconds();
    check(result.candidates);
  }
  return result;
}

SelfTestResult self_test_on_cuda(Device device, const DetectorOptions& options) {
  const Frame frame = test_picture();
  OneFrameResult found = detect_on_cuda(frame, device, options);
  check(found.candidates);
  return {found.milliseconds, std::move(found.candidates),
          found.facts.network.value_or(frame.upright())};
}

ScoreComparison compare_scores(const Detections& one, const Detections& other) {
  ScoreComparison result;
  compare(one, other, result);
  compare(other, one, result);
  return result;
}

}  // namespace facepipe
