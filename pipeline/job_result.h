// Holds the result of one job: everything that the report says about one input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/error.h"
#include "core/geometry.h"
#include "core/histogram.h"
#include "detector/detector.h"
#include "pipeline/stage_times.h"
#include "pipeline/track_counts.h"
#include "track/track_file.h"
#include "video/read/ledger.h"

namespace facepipe::pipeline {

/// Says how much of a job one device has done.
struct DeviceShare {
  Device device;
  int lanes = 0;
  std::int64_t frames = 0;
  std::string failure;  ///< why it failed (other devices then repeated its unfinished work); empty
                        ///< if it works
};

/// Says how many lanes decode one input.
struct LanePlan {
  int count = 1;        ///< in the plan: the most lanes; in the result: the lanes that were used
  std::string why_one;  ///< why there is only one lane, if more were possible or wanted
  std::vector<DeviceShare> failed;  ///< devices that failed while lanes were prepared
};

/// Counts the copies of one kind (CopyKind). They are copies between host and device, or copies of
/// whole pictures on the device.
struct CopySum {
  std::string kind;
  std::string direction;  ///< "to device", "to host" or "on device"
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
};

/// Counts searched frames, faces and candidates of a job.
struct FoundCounts {
  std::int64_t searched = 0;  ///< frames that a detector has searched
  std::int64_t faces = 0;
  std::int64_t candidates = 0;
  std::int64_t candidates_ignored = 0;  ///< candidates that suppression had no room for
};

/// Says how the network searched pictures. It is empty for detectors without a network.
struct NetworkUse {
  std::optional<Size> size;  ///< size of the network's input, or of a tile if there are tiles
  std::optional<detector::Tiling> tiling;  ///< set if pictures are too large for one network run
};

/// Says which lanes and devices the job used, and which copies it made.
struct ResourceUse {
  LanePlan lanes;
  std::int64_t cuts = 0;             ///< cuts between segments
  std::vector<DeviceShare> devices;  ///< devices that had lanes, or failed before they had one
  std::vector<CopySum> copies;       ///< on CUDA: all kinds, even those with no copy
};

struct CodecNames {
  std::string decoder;      ///< FFmpeg's name
  std::string encoder;      ///< FFmpeg's name ("libx264") or "nvjpeg"; empty without video
  std::string video_codec;  ///< FFmpeg's name of the input's codec
  std::string container;    ///< FFmpeg's name of the output format; empty without video
};

struct JobTimes {
  double wall_s = 0;     ///< from the begin of run_job() until the output is finished
  double startup_s = 0;  ///< the part of wall_s before the detector gets the first frame
  double cpu_s = 0;  ///< CPU time of the whole process in wall_s, other jobs and libraries included
  double fps = 0;    ///< decoded frames / (wall_s - startup_s)
  std::vector<StageRow> stages;  ///< the stages that ran, in order
  Percentiles total_ms;          ///< FrameTimes::total_ms() of all frames
  Percentiles latency_ms;        ///< FrameTimes::latency_ms()
};

/// Everything that the report says about a job. It has more than seven members, because each is a
/// separate fact.
struct JobResult {
  video::FrameLedger ledger;
  /// Damaged packets of sound and other streams, which the output can't hold.
  std::int64_t side_packets_lost = 0;
  FoundCounts counts;
  Size size;  ///< size of the upright picture
  NetworkUse network;
  ResourceUse resources;
  CodecNames codecs;
  JobTimes times;
  std::string early_end;  ///< why FrameLedger::ended_early is true; empty if it is false
  /// HideJob::turned_too, if the job hides faces; 0 otherwise.
  int turned_faces = 0;
  std::vector<std::string> notices;  ///< sentences about what was dropped, converted or mended
  /// The tracks, with HideJob::wants_tracks and if all frames have been tracked. The caller fills
  /// in the input's SHA-256.
  std::shared_ptr<track::TrackFile> tracks;
  std::optional<TrackCounts> track_counts;  ///< set if the job hides faces, or only tracks them
  bool interrupted = false;  ///< the stop was requested; the output is a playable part
  /// Why the output is incomplete although nobody requested a stop: the disk is full, or the input
  /// could not be read to its end. If the job hides faces, it may be any failure between reading
  /// and writing.
  std::optional<Error> failure;
  bool failure_passes = false;  ///< another attempt may not meet the failure (PassingError)
  /// The video's path: its final or its partial name; empty if there is none. For a sequence of
  /// pictures, the name with the placeholder for the number.
  std::filesystem::path output;

  /// Returns whether nothing of the input was damaged or missing.
  [[nodiscard]] bool intact() const { return ledger.intact() && side_packets_lost == 0; }
  /// Returns a line that says what was damaged or missing; empty if nothing was.
  [[nodiscard]] std::string damage() const;
  /// Throws the failure, as a PassingError if it passes. There must be a failure.
  [[noreturn]] void throw_failure() const;
};

}  // namespace facepipe::pipeline
