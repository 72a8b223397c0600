// Plans what happens to each stream of an input, beside the video that is worked on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "video/read/demuxer.h"

namespace facepipe::video {

enum class StreamAction {
  video,     ///< the stream that is decoded, drawn on and encoded
  copy,      ///< packets are copied unchanged
  subtitle,  ///< text is converted to `codec`
  cover,     ///< a cover picture becomes an attachment
  drop,
};

struct StreamPlan {
  StreamAction action = StreamAction::drop;
  AVCodecID codec = AV_CODEC_ID_NONE;  ///< codec of the output stream
  std::string notice;                  ///< what to tell of it; empty if it is kept unchanged
  bool lost = false;                   ///< content is left behind, which --strict refuses
};

/// Returns what a stream is, for messages: its type, its number, its codec, and its language if it
/// has one.
[[nodiscard]] std::string describe(const AVStream& stream);

/// Returns the plan of a stream that is left behind, with a notice that says so and why.
[[nodiscard]] StreamPlan dropped(const AVStream& stream, const std::string& why);

/// Returns whether packets of a stream go into the output, unchanged or converted.
[[nodiscard]] bool keeps(const std::vector<StreamPlan>& plans, std::size_t stream);

/// Says whether the output may hold data that show the original pictures beside the video, or tell
/// where they were taken.
enum class Originals { keep, leave_out };

/// Returns one plan for each stream of the input, in its order.
[[nodiscard]] std::vector<StreamPlan> plan_streams(const Demuxer& demuxer,
                                                   const AVOutputFormat& format,
                                                   Originals originals = Originals::keep);

/// Plans to drop a stream that begins too late to have a place in the output (Demuxer::is_late()).
[[nodiscard]] StreamPlan plan_late_stream(const AVStream& stream, Originals originals);

}  // namespace facepipe::video
