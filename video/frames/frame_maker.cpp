#include "video/frames/frame_maker.h"

#include <utility>

#include "video/ffmpeg_compat.h"
#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

FieldOrder field_order_of(const AVFrame& picture) {
  if (!compat::is_interlaced(picture)) return FieldOrder::progressive;
  return compat::is_top_field_first(picture) ? FieldOrder::top_first : FieldOrder::bottom_first;
}

}  // namespace

DecodedFrame FrameMaker::make(DecodedPicture decoded) {
  DecodedFrame result{{}, decoded.times, decoded.damaged};
  {
    const ScopedCpuTime cpu(result.times, StageId::decode);
    result.frame = complete(std::move(decoded));
  }
  return result;
}

Frame FrameMaker::complete(DecodedPicture decoded) {
  const FieldOrder field_order = field_order_of(*decoded.picture);
  const Rational aspect = stored_aspect(*decoded.picture);
  Frame frame = frame_of(std::move(decoded.picture));
  frame.field_order = field_order;
  frame.orientation = target_.orientation;
  frame.sample_aspect = aspect;
  frame.pts = decoded.timing.pts;
  frame.duration = decoded.timing.duration;
  frame.time_base = from_av(decoded.time_base);
  frame.index = next_index_++;
  return frame;
}

/// Returns the container's pixel aspect if it has one, because the container can correct the codec.
Rational FrameMaker::stored_aspect(const AVFrame& picture) const {
  const auto is_valid = [](AVRational aspect) { return aspect.num > 0 && aspect.den > 0; };
  const AVRational of_container = stream_.sample_aspect_ratio;
  const AVRational aspect = is_valid(of_container) ? of_container : picture.sample_aspect_ratio;
  if (!is_valid(aspect)) return {1, 1};
  return from_av(target_.rotate.swaps_axes() ? av_inv_q(aspect) : aspect);
}

}  // namespace facepipe::video
