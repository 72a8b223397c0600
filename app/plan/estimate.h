// Computes what a job takes from what trials of it have measured. Arithmetic only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "video/write/output_bytes.h"

namespace facepipe::app {

/// Holds the measurements of one trial: a job that ran on a part of its input.
struct Trial {
  double from_s = 0;        ///< where the part begins, in seconds of the chosen range
  std::int64_t frames = 0;  ///< > 0
  double startup_s = 0;     ///< the part of wall_s before the first frame was worked on
  double wall_s = 0;
  double steady_fps = 0;  ///< steady_speed(); 0 if the trial was too short for it
  video::OutputBytes bytes;
  bool whole = false;  ///< the part is the whole range
};

/// Says when the host had done what is done to a frame before it is encoded, and when the frame was
/// complete. Both are in seconds since the same moment.
struct FramePoint {
  double worked_s = 0;
  double done_s = 0;
};

/// Returns the frames a second while all stages were busy: from the moment when the first frame was
/// complete, because the queues and the encoder's look-ahead are full from then on, until the last
/// frame entered the encoder. Returns 0 if fewer than kSteadyFrames frames are in this time.
[[nodiscard]] double steady_speed(const std::vector<FramePoint>& frames);
inline constexpr std::size_t kSteadyFrames = 12;

/// Says what a job must do.
struct Work {
  std::int64_t frames = 0;   ///< in the chosen range; 0 if unknown
  double preparation_s = 0;  ///< before the job: hashing, looking for turned faces
  bool video = true;         ///< whether it writes video
  /// Bytes of the streams that are copied; nullopt: as many as in the trials
  std::optional<std::int64_t> copied_bytes;
};

struct ByteRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct Estimate {
  double fps = 0;                  ///< while all stages are busy
  std::optional<double> seconds;   ///< nullopt if the number of frames is unknown
  std::optional<ByteRange> bytes;  ///< nullopt without video, or if the number is unknown
};

/// Says whether a job finds a detector for its pictures, because an earlier job has made it.
enum class Detector { is_made, exists };

/// Estimates time and size of the work from at least one trial.
///
/// The time is the sum of the preparation, the start-up of the first trial, the time that the first
/// trial needed to fill and to empty the queues, and the mean time of a frame over all trials. If
/// `Detector::exists`, the shortest start-up of all trials counts instead. If a trial is the whole
/// range, its own time counts.
///
/// The size is a range. Each trial begins with a key frame, so a trial has more key frames for its
/// length than the whole video, unless the video has many cuts. So the smallest result of a trial
/// has a key frame every 250 frames (x264's and x265's default), and the largest result has as many
/// as the trial. The range goes from the smallest result of all trials to the largest one, and is
/// kSizeMargin wider on both sides, because the trials have seen only a part of the video.
[[nodiscard]] Estimate estimated(const std::vector<Trial>& trials, const Work& work,
                                 Detector detector);
inline constexpr double kSizeMargin = 0.1;

}  // namespace facepipe::app
