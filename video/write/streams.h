// Plans what happens to each stream of an input, besides the video that is processed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "video/read/demuxer.h"

namespace facepipe::video {

enum class StreamAction {
  video,     ///< the stream that is decoded, processed and encoded
  copy,      ///< packets are copied unchanged
  subtitle,  ///< text is converted to `codec`
  cover,     ///< a cover picture, which becomes an attachment
  drop,
};

struct StreamPlan {
  StreamAction action = StreamAction::drop;
  AVCodecID codec = AV_CODEC_ID_NONE;  ///< codec of the output stream
  std::string notice;                  ///< the notice about the stream; empty if it is kept
                                       ///< unchanged
  bool lost = false;                   ///< content is lost, which --strict forbids
};

/// Describes a stream for messages: its type, number and codec, and its language if it has one.
[[nodiscard]] std::string describe(const AVStream& stream);

/// Returns the plan to drop a stream, with a notice that says so and why.
[[nodiscard]] StreamPlan dropped(const AVStream& stream, const std::string& why);

/// Returns whether packets of a stream go into the output, either unchanged or converted.
[[nodiscard]] bool keeps(const std::vector<StreamPlan>& plans, std::size_t stream);

/// Says whether the output may contain data that show the original pictures outside of the video,
/// or that say where the pictures were taken.
enum class Originals { keep, leave_out };

/// Returns one plan for each stream of the input, in the input's order.
[[nodiscard]] std::vector<StreamPlan> plan_streams(const Demuxer& demuxer,
                                                   const AVOutputFormat& format,
                                                   Originals originals = Originals::keep);

/// Returns the plan to drop a stream that begins too late for the output (Demuxer::is_late()).
[[nodiscard]] StreamPlan plan_late_stream(const AVStream& stream, Originals originals);

}  // namespace facepipe::video
