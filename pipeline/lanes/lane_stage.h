// What one thread of a lane does.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "pipeline/frame_processor.h"
#include "pipeline/lanes/channel.h"

namespace facepipe::pipeline {

/// How long a stage waits for more work before it asks its codec for what that holds back.
inline constexpr auto kPatience = std::chrono::milliseconds(20);

/// Takes frames from the stage before it, and gives them to the next one. One thread calls run(),
/// and end() if that has failed.
class LaneStage {
 public:
  LaneStage() = default;
  virtual ~LaneStage() = default;
  LaneStage(const LaneStage&) = delete;
  LaneStage& operator=(const LaneStage&) = delete;

  /// The thread's name.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Works to the end of the stream, and then closes what the next stage takes from.
  virtual void run() = 0;
  /// Takes the place of the rest of run(): takes what the stage before still gives, gives nothing
  /// more, and closes what the next stage takes from.
  virtual void end() = 0;

  /// The segment of the frame that the stage works on, to which an error of run() belongs.
  [[nodiscard]] std::int64_t segment() const { return segment_; }

 protected:
  void set_segment(std::int64_t segment) { segment_ = segment; }
  /// Drops what the stage before still gives.
  static void drain(Channel<WorkItem>& from) {
    while (from.pop()) {
    }
  }

 private:
  std::int64_t segment_ = 0;
};

}  // namespace facepipe::pipeline
