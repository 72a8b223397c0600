#include "verify/looks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "detector/mirror.h"
#include "detector/tiling.h"
#include "detector/turned_faces.h"
#include "track/matching.h"
#include "track/tracker.h"
#include "verify/grey.h"

namespace facepipe::verify {
namespace {

constexpr int kLargestSide = 8192;
constexpr int kSmallestSide = 64;
constexpr float kSamePlace = 0.3F;  // an IoU

Detections run(detector::Detector& detector, const Frame& frame, const std::stop_token& stop) {
  const std::unique_ptr<detector::DetectionRequest> request = detector.acquire(stop);
  request->prepare(frame);
  request->start();
  return request->collect();
}

/// Returns a frame of the same samples, mirrored and turned as the look says.
Frame view_for(const Look& look, const Frame& frame) {
  return detector::turned_view(look.mirrored ? detector::mirrored_view(frame) : view_of(frame),
                               look.quarter_turns);
}

/// Returns where a box of the look's picture lies in the frame's upright picture, which has the
/// size `upright`.
Box box_in_frame(const Box& box, const Look& look, Size upright) {
  const Box there = turned_back(box, look.quarter_turns, upright);
  return look.mirrored ? detector::mirrored(there, upright.width) : there;
}

}  // namespace

std::optional<Size> enlarged_size(Size usual) {
  const Size size{usual.width * 3 / 2, usual.height * 3 / 2};
  const bool fits = std::max(size.width, size.height) <= kLargestSide &&
                    std::int64_t{size.width} * size.height <= detector::kLargestUntiled;
  return fits ? std::optional(size) : std::nullopt;
}

std::optional<Size> reduced_size(Size usual) {
  const Size size{usual.width / 2, usual.height / 2};
  return std::min(size.width, size.height) >= kSmallestSide ? std::optional(size) : std::nullopt;
}

bool is_among(const Box& box, const std::vector<Box>& boxes) {
  return std::ranges::any_of(
      boxes, [&](const Box& other) { return track::iou(box, other) >= kSamePlace; });
}

Looks::Looks(std::vector<Look> looks)
    : looks_(std::move(looks)), suppressor_(nms::NmsOptions{}, nms::kMaxNmsCapacity) {
  if (!looks_.empty()) scales_ = scales_of(looks_.front().detectors->classes());
}

Detections Looks::find(const Frame& frame, const std::stop_token& stop) {
  Detections all;
  for (const Look& look : looks_) {
    if (stop.stop_requested()) throw Stopped();
    const Frame view = view_for(look, frame);
    const Detections found = run(*look.detectors->detector(view.upright()), view, stop);
    for (std::size_t i = 0; i < found.size(); ++i) {
      all.push_back(box_in_frame(found.boxes[i], look, frame.upright()), found.scores[i]);
      all.set_class_of_last(found.class_of(i));
    }
  }
  return merged(all);
}

Detections Looks::find_in_all_planes(const Frame& frame, const std::stop_token& stop) {
  Detections all = find(frame, stop);
  const std::optional<Frame> alpha = alpha_view(frame);
  if (!alpha) return all;
  append(all, find(*alpha, stop));
  return merged(all);
}

Detections Looks::merged(const Detections& found) {
  const nms::NmsKept kept = suppressor_.run(found);
  Detections best;
  for (const std::uint32_t i : kept.indices)
    if (best.size() < track::kMostDetections)
      best.push_back(found.boxes[i], found.scores[i], found, i);
  return best;
}

}  // namespace facepipe::verify
