#include "app/doctor/self_test.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "app/backends.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

constexpr Size kSize{320, 192};
constexpr std::size_t kLuma = std::size_t{kSize.width} * kSize.height;
constexpr std::size_t kChroma = kLuma / 4;

struct Color {
  int y = 0;
  int u = 128;
  int v = 128;
};

/// An ellipse that is part of a face. Its coordinates are relative to the face's centre, in units
/// of half the face's height.
struct Part {
  float x;
  float y;
  float radius_x;
  float radius_y;
  Color color;
};
constexpr Color kHair{40, 125, 132};
constexpr Color kSkin{165, 112, 152};
constexpr Color kBrow{60, 125, 132};
constexpr Color kEyeWhite{225, 128, 128};
constexpr Color kPupil{30, 128, 128};
constexpr Color kNostrils{130, 114, 152};
constexpr Color kLips{95, 116, 165};
constexpr Part kFace[] = {
    {0, -.15F, .85F, 1.05F, kHair},      {0, .1F, .7F, .92F, kSkin},
    {-.3F, -.12F, .17F, .05F, kBrow},    {.3F, -.12F, .17F, .05F, kBrow},
    {-.3F, .05F, .13F, .07F, kEyeWhite}, {.3F, .05F, .13F, .07F, kEyeWhite},
    {-.3F, .05F, .06F, .07F, kPupil},    {.3F, .05F, .06F, .07F, kPupil},
    {0, .35F, .1F, .06F, kNostrils},     {0, .62F, .28F, .09F, kLips},
};

class Canvas {
 public:
  Canvas()
      : samples_(std::make_shared<std::vector<std::byte>>(kLuma + 2 * kChroma, std::byte{128})) {
    for (int y = 0; y < kSize.height; ++y)
      for (int x = 0; x < kSize.width; ++x) set(0, kSize.width, x, y, 56 + (x + y) % 220 / 2);
  }

  void draw_face(float x, float y, float half_height) {
    for (const Part& part : kFace)
      draw({x + part.x * half_height, y + part.y * half_height, part.radius_x * half_height,
            part.radius_y * half_height, part.color});
  }

  [[nodiscard]] Frame frame() && {
    Frame frame;
    frame.size = kSize;
    std::byte* const data = samples_->data();
    frame.planes[0] = {data, kSize.width};
    frame.planes[1] = {data + kLuma, kSize.width / 2};
    frame.planes[2] = {data + kLuma + kChroma, kSize.width / 2};
    frame.owner = std::move(samples_);
    return frame;
  }

 private:
  void set(std::size_t plane, int stride, int x, int y, int value) {
    (*samples_)[plane + static_cast<std::size_t>(y * stride + x)] = static_cast<std::byte>(value);
  }

  void draw(const Part& ellipse) {
    for (int y = 0; y < kSize.height; ++y)
      for (int x = 0; x < kSize.width; ++x) {
        const float across = (static_cast<float>(x) - ellipse.x) / ellipse.radius_x;
        const float down = (static_cast<float>(y) - ellipse.y) / ellipse.radius_y;
        if (across * across + down * down > 1) continue;
        set(0, kSize.width, x, y, ellipse.color.y);
        set(kLuma, kSize.width / 2, x / 2, y / 2, ellipse.color.u);
        set(kLuma + kChroma, kSize.width / 2, x / 2, y / 2, ellipse.color.v);
      }
  }

  std::shared_ptr<std::vector<std::byte>> samples_;
};

void check(const Detections& found) {
  if (found.size() == 0)
    throw Error(ErrorKind::device, "no candidate above a score of 0: the output is not a heat map");
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

Frame test_picture() {
  Canvas canvas;
  canvas.draw_face(90, 96, 60);
  canvas.draw_face(230, 80, 30);
  canvas.draw_face(285, 140, 18);
  return std::move(canvas).frame();
}

SelfTestResult self_test(detector::DetectorFactory& detectors, int timed) {
  const Frame frame = test_picture();
  const std::shared_ptr<detector::Detector> detector = detectors.detector(frame.upright());
  SelfTestResult result;
  result.network_size = detector->facts().network.value_or(frame.upright());
  std::vector<double> times;
  for (int round = 0; round <= timed; ++round) {
    const Clock::time_point begin = Clock::now();
    const std::unique_ptr<detector::DetectionRequest> request = detector->acquire({});
    request->prepare(frame);
    request->start();
    result.candidates = request->collect();
    if (round > 0) times.push_back(Interval{begin, Clock::now()}.milliseconds());
    check(result.candidates);
  }
  std::ranges::sort(times);
  result.milliseconds = times[times.size() / 2];
  return result;
}

SelfTestResult self_test_on_cuda(Device device, const detector::DetectorOptions& options) {
  const Frame frame = test_picture();
  pipeline::OneFrameResult found = detect_on_cuda(frame, device, options);
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

}  // namespace facepipe::app
