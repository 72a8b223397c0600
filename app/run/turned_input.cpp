#include "app/run/turned_input.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files/file_identity.h"
#include "detector/families.h"
#include "verify/looks.h"
#include "video/notices.h"
#include "video/read/frame_source.h"

namespace facepipe::app {
namespace {

/// The positions of the pictures, in sixths of the range. The first positions are far apart.
constexpr std::array kPlaces{0, 3, 1, 4, 2, 5};
constexpr int kMostDecoded = 32;
constexpr int kLargestSide = 640;
// sides of the searched pictures are multiples of this number, so few detectors are needed
constexpr int kSideStep = 160;
// Sampling ends early if at least kFewPictures pictures together show at least kSeveralFaces
// upright faces. There must also be at least twice as many upright faces as faces of any other
// turn.
constexpr std::size_t kFewPictures = 2;
constexpr std::int64_t kSeveralFaces = 3;

bool are_upright(const detector::FacesByTurn& found) {
  return found[0] >= kSeveralFaces &&
         found[0] >= 2 * *std::max_element(found.begin() + 1, found.end());
}

using DetectorsFor = std::function<std::shared_ptr<detector::DetectorFactory>(Size picture)>;

/// Samples some pictures of one input. The eight members of this class belong together, because
/// each sample needs all of them.
class Sampling {
 public:
  Sampling(const pipeline::JobOptions& job, DetectorsFor detectors_for, std::stop_token stop)
      : job_(job),
        detectors_for_(std::move(detectors_for)),
        stop_(std::move(stop)),
        notices_(job.input.name, video::NoticeLog::silent) {}

  [[nodiscard]] detector::FacesByTurn run() {
    const double from_s = job_.input.start_s.value_or(0);
    const double to_s = search_first_part(from_s);
    for (std::size_t i = 1; i < kPlaces.size() && to_s > from_s; ++i) {
      sample_near(from_s + (to_s - from_s) * kPlaces[i] / static_cast<double>(kPlaces.size()));
      if (seen_.size() >= kFewPictures && are_upright(found_)) break;
    }
    return found_;
  }

 private:
  /// Samples the first picture. Returns the end of the range, or 0 if it is unknown.
  [[nodiscard]] double search_first_part(double from_s) {
    video::FrameSource source = source_near(from_s);
    detectors_ = detectors_for_(source.upright());
    for (int turns = 0; turns < 4; ++turns)
      looks_.push_back(verify::Looks({{detectors_.get(), false, turns}}));
    sample_near(source, from_s);
    return std::min(source.duration_s(), job_.input.end_s.value_or(source.duration_s()));
  }

  /// Samples a picture near a time. Ignores an error, because pictures near other times may still
  /// be decodable.
  void sample_near(double time_s) {
    try {
      video::FrameSource source = source_near(time_s);
      sample_near(source, time_s);
    } catch (const Error& error) {
      spdlog::debug("{}: can't look for turned faces near {} s: {}", job_.input.name, time_s,
                    error.what());
    }
  }

  [[nodiscard]] video::FrameSource source_near(double time_s) {
    video::FrameSourceOptions options;
    options.references =
        job_.input.allow_references ? video::References::open : video::References::refuse;
    options.max_pixels = job_.input.max_pixels;
    options.threads = job_.resources.threads;
    if (time_s > 0) options.near_s = time_s;
    return {job_.input.name, options, notices_, stop_};
  }

  /// Searches the first frame at or after `time_s` for faces. If kMostDecoded frames are decoded
  /// before such a frame is found, searches the last of them.
  void sample_near(video::FrameSource& source, double time_s) {
    std::optional<video::DecodedFrame> frame = source.next();
    for (int i = 1; i < kMostDecoded && frame && source.seconds(frame->frame) < time_s; ++i) {
      std::optional<video::DecodedFrame> next = source.next();
      if (!next) break;
      frame = std::move(next);
    }
    if (frame && seen_.insert(frame->frame.pts).second) search(frame->frame);
  }

  /// Counts all faces that the detectors find.
  void search(const Frame& frame) {
    for (std::size_t turns = 0; turns < looks_.size(); ++turns)
      found_[turns] += static_cast<std::int64_t>(looks_[turns].find(frame, stop_).size());
  }

  const pipeline::JobOptions& job_;
  const DetectorsFor detectors_for_;
  const std::stop_token stop_;
  video::Notices notices_;
  std::shared_ptr<detector::DetectorFactory> detectors_;
  std::vector<verify::Looks> looks_;  // index: number of quarter turns
  detector::FacesByTurn found_{};
  std::set<std::int64_t> seen_;  // time stamps of frames
};

}  // namespace

std::optional<detector::FacesByTurn> TurnedInputs::faces_of(
    const pipeline::JobOptions& job, const detector::DetectorOptions& detector,
    const std::stop_token& stop) {
  if (!identity_of(job.input.name) || !detector::family_of(detector.model).traits.takes.detect_size)
    return std::nullopt;
  const auto detectors = [&](Size picture) { return detectors_for(picture, detector); };
  try {
    return Sampling(job, detectors, stop).run();
  } catch (const Error& error) {
    spdlog::debug("{}: can't look for turned faces: {}", job.input.name, error.what());
    return std::nullopt;
  }
}

/// Makes detectors for a square, so that turned pictures have the same scale as upright pictures.
std::shared_ptr<detector::DetectorFactory> TurnedInputs::detectors_for(
    Size picture, const detector::DetectorOptions& detector) {
  const Size usual = detector.detect_size.value_or(picture);
  const int steps = (std::max(usual.width, usual.height) + kSideStep - 1) / kSideStep;
  const int side = std::min(kLargestSide, steps * kSideStep);
  const std::scoped_lock lock(mutex_);
  std::shared_ptr<detector::DetectorFactory>& detectors = detectors_[side];
  if (detectors) return detectors;
  detector::DetectorOptions options = detector::with_one_look(detector, detector::kFaceThatCounts);
  options.detect_size = Size{side, side};
  options.requests = 1;
  options.library.reset();
  options.precision.reset();
  detectors = detector::make_detector_factory(Device{}, options);
  return detectors;
}

}  // namespace facepipe::app
