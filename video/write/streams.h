// What becomes of each stream of an input beside the video that is worked on.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "video/read/demuxer.h"

namespace facepipe::video {

enum class StreamAction {
  video,     ///< the stream that is decoded, drawn on and encoded
  copy,      ///< packets as they are
  subtitle,  ///< text, converted to `codec`
  cover,     ///< a cover picture that becomes an attachment
  drop,
};

struct StreamPlan {
  StreamAction action = StreamAction::drop;
  AVCodecID codec = AV_CODEC_ID_NONE;  ///< of the output stream
  std::string notice;                  ///< what to tell of it; empty where it is kept as it is
  bool lost = false;                   ///< content is left behind, which --strict refuses
};

/// What a stream is, for messages: its type, its number, its codec, and its language if it has one.
[[nodiscard]] std::string describe(const AVStream& stream);

/// A stream that is left behind, with a notice that says so and why.
[[nodiscard]] StreamPlan dropped(const AVStream& stream, const std::string& why);

/// Whether packets of a stream go into the output, as they are or changed.
[[nodiscard]] bool keeps(const std::vector<StreamPlan>& plans, std::size_t stream);

/// Whether the output may hold what shows the original pictures beside the video, or where they
/// were taken.
enum class Originals { keep, leave_out };

/// One plan for each stream of the input, in its order.
[[nodiscard]] std::vector<StreamPlan> plan_streams(const Demuxer& demuxer,
                                                   const AVOutputFormat& format,
                                                   Originals originals = Originals::keep);

/// Plans to drop a stream that begins too late to have a place in the output (Demuxer::is_late()).
[[nodiscard]] StreamPlan plan_late_stream(const AVStream& stream, Originals originals);

}  // namespace facepipe::video
