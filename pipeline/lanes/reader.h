// Declares Reader, the work of a job's reading thread.
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

/// Reads a job's input to its end, or to the end of the chosen range, and gives the packets to the
/// lanes. Its nine members are the input, the target of the packets, and counters.
class Reader {
 public:
  /// The arguments must outlive this object.
  Reader(const JobPlan& plan, OpenInput& input, LaneConnections& connections,
         video::Notices& notices)
      : plan_(plan),
        input_(input),
        connections_(connections),
        notices_(notices),
        ended_range_(input.begin.ended_range),
        working_(input.begin.reading) {}

  /// Reads to the end. The job's thread "read" calls this.
  /// @param decoder  the decoder of any lane; it knows the chosen range
  /// @param failed   requested when the job has failed
  void run(const video::Decoder& decoder, const std::stop_token& failed);
  /// Returns a lock. While the caller holds the lock, the thread doesn't read the input.
  [[nodiscard]] std::unique_lock<std::mutex> pause() { return std::unique_lock(reading_); }

  // The following functions are valid after the thread has ended.
  /// Returns the number of cuts between segments.
  [[nodiscard]] std::int64_t cuts() const { return cuts_; }
  /// Returns whether the chosen range ended before the input.
  [[nodiscard]] bool ended_range() const { return ended_range_; }
  /// Returns whether the packets of the job's part are those with which it was planned.
  [[nodiscard]] bool read_part() const { return read_part_; }
  [[nodiscard]] Clock::duration working() const { return working_; }

 private:
  void read_into(Feed& feed, const video::Decoder& decoder);

  const JobPlan& plan_;
  OpenInput& input_;
  LaneConnections& connections_;
  video::Notices& notices_;
  std::mutex reading_;  // guards the input
  std::int64_t cuts_ = 0;
  bool read_part_ = false;
  bool ended_range_;
  Clock::duration working_;
};

}  // namespace facepipe::pipeline
