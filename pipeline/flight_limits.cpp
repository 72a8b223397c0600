#include "pipeline/flight_limits.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace facepipe::pipeline {
namespace {

// So many frames of a lane keep an H100 busy; more would only wait. Several lanes need fewer each;
// if they encode, one frame can be searched while another is encoded.
constexpr int kInFlight = 4;
constexpr int kInFlightOfLanes = 1;
constexpr int kInFlightOfEncodingLanes = 2;
constexpr std::int64_t kPixelsInFlight = std::int64_t{1} << 27;

// So many frames of a lane that hides are on their way to the tracker, between its two threads, in
// the second one's hand, and on their way back.
constexpr int kBetweenStages = 4;
// A lane's encoder and the queue before it hold so many hidden frames, besides those that wait.
constexpr int kHiddenInFlight = 4;
// Frames of a lane that wait for their segment's turn: so many are worth another lane, and no more
// are of use where there is a cut each few seconds.
constexpr int kLeastOfLane = 32;
constexpr int kMostOfLane = 256;
// What waits in lanes takes such a part of a device's free memory at most.
constexpr std::int64_t kShareOfFreeMemory = 4;
// Room that the segment whose turn it is always has, beside the look-ahead.
constexpr int kRoomOfHead = 16;

/// Returns how many waiting frames `memory` holds. A frame takes six bytes for each two pixels, or
/// its small luma if pictures aren't kept.
int frames_in(std::int64_t memory, const video::Demuxer& demuxer, bool keeps_pictures) {
  const AVCodecParameters& video = *demuxer.video().codecpar;
  const std::int64_t pixels = std::int64_t{video.width} * video.height;
  const std::int64_t bytes = std::max<std::int64_t>(1, keeps_pictures ? pixels * 3 : pixels / 2);
  return static_cast<int>(std::min<std::int64_t>(memory / bytes, INT_MAX));
}

/// Returns how many frames may wait for a frame that is searched, or else 0. They are on their way,
/// too. Where faces are hidden, they wait behind the frames in flight.
int frames_between(const JobOptions& options) {
  return options.hide ? 0 : options.search.every - 1;
}

/// Returns how many of the tracker's frames count as held.
int held_by_tracker(const JobOptions& options, const HideCapacity& frames) {
  return options.output.path.empty() ? 0 : frames.waiting;
}

/// Counts frames for one lane: some that are held are between the stages, not waiting.
HideCapacity frames_to_hide(const JobOptions& options, const video::Demuxer& demuxer,
                            int in_flight) {
  const HideJob& hide = *options.hide;
  HideCapacity frames;
  frames.waiting =
      std::min(frames_ahead(hide, demuxer), std::max(1, frames_in(hide.most_bytes, demuxer, true)));
  frames.held = held_by_tracker(options, frames) + kBetweenStages + in_flight;
  frames.pictures = frames.waiting + kBetweenStages + kHiddenInFlight;
  return frames;
}

}  // namespace

int frames_ahead(const HideJob& hide, const video::Demuxer& demuxer) {
  if (hide.known) return 0;
  const double rate = static_cast<double>(demuxer.frame_rate().num) / demuxer.frame_rate().den;
  const double wanted = std::ceil(hide.tracks.look_ahead_s * rate) + 1;
  return static_cast<int>(std::clamp<double>(wanted, 1, track::kMostWaitingFrames));
}

FlightLimits flight_limits(const JobOptions& options, const video::Demuxer& demuxer,
                           const Backend& backend) {
  const AVCodecParameters& video = *demuxer.video().codecpar;
  const std::int64_t pixels = std::int64_t{video.width} * video.height;
  const auto most = static_cast<int>(std::clamp<std::int64_t>(kPixelsInFlight / pixels, 2, 1024));
  constexpr int kDecodedAndBetween = 2;
  const bool one = demuxer.is_still_image();
  FlightLimits limits;
  const int wanted =
      options.resources.frames_in_flight > 0 ? options.resources.frames_in_flight : kInFlight;
  limits.frames = one ? 1 : std::min(wanted, most);
  if (!one) limits.frames += frames_between(options);
  if (options.hide) limits.hiding = frames_to_hide(options, demuxer, limits.frames);
  limits.frames_alive =
      one ? 1 : limits.frames + backend.frames_held_by_codecs() + kDecodedAndBetween;
  return limits;
}

int frames_of_each_lane(const JobOptions& options) {
  const bool encodes = !options.output.path.empty();
  return (encodes ? kInFlightOfEncodingLanes : kInFlightOfLanes) + frames_between(options);
}

LaneRoom::LaneRoom(const JobOptions& options, const video::Demuxer& demuxer,
                   const FlightLimits& limits, std::int64_t memory)
    : frames_(frames_in(memory, demuxer, !options.output.path.empty())),
      of_head_(held_by_tracker(options, limits.hiding) + kRoomOfHead) {
  if (options.resources.shared) frames_ /= options.resources.shared->count;
}

int LaneRoom::lanes() const { return std::max(1, 1 + (frames_ - of_head_) / kLeastOfLane); }

void LaneRoom::give(int lanes, FlightLimits& limits) const {
  limits.hiding.held = std::min<int>(frames_, of_head_ + lanes * kMostOfLane);
  limits.hiding.pictures = limits.hiding.held;
  limits.max_held_later_segments = limits.hiding.held - of_head_;
}

std::int64_t lent_by_device(const Backend& backend) {
  return backend.free_memory() / kShareOfFreeMemory;
}

}  // namespace facepipe::pipeline
