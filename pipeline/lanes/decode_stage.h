// Declares DecodeStage, the work of a lane's decoding thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/timing.h"
#include "pipeline/lanes/begun_segments.h"
#include "pipeline/lanes/lane_connections.h"
#include "pipeline/lanes/lane_entrance.h"
#include "pipeline/lanes/lane_segments.h"
#include "pipeline/lanes/lane_stage.h"
#include "pipeline/parts/part_window.h"
#include "video/frames/frame_maker.h"
#include "video/read/decoder.h"

namespace facepipe::pipeline {

/// The parts that a lane decodes with.
struct LaneDecoding {
  std::unique_ptr<video::Decoder> decoder;
  std::unique_ptr<video::FrameMaker> frames;
  /// The stream's first frame, if it is decoded already.
  std::optional<video::DecodedFrame> first;
  std::optional<PartWindow> window{};  ///< if the job makes a part
};

/// Takes one segment after the other and decodes it.
class DecodeStage final : public LaneStage {
 public:
  /// @param stopped  ends each wait
  DecodeStage(LaneDecoding& decoding, LaneConnections& connections, LaneSegments& segments,
              LaneEntrance& entrance, std::stop_token stopped);

  [[nodiscard]] std::string name() const override;
  void run() override;
  /// Takes and drops all segments, because the thread that reads waits until they are taken.
  void end() override;

  /// Returns the working time. Valid after the thread has ended.
  [[nodiscard]] Clock::duration working() const { return working_; }

 private:
  void begin(const Segment& segment);
  void decode(Segment& segment);
  void finish();
  void end_first();
  void push_decoded();
  void push(video::DecodedFrame decoded, std::int64_t number, const video::Timing& coded,
            FrameUse use = FrameUse::work);
  [[nodiscard]] FrameUse use_of_next();

  LaneDecoding& decoding_;
  LaneConnections& connections_;
  LaneSegments& segments_;
  LaneEntrance& entrance_;
  const std::stop_token stopped_;
  BegunSegments begun_;
  Clock::duration working_{};
};

}  // namespace facepipe::pipeline
