// Measures how long frames are in each stage, and in how much of a run each stage works.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "core/histogram.h"
#include "core/timing.h"

namespace facepipe::pipeline {

/// Summarizes one stage of one or more runs.
struct StageRow {
  StageId stage = StageId::read;
  Percentiles in_stage_ms;  ///< time that a frame is in the stage, waiting included
  double work_ms = 0;       ///< the stage's working time divided by the number of its frames
  double share = 0;         ///< the stage's working time divided by the runs' wall time (start-up
                            ///< included); the mean over the lanes if each lane has the stage
  Percentiles own_cpu_ms;   ///< FrameTimes::cpu_ms: CPU time of our own code, without codecs and
                            ///< engines
};

/// Measures the working time of each stage. Nothing is counted twice.
/// * read, decode, encode, mux: the wall time of the stage's thread, minus its waits for output of
///   the previous stage and for room in the next stage. Work of a codec's threads counts only while
///   the stage's thread waits for it. In mux, writing the records and waiting for a slow disk
///   count, too. The work of the thread that writes the video's file doesn't count.
/// * preprocess, inference, nms, overlay: the time in which at least one frame was in the stage. On
///   CUDA, the device's clock measures it, if JobOptions::wants_stage_times is set. Otherwise all
///   work of the device for a frame counts as inference.
/// Each lane has its own stages from decode to encode. The working times of the lanes are added.
///
/// Takes 24 KB for each stage, independent of the number of frames. Not thread-safe.
class StageTimes {
 public:
  /// Adds the times of a frame. The frames of a lane must come in presentation order.
  void add(const FrameTimes& times, int lane = 0);
  /// Adds working time of read, decode, encode or mux.
  void add_work(StageId stage, Clock::duration work);
  /// Adds the wall time of a run. It includes `startup_s`.
  void add_run(double wall_s, double startup_s, int lanes = 1);
  /// Adds the frames and runs of `other`.
  void merge(const StageTimes& other);

  /// Returns the stages that ran, in order.
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
    std::map<int, Clock::time_point> busy_until;  ///< by lane: the latest end of a frame's interval
  };

  std::array<Stage, kStageCount> stages_;
  Histogram total_;
  Histogram latency_;
  double wall_s_ = 0;
  double lanes_wall_s_ = 0;  // the sum of (wall time x number of lanes) over all runs
  double startup_s_ = 0;
};

/// Returns the row with the largest share: this stage limits the speed. nullopt without rows.
[[nodiscard]] std::optional<StageRow> bounding_stage(const std::vector<StageRow>& rows);

}  // namespace facepipe::pipeline
