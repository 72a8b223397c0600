// What one job did: everything that the report tells about one input.
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
#include "track/track_file.h"
#include "video/read/ledger.h"

namespace facepipe::pipeline {

/// What one device did for a job.
struct DeviceShare {
  Device device;
  int lanes = 0;
  std::int64_t frames = 0;
  std::string failure;  ///< empty if it works; else other devices did what it left
};

/// On how many decoders at once one input is decoded.
struct LanePlan {
  int count = 1;        ///< in the plan: at most; in the result: those that worked on it
  std::string why_one;  ///< why there is one lane, if more were possible or asked for
  std::vector<DeviceShare> failed;  ///< devices that could not be made ready, and have no lane
};

/// Copies of one kind between host and device, or of whole pictures on the device.
struct CopySum {
  std::string kind;
  std::string direction;  ///< "to device", "to host" or "on device"
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
};

/// Counts what was found in all frames.
struct FoundCounts {
  std::int64_t searched = 0;  ///< frames that a detector has looked at
  std::int64_t faces = 0;
  std::int64_t candidates = 0;
  std::int64_t candidates_ignored = 0;  ///< those that suppression had no room for
};

/// Tells how the network looked at pictures. It is empty for detectors without a network.
struct NetworkUse {
  std::optional<Size> size;  ///< of the network's input, or of a tile if there are tiles
  std::optional<detector::Tiling> tiling;  ///< if pictures are too large for one run of the network
};

/// Tells which lanes and devices the job used, and what it copied.
struct ResourceUse {
  LanePlan lanes;
  std::int64_t cuts = 0;             ///< between segments for lanes
  std::vector<DeviceShare> devices;  ///< that had lanes, or were to have some
  std::vector<CopySum> copies;       ///< on CUDA: each kind, even if there was no such copy
};

struct CodecNames {
  std::string decoder;      ///< FFmpeg's name
  std::string encoder;      ///< FFmpeg's name ("libx264") or "nvjpeg"; empty without video
  std::string video_codec;  ///< the input's
  std::string container;    ///< FFmpeg's name of the output format; empty without video
};

struct JobTimes {
  double wall_s = 0;     ///< from the begin of run_job() until the output is finished
  double startup_s = 0;  ///< the part of it before the first frame goes to the ready detector
  double cpu_s = 0;  ///< of all threads of this process meanwhile, in libraries and other jobs too
  double fps = 0;    ///< decoded frames by wall_s - startup_s
  std::vector<StageRow> stages;  ///< those that ran, in order
  Percentiles total_ms;          ///< FrameTimes::total_ms() of all frames
  Percentiles latency_ms;        ///< FrameTimes::latency_ms()
};

/// Everything that the report tells of a job. There are more than seven members: each is a fact of
/// its own.
struct JobResult {
  video::FrameLedger ledger;
  /// Packets of sound and other streams that are damaged, so that the output can't hold them.
  std::int64_t side_packets_lost = 0;
  FoundCounts counts;
  Size size;  ///< upright picture
  NetworkUse network;
  ResourceUse resources;
  CodecNames codecs;
  JobTimes times;
  std::string early_end;  ///< why FrameLedger::ended_early; empty if that is false
  /// HideJob::turned_too of a job that hides: its faces were found turned so in the pixels.
  int turned_faces = 0;
  std::vector<std::string> notices;  ///< what was dropped, converted, mended: one sentence each
  /// With HideJob::wants_tracks, if all frames have been tracked. The caller fills in the input's
  /// SHA-256.
  std::shared_ptr<track::TrackFile> tracks;
  bool interrupted = false;  ///< the stop was requested; the output is a playable part
  /// Why the output is only a part although nobody asked for that: the disk is full, or the input
  /// could not be read to its end. If the job hides faces, any failure between reading and writing.
  std::optional<Error> failure;
  /// Where the video is: the final name, or the partial one; of a sequence the name with the place
  /// for the number.
  std::filesystem::path output;

  /// Nothing of the input was damaged or missing.
  [[nodiscard]] bool intact() const { return ledger.intact() && side_packets_lost == 0; }
  /// Says in a line what was damaged or missing; empty if nothing was.
  [[nodiscard]] std::string damage() const;
};

}  // namespace facepipe::pipeline
