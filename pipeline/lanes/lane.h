// Declares Lane: a decoder and all stages up to the encoder, on one device.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "core/device.h"
#include "core/timing.h"
#include "pipeline/backend.h"
#include "pipeline/frame_processor.h"
#include "pipeline/hide/hiding.h"
#include "pipeline/job_end.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/decode_stage.h"
#include "pipeline/lanes/encode_stage.h"
#include "pipeline/lanes/hide_stages.h"
#include "pipeline/lanes/lane_connections.h"
#include "pipeline/lanes/lane_entrance.h"
#include "pipeline/lanes/lane_failures.h"
#include "pipeline/lanes/lane_output.h"
#include "pipeline/lanes/lane_segments.h"
#include "pipeline/lanes/lane_stage.h"
#include "pipeline/lanes/lane_stop.h"
#include "pipeline/lanes/runner.h"
#include "video/read/decoder.h"
#include "video/read/ledger.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// The parts that a lane works with.
struct LaneParts {
  Backend* backend = nullptr;  ///< the device of the lane's threads
  LaneDecoding decoding;
  std::unique_ptr<video::Encoder> encoder;  ///< nullptr if no video is written
  std::unique_ptr<FrameProcessor> processor;
  std::unique_ptr<LaneHiding> hiding;  ///< nullptr if faces are drawn
};

/// Takes one segment after the other, and gives the finished frames to the job's Order. A lane
/// consists of stages, one for each thread, and of channels between them. Its eleven members are
/// the stages, the channels, the parts that the stages use, and objects that several stages share.
class Lane {
 public:
  /// @param frames_in_flight  the most frames between decoder and encoder
  /// @param connections, end  outlive the lane
  /// @param end               gets the errors of the lane's threads (LaneFailures)
  /// @param failed            requested when the job has failed
  Lane(int number, LaneParts parts, int frames_in_flight, LaneConnections& connections, JobEnd& end,
       const std::stop_token& failed);

  void add_threads(Runner& runner);

  [[nodiscard]] Device device() const { return parts_.backend->device(); }
  /// Makes the calling thread work on the lane's device.
  void enter_thread() const { parts_.backend->enter_thread(); }
  [[nodiscard]] const video::Decoder& decoder() const { return *parts_.decoding.decoder; }
  [[nodiscard]] const FrameProcessor& processor() const { return *parts_.processor; }
  /// Returns nullptr if no video is written.
  [[nodiscard]] const video::Encoder* encoder() const { return parts_.encoder.get(); }

  // The following functions are valid after the threads have ended.
  /// Returns the number of frames that the lane has given to Order.
  [[nodiscard]] std::int64_t frames() const { return output_.frames(); }
  /// Returns the counts of decoded and lost frames, without segments that the lane gave back. Of a
  /// part, they are the frames before its cut, because the next part counts those behind it.
  [[nodiscard]] video::FrameLedger ledger() const {
    if (parts_.decoding.window) return decoder().ledger({1});
    return decoder().ledger(segments_.given_back());
  }
  /// The next two functions return the working times of the threads that decode and encode.
  [[nodiscard]] Clock::duration decoding() const { return decode_.working(); }
  [[nodiscard]] Clock::duration encoding() const {
    return encode_ ? encode_->working() : Clock::duration{};
  }

 private:
  /// The queues of frames between the stages.
  struct Channels {
    Channels(std::int64_t capacity, const std::stop_token& stopped)
        : decoded(capacity, stopped),
          started(capacity, stopped),
          detected(capacity, stopped),
          drawn(capacity, stopped) {}

    Channel<WorkItem> decoded;
    Channel<WorkItem> started;
    Channel<WorkItem> detected;
    Channel<WorkItem> drawn;
  };

  [[nodiscard]] bool draws() const {
    return parts_.encoder || parts_.hiding || parts_.processor->draws_without_video();
  }
  void add_stages(LaneConnections& connections);

  LaneParts parts_;
  const LaneStop stop_;
  Channels channels_;
  WaitingForVerdicts waiting_;
  LaneSegments segments_;
  LaneFailures failures_;
  LaneEntrance entrance_;
  LaneOutput output_;
  DecodeStage decode_;
  std::unique_ptr<EncodeStage> encode_;             // nullptr if no video is written
  std::vector<std::unique_ptr<LaneStage>> stages_;  // the stages between decode_ and encode_
};

}  // namespace facepipe::pipeline
