// A decoder and all that follows it, up to the encoder: the way of a frame on one device.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "core/error.h"
#include "core/slots.h"
#include "core/timing.h"
#include "pipeline/backend.h"
#include "pipeline/frame_processor.h"
#include "pipeline/hide/hiding.h"
#include "pipeline/lanes/channel.h"
#include "pipeline/lanes/lane_devices.h"
#include "pipeline/lanes/order.h"
#include "pipeline/lanes/runner.h"
#include "pipeline/lanes/segment_queue.h"
#include "pipeline/lanes/track_queue.h"
#include "video/frames/frame_maker.h"
#include "video/read/decoder.h"
#include "video/write/encoder.h"

namespace facepipe::pipeline {

/// What a lane works with.
struct LaneParts {
  Backend* backend = nullptr;  ///< whose device the lane's threads work on
  std::unique_ptr<video::Decoder> decoder;
  std::unique_ptr<video::FrameMaker> frames;
  std::unique_ptr<video::Encoder> encoder;  ///< nullptr where no video is written
  std::unique_ptr<FrameProcessor> processor;
  std::unique_ptr<LaneHiding> hiding;  ///< nullptr where faces are drawn
  TrackQueue* tracks = nullptr;  ///< the job's, which outlives the lane, where they are hidden
  std::optional<video::DecodedFrame> first;  ///< of the first segment, if it is decoded already
};

/// Takes one segment after the other, and gives their frames to `order`. Where its device fails and
/// another works, it ends, and gives the segments back that it has not finished.
class Lane {
 public:
  /// @param frames_in_flight  between decoder and encoder
  Lane(int number, LaneParts parts, int frames_in_flight, Segments& segments, Order& order,
       LaneDevices& devices, const std::stop_token& failed);

  /// Before add_threads(), of all lanes of a job that hides faces and writes video: an Error of one
  /// of its threads calls `end_input`, which lets reading end, and fails nothing else. What that
  /// thread has given by then goes on to the end of the lane as at the input's end, and there the
  /// stream ends: what lanes have of it behind that is dropped.
  void finish_what_fails(std::function<void(const Error&)> end_input) {
    end_input_ = std::move(end_input);
  }

  void add_threads(Runner& runner);

  [[nodiscard]] Device device() const { return parts_.backend->device(); }
  /// As Backend::enter_thread() of its device.
  void enter_thread() const { parts_.backend->enter_thread(); }
  /// Frames that it has given, and the ledger of what it has not given back; meaningful when the
  /// threads have ended.
  [[nodiscard]] std::int64_t frames() const { return frames_; }
  [[nodiscard]] video::FrameLedger ledger() const { return parts_.decoder->ledger(given_back_); }
  [[nodiscard]] const video::Decoder& decoder() const { return *parts_.decoder; }
  [[nodiscard]] const FrameProcessor& processor() const { return *parts_.processor; }
  /// Null where no video is written.
  [[nodiscard]] const video::Encoder* encoder() const { return parts_.encoder.get(); }
  /// Working time of decode and encode; meaningful when the threads have ended.
  [[nodiscard]] Clock::duration decoding() const { return decoding_; }
  [[nodiscard]] Clock::duration encoding() const { return encoding_; }

 private:
  /// A segment that the decoder has got packets of, and its frames so far.
  struct Begun {
    std::int64_t segment = 0;
    std::int64_t frames = 0;
    Order::Progress given;         ///< by another lane
    std::deque<SidePacket> sides;  ///< that wait until those before have ended
    std::int64_t held = 0;         ///< bytes of these
  };

  /// For each thread the segment that it is at: what fails is of it.
  struct At {
    std::int64_t decode = 0;
    std::int64_t preprocess = 0;
    std::int64_t detect = 0;
    std::int64_t look = 0;
    std::int64_t draw = 0;
    std::int64_t encode = 0;
  };

  /// A thread; and what it does in place of its body once that has failed: it takes what the
  /// thread before still gives, and gives nothing more.
  struct Stage {
    void (Lane::*body)();
    void (Lane::*end)();
    std::int64_t At::*at;
  };

  void run(const Stage& stage);
  void work_on_device(const Stage& stage);
  void work(const Stage& stage);
  void lose_from(std::int64_t segment);
  [[nodiscard]] std::optional<std::int64_t> lost_from();
  [[nodiscard]] bool device_failed() const { return devices_.failed(device()).stop_requested(); }
  void give_back();

  // Each the body of one thread, in the order of a frame.
  void decode();
  void preprocess();
  void detect();
  void look();
  void hide();
  void draw();
  void encode();

  void end_decode();
  void end_look();
  void end_hide();
  void end_encode();
  void close_looked_at();
  void close_order();
  template <Channel<WorkItem> Lane::*from, Channel<WorkItem> Lane::*to>
  void end_stage();

  std::shared_ptr<Segment> take(std::optional<std::shared_ptr<Segment>> segment);
  void begin(const Segment& segment);
  void decode_segment(Segment& segment);
  void finish();
  void end_first();
  void give(SidePacket packet);
  void hold(Begun& segment, SidePacket packet) const;
  void push_decoded();
  void push_frame(video::DecodedFrame decoded, const video::Timing& coded);
  [[nodiscard]] bool admit(WorkItem& item);
  void give_drawn(WorkItem drawn);
  [[nodiscard]] bool draws() const {
    return parts_.encoder || parts_.hiding || parts_.processor->draws_without_video();
  }
  [[nodiscard]] std::optional<WorkItem> next_to_encode(const video::Encoder::Sink& sink);
  void give(video::EncodedFrame encoded, std::int64_t segment, const video::Timing& coded);

  const int number_;
  LaneParts parts_;
  LaneDevices& devices_;
  std::stop_source stop_;
  const std::stop_token stopped_;  // the job has failed, or the device
  const std::stop_callback<std::function<void()>> by_job_;
  const std::stop_callback<std::function<void()>> by_device_;
  Segments& segments_;
  Order& order_;
  Slots in_flight_;
  Slots::Permit place_;  // of in_flight_, for the decoder's next picture
  Channel<WorkItem> decoded_;
  Channel<WorkItem> started_;
  Channel<WorkItem> detected_;
  Channel<WorkItem> looked_at_;   // bounded by their rooms
  TrackQueue::Answers verdicts_;  // on these; not stopped, because another thread gives them
  Channel<WorkItem> drawn_;
  std::deque<Begun> begun_;  // segments that the decoder has got and not all pictures of which came
  std::vector<std::shared_ptr<Segment>> taken_;  // and not done
  std::set<std::int64_t> given_back_;
  std::atomic<int> running_ = 0;  // threads
  std::int64_t frames_ = 0;
  std::function<void(const Error&)> end_input_;
  At at_;
  std::mutex losing_;                      // guards lost_from_
  std::optional<std::int64_t> lost_from_;  // segment, frames of which from one on nobody gets
  Clock::duration decoding_{};
  Clock::duration encoding_{};
};

}  // namespace facepipe::pipeline
