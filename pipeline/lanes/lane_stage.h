// Declares LaneStage, the work of one thread of a lane.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"

namespace facepipe::pipeline {

/// How long a stage waits for more work before it asks its codec for the pictures that the codec
/// still holds.
inline constexpr auto kPatience = std::chrono::milliseconds(20);

/// Takes frames from the previous stage, and gives them to the next stage. One thread calls run().
/// If run() throws, the same thread calls end().
class LaneStage {
 public:
  LaneStage() = default;
  virtual ~LaneStage() = default;
  LaneStage(const LaneStage&) = delete;
  LaneStage& operator=(const LaneStage&) = delete;

  /// Returns the thread's name.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Works until the end of the stream, and then closes the queue to the next stage.
  virtual void run() = 0;
  /// Replaces the rest of run() after an error: drops all frames that the previous stage still
  /// gives, and closes the queue to the next stage.
  virtual void end() = 0;

  /// Returns the segment of the frame that the stage works on. An error of run() belongs to this
  /// segment.
  [[nodiscard]] std::int64_t segment() const { return segment_; }

 protected:
  void set_segment(std::int64_t segment) { segment_ = segment; }
  /// Drops all frames that the previous stage still gives, until that stage closes the queue.
  static void drain(Channel<WorkItem>& from) {
    while (from.pop()) {
    }
  }

 private:
  std::int64_t segment_ = 0;
};

}  // namespace facepipe::pipeline
