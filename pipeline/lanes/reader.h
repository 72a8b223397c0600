// The thread of a job that reads.
#pragma once

#include <cstdint>
#include <mutex>
#include <stop_token>

#include "core/timing.h"
#include "pipeline/job_plan.h"
#include "pipeline/lanes/feed.h"
#include "pipeline/lanes/lane_connections.h"
#include "video/notices.h"
#include "video/read/decoder.h"

namespace facepipe::pipeline {

/// Reads a job's input to its end, or to the end of the chosen range, and feeds the lanes. Its
/// eight members are what it reads, where that goes, and what it counts on the way.
class Reader {
 public:
  /// All that is referred to outlives it.
  Reader(const JobPlan& plan, OpenInput& input, LaneConnections& connections,
         video::Notices& notices)
      : plan_(plan),
        input_(input),
        connections_(connections),
        notices_(notices),
        ended_range_(input.begin.ended_range),
        working_(input.begin.reading) {}

  /// The thread's body.
  /// @param decoder  any lane's, which knows the chosen range
  /// @param failed   requested when the job has failed
  void run(const video::Decoder& decoder, const std::stop_token& failed);
  /// Nobody reads the input while the lock lives.
  [[nodiscard]] std::unique_lock<std::mutex> pause() { return std::unique_lock(reading_); }

  // What follows is meaningful when the thread has ended.
  /// Cuts between segments.
  [[nodiscard]] std::int64_t cuts() const { return cuts_; }
  /// A packet behind the chosen range has come.
  [[nodiscard]] bool ended_range() const { return ended_range_; }
  [[nodiscard]] Clock::duration working() const { return working_; }

 private:
  void read_into(Feed& feed, const video::Decoder& decoder);

  const JobPlan& plan_;
  OpenInput& input_;
  LaneConnections& connections_;
  video::Notices& notices_;
  std::mutex reading_;  // guards the input
  std::int64_t cuts_ = 0;
  bool ended_range_;
  Clock::duration working_;
};

}  // namespace facepipe::pipeline
