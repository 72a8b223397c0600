// A decoder and all that follows it, up to the encoder: the way of a frame on one device.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/slots.h"
#include "core/timing.h"
#include "pipeline/channel.h"
#include "pipeline/feed.h"
#include "pipeline/frame_processor.h"
#include "pipeline/order.h"
#include "pipeline/runner.h"
#include "video/decoder.h"
#include "video/encoder.h"
#include "video/frame_maker.h"

namespace facepipe {

/// What a lane works with.
struct LaneParts {
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<FrameMaker> frames;
  std::unique_ptr<FrameProcessor> processor;
  std::unique_ptr<Encoder> encoder;   ///< nullptr where no video is written
  std::optional<DecodedFrame> first;  ///< of the first segment, if it is decoded already
};

/// Takes one segment after the other, and gives their frames to `order`. Each member function is
/// the body of one thread, in the order of a frame.
class Lane {
 public:
  /// @param frames_in_flight  between decoder and encoder
  Lane(int number, LaneParts parts, int frames_in_flight, Segments& segments, Order& order,
       std::stop_token failed);

  void add_threads(Runner& runner);

  [[nodiscard]] const Decoder& decoder() const { return *parts_.decoder; }
  [[nodiscard]] const FrameProcessor& processor() const { return *parts_.processor; }
  /// Null where no video is written.
  [[nodiscard]] const Encoder* encoder() const { return parts_.encoder.get(); }
  /// Working time of decode and encode; meaningful when the threads have ended.
  [[nodiscard]] Clock::duration decoding() const { return decoding_; }
  [[nodiscard]] Clock::duration encoding() const { return encoding_; }

 private:
  /// A segment that the decoder has got packets of, and its frames so far.
  struct Begun {
    std::int64_t segment = 0;
    std::int64_t frames = 0;
    std::deque<SidePacket> sides;  ///< that wait until those before have ended
  };

  void decode();
  void preprocess();
  void detect();
  void draw();
  void encode();

  void decode_segment(Segment& segment);
  void finish();
  void end_first();
  void give(SidePacket packet);
  void push_decoded();
  void push_frame(DecodedFrame decoded, const Timing& coded);
  void give(EncodedFrame encoded, std::int64_t segment, const Timing& coded);

  const int number_;
  LaneParts parts_;
  const std::stop_token failed_;
  Segments& segments_;
  Order& order_;
  Slots in_flight_;
  Slots::Permit place_;  // of in_flight_, for the decoder's next picture
  Channel<WorkItem> decoded_;
  Channel<WorkItem> started_;
  Channel<WorkItem> detected_;
  Channel<WorkItem> drawn_;
  std::deque<Begun> begun_;  // segments that the decoder has got and not all pictures of which came
  Clock::duration decoding_{};
  Clock::duration encoding_{};
};

}  // namespace facepipe
