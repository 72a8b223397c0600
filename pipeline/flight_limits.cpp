#include "pipeline/flight_limits.h"

#include <algorithm>
#include <climits>
#include <cmath>

namespace facepipe::pipeline {
namespace {

// The default numbers of frames of a lane between decoder and encoder. Four frames keep an H100
// busy; more would only wait. Each of several lanes needs fewer. If such a lane encodes, it needs
// two: one frame is searched while another frame is encoded.
constexpr int kInFlight = 4;
constexpr int kInFlightOfLanes = 1;
constexpr int kInFlightOfEncodingLanes = 2;
constexpr std::int64_t kPixelsInFlight = std::int64_t{1} << 27;

// Frames of a lane that hides faces, one at each of these points: on the way to the tracker,
// between the tracker's two threads, in its second thread, and on the way back.
constexpr int kBetweenStages = 4;
// Hidden frames in a lane's encoder and in the queue before it. They don't wait for a verdict.
constexpr int kHiddenInFlight = 4;
// Frames of a lane that wait until the tracker comes to their segment. A further lane is worth its
// cost if 32 of its frames can wait. More than 256 waiting frames are of no use, because cuts are a
// few seconds apart.
constexpr int kLeastOfLane = 32;
constexpr int kMostOfLane = 256;
// Frames that wait in lanes use at most 1 / kShareOfFreeMemory of a device's free memory.
constexpr std::int64_t kShareOfFreeMemory = 4;
// Frames that are reserved for the segment that is tracked next, besides the look-ahead.
constexpr int kRoomOfHead = 16;

/// Returns how many waiting frames fit into `memory` (bytes). A frame takes six bytes for each two
/// pixels. If pictures aren't kept, only the frame's small luma takes memory.
int frames_in(std::int64_t memory, const video::Demuxer& demuxer, bool keeps_pictures) {
  const AVCodecParameters& video = *demuxer.video().codecpar;
  const std::int64_t pixels = std::int64_t{video.width} * video.height;
  const std::int64_t bytes = std::max<std::int64_t>(1, keeps_pictures ? pixels * 3 : pixels / 2);
  return static_cast<int>(std::min<std::int64_t>(memory / bytes, INT_MAX));
}

/// Returns how many frames wait for the next searched frame (SearchOptions::every). They count as
/// frames in flight. Returns 0 if faces are hidden, because the frames then wait in the tracker.
int frames_between(const JobOptions& options) {
  return options.hide ? 0 : options.search.every - 1;
}

/// Returns whether frames keep their pictures while they wait: until they are encoded, or until the
/// tracker has looked at them again.
bool keeps_pictures(const JobOptions& options) {
  return !options.output.path.empty() || looks_again(options);
}

/// Returns how many of the frames in the tracker count as held: none if nothing is written, because
/// the tracker has then looked at their pictures already.
int held_by_tracker(const JobOptions& options, const HideCapacity& frames) {
  return options.output.path.empty() ? 0 : frames.waiting;
}

/// Returns the capacity for one lane. Held frames either wait in the tracker, or are in flight, or
/// are between stages.
HideCapacity frames_to_hide(const JobOptions& options, const video::Demuxer& demuxer,
                            int in_flight) {
  const HideJob& hide = *options.hide;
  HideCapacity frames;
  frames.waiting =
      std::min(frames_ahead(hide, demuxer), std::max(1, frames_in(hide.most_bytes, demuxer, true)));
  frames.held = held_by_tracker(options, frames) + kBetweenStages + in_flight;
  frames.pictures =
      options.output.path.empty() ? frames.held : frames.waiting + kBetweenStages + kHiddenInFlight;
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
    : frames_(frames_in(memory, demuxer, keeps_pictures(options))),
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
