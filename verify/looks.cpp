#include "verify/looks.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "detector/cnn/model/tiling.h"
#include "detector/mirror.h"
#include "track/tracker.h"

namespace facepipe {
namespace {

static_assert(kMostSeen == kMostDetections);

constexpr int kLargestSide = 8192;
constexpr int kSmallestSide = 64;

Detections run(Detector& detector, const Frame& frame, const std::stop_token& stop) {
  const std::unique_ptr<DetectionRequest> request = detector.acquire(stop);
  request->prepare(frame);
  request->start();
  return request->collect();
}

}  // namespace

std::optional<Size> enlarged_size(Size usual) {
  const Size size{usual.width * 3 / 2, usual.height * 3 / 2};
  const bool fits = std::max(size.width, size.height) <= kLargestSide &&
                    std::int64_t{size.width} * size.height <= kLargestUntiled;
  return fits ? std::optional(size) : std::nullopt;
}

std::optional<Size> reduced_size(Size usual) {
  const Size size{usual.width / 2, usual.height / 2};
  return std::min(size.width, size.height) >= kSmallestSide ? std::optional(size) : std::nullopt;
}

Looks::Looks(std::vector<Look> looks)
    : looks_(std::move(looks)), suppressor_(NmsOptions{}, kMaxNmsCapacity) {}

Detections Looks::find(const Frame& frame, const std::stop_token& stop) {
  Detections all;
  for (const Look& look : looks_) {
    if (stop.stop_requested()) throw Stopped();
    const std::shared_ptr<Detector> detector = look.detectors->detector(frame.upright());
    const Detections found =
        look.mirrored ? run(*detector, mirrored_view(frame), stop) : run(*detector, frame, stop);
    for (std::size_t i = 0; i < found.size(); ++i)
      all.push_back(
          look.mirrored ? mirrored(found.boxes[i], frame.upright().width) : found.boxes[i],
          found.scores[i]);
  }
  return merged(all);
}

Detections Looks::merged(const Detections& found) {
  const NmsKept kept = suppressor_.run({found.boxes, found.scores});
  Detections best;
  for (const std::uint32_t i : kept.indices)
    if (best.size() < kMostSeen) best.push_back(found.boxes[i], found.scores[i]);
  return best;
}

}  // namespace facepipe
