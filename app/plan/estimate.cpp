#include "app/plan/estimate.h"

#include <algorithm>
#include <cmath>

namespace facepipe::app {
namespace {

constexpr std::int64_t kKeyDistance = 250;

double share(double part, std::int64_t of) { return part / static_cast<double>(of); }

double seconds_of_frame(const Trial& trial) {
  if (trial.steady_fps > 0) return 1 / trial.steady_fps;
  return share(std::max(0.0, trial.wall_s - trial.startup_s), trial.frames);
}

double mean_seconds_of_frame(const std::vector<Trial>& trials) {
  double sum = 0;
  for (const Trial& trial : trials) sum += seconds_of_frame(trial);
  return sum / static_cast<double>(trials.size());
}

double estimated_seconds(const std::vector<Trial>& trials, const Work& work, Detector detector) {
  const Trial& first = trials.front();
  double startup_s = first.startup_s;
  if (detector == Detector::exists)
    for (const Trial& trial : trials) startup_s = std::min(startup_s, trial.startup_s);
  if (first.whole && first.frames == work.frames)
    return work.preparation_s + first.wall_s - first.startup_s + startup_s;
  const double edges_s =
      first.wall_s - first.startup_s - static_cast<double>(first.frames) * seconds_of_frame(first);
  const double frames_s = static_cast<double>(work.frames) * mean_seconds_of_frame(trials);
  return work.preparation_s + startup_s + std::max(0.0, edges_s + frames_s);
}

/// Returns the bytes of the video, if all of it is like the trial, and key frames are as rare as
/// the encoder makes them without cuts.
double bytes_with_few_keys(const Trial& trial, std::int64_t frames) {
  const auto video = static_cast<double>(trial.bytes.video);
  const auto key = static_cast<double>(trial.bytes.first_video);
  const std::int64_t keys = (frames + kKeyDistance - 1) / kKeyDistance;
  const double other = trial.frames > 1 ? share(video - key, trial.frames - 1) : video;
  return key * static_cast<double>(keys) + other * static_cast<double>(frames - keys);
}

/// Returns the same if key frames are as frequent as in the trial, which begins with one.
double bytes_with_many_keys(const Trial& trial, std::int64_t frames) {
  return share(static_cast<double>(trial.bytes.video), trial.frames) * static_cast<double>(frames);
}

/// Returns the bytes besides the video: the other streams, and what the container adds.
double side_file_bytes(const Trial& trial, const Work& work) {
  const video::OutputBytes& bytes = trial.bytes;
  const auto added = static_cast<double>(bytes.whole - bytes.video - bytes.others);
  const auto frames = static_cast<double>(work.frames);
  const double others = work.copied_bytes
                            ? static_cast<double>(*work.copied_bytes)
                            : share(static_cast<double>(bytes.others), trial.frames) * frames;
  return others + share(std::max(0.0, added), trial.frames) * frames;
}

ByteRange estimated_bytes(const std::vector<Trial>& trials, const Work& work) {
  const Trial& first = trials.front();
  if (first.whole && first.frames == work.frames) return {first.bytes.whole, first.bytes.whole};
  double low = 0;
  double high = 0;
  for (const Trial& trial : trials) {
    const double beside = side_file_bytes(trial, work);
    const auto [few, many] = std::minmax(
        {bytes_with_few_keys(trial, work.frames), bytes_with_many_keys(trial, work.frames)});
    const double least = few * (1 - kSizeMargin) + beside;
    const double most = many * (1 + kSizeMargin) + beside;
    low = &trial == &first ? least : std::min(low, least);
    high = std::max(high, most);
  }
  return {std::llround(low), std::llround(high)};
}

}  // namespace

double steady_speed(const std::vector<FramePoint>& frames) {
  if (frames.empty()) return 0;
  double begin = frames.front().done_s;
  double end = begin;
  for (const FramePoint& frame : frames) {
    begin = std::min(begin, frame.done_s);
    end = std::max(end, frame.worked_s);
  }
  const auto count = std::ranges::count_if(
      frames, [&](const FramePoint& frame) { return frame.worked_s > begin; });
  if (static_cast<std::size_t>(count) < kSteadyFrames) return 0;
  return static_cast<double>(count) / (end - begin);
}

Estimate estimated(const std::vector<Trial>& trials, const Work& work, Detector detector) {
  Estimate estimate;
  const double frame_s = mean_seconds_of_frame(trials);
  if (frame_s > 0) estimate.fps = 1 / frame_s;
  if (work.frames <= 0) return estimate;
  estimate.seconds = estimated_seconds(trials, work, detector);
  if (work.video) estimate.bytes = estimated_bytes(trials, work);
  return estimate;
}

}  // namespace facepipe::app
