// How long frames are in each stage, and how much of a run each stage works.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "core/histogram.h"
#include "core/timing.h"

namespace facepipe::pipeline {

/// One stage of one or more runs.
struct StageRow {
  StageId stage = StageId::read;
  Percentiles in_stage_ms;  ///< from a frame's begin in the stage to its end, waiting included
  double work_ms = 0;       ///< the stage's own working time, for each frame that was in it
  double share = 0;        ///< of the runs' wall time, start-up included, in which it worked; where
                           ///< several lanes have the stage, the mean of theirs
  Percentiles own_cpu_ms;  ///< FrameTimes::cpu_ms: of our own code, not of codecs and engines
};

/// Working time of a stage, in which nothing is counted twice:
/// * read, decode, encode, mux: the wall time of the stage's thread, less what it waits for packets
///   or frames from the stage before and for room in the next one. Threads of a codec work in it
///   where the stage waits for them, and unseen beside it where it doesn't. mux includes the
///   writing of the records, and waits for a disk that is slower than it; else the thread that
///   writes the video's file works unseen beside it.
/// * preprocess, inference, nms, overlay: the time in which at least one frame was in the stage;
///   on CUDA by the device's clock, where JobOptions::wants_stage_times asks for it, and else all
///   that the device does for a frame counts as inference.
/// Of several lanes, each of which has its own decode to encode, the working times are added.
///
/// 24 KB a stage, whatever the number of frames. Not thread-safe.
class StageTimes {
 public:
  /// A frame's; those of a lane in presentation order.
  void add(const FrameTimes& times, int lane = 0);
  /// Working time of read, decode, encode and mux.
  void add_work(StageId stage, Clock::duration work);
  /// A run's, of which `startup` is a part.
  void add_run(double wall_s, double startup_s, int lanes = 1);
  /// Adds the runs of another one.
  void merge(const StageTimes& other);

  /// Stages that ran, in order.
  [[nodiscard]] std::vector<StageRow> rows() const;
  [[nodiscard]] Percentiles total_ms() const { return total_.percentiles(); }
  [[nodiscard]] Percentiles latency_ms() const { return latency_.percentiles(); }
  [[nodiscard]] bool empty() const { return total_.count() == 0; }
  [[nodiscard]] double wall_s() const { return wall_s_; }
  [[nodiscard]] double startup_s() const { return startup_s_; }

 private:
  struct Stage {
    Histogram in_stage_ms;
    Histogram own_cpu_ms;
    Clock::duration work{};
    std::map<int, Clock::time_point> busy_until;  ///< by lane: the latest end of a frame in it
  };

  std::array<Stage, kStageCount> stages_;
  Histogram total_;
  Histogram latency_;
  double wall_s_ = 0;
  double lanes_wall_s_ = 0;  // each run's as often as it had lanes
  double startup_s_ = 0;
};

/// The one that works the largest share of the runs: to be sped up first. None without rows.
[[nodiscard]] std::optional<StageRow> bounding_stage(const std::vector<StageRow>& rows);

}  // namespace facepipe::pipeline
