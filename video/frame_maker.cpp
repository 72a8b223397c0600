#include "video/frame_maker.h"

extern "C" {
#include <libavutil/display.h>
}

#include <charconv>
#include <cstring>
#include <utility>

#include "video/ffmpeg_compat.h"
#include "video/pictures.h"

namespace facepipe {
namespace {

const std::int32_t* display_matrix(const AVStream& stream) {
  for (const AVPacketSideData& entry : compat::stream_side_data(stream))
    if (entry.type == AV_PKT_DATA_DISPLAYMATRIX && entry.size >= 9 * sizeof(std::int32_t))
      return reinterpret_cast<const std::int32_t*>(entry.data);
  return nullptr;
}

const std::int32_t* display_matrix(const AVFrame& picture) {
  const AVFrameSideData* entry = av_frame_get_side_data(&picture, AV_FRAME_DATA_DISPLAYMATRIX);
  const bool whole = entry != nullptr && entry->size >= 9 * sizeof(std::int32_t);
  return whole ? reinterpret_cast<const std::int32_t*>(entry->data) : nullptr;
}

/// Returns the tag that FFmpeg's decoder of JPEG puts into pictures, of videos too; 0 without one.
int exif_orientation(const AVFrame& picture) {
  const AVDictionaryEntry* entry = av_dict_get(picture.metadata, "Orientation", nullptr, 0);
  if (entry == nullptr) return 0;
  const char* text = entry->value;
  while (*text == ' ' || *text == '\n') ++text;
  int tag = 0;
  std::from_chars(text, text + std::strlen(text), tag);
  return tag;
}

FieldOrder field_order_of(const AVFrame& picture) {
  if (!compat::is_interlaced(picture)) return FieldOrder::progressive;
  return compat::is_top_field_first(picture) ? FieldOrder::top_first : FieldOrder::bottom_first;
}

}  // namespace

Orientation orientation_of(const Demuxer& demuxer, const AVFrame& picture, Notices& notices) {
  const std::int32_t* matrix = display_matrix(demuxer.video());
  if (matrix == nullptr) matrix = display_matrix(picture);
  std::optional<Orientation> orientation = demuxer.orientation();
  if (!orientation) orientation = orientation_of_exif(exif_orientation(picture));
  if (matrix != nullptr) orientation = orientation_of(matrix);
  if (!orientation) notices.add("turned by an angle that is no quarter turn; taken as upright");
  return orientation.value_or(Orientation{});
}

bool is_turned(const Demuxer& demuxer) {
  const std::int32_t* matrix = display_matrix(demuxer.video());
  const std::optional<Orientation> orientation =
      matrix != nullptr ? orientation_of(matrix) : demuxer.orientation();
  return !orientation.value_or(Orientation{}).upright();
}

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

/// Takes the container's aspect where it has one: it may be meant to mend what the codec says.
Rational FrameMaker::stored_aspect(const AVFrame& picture) const {
  const auto is_valid = [](AVRational aspect) { return aspect.num > 0 && aspect.den > 0; };
  const AVRational of_container = stream_.sample_aspect_ratio;
  const AVRational aspect = is_valid(of_container) ? of_container : picture.sample_aspect_ratio;
  if (!is_valid(aspect)) return {1, 1};
  return from_av(target_.rotate.swaps_axes() ? av_inv_q(aspect) : aspect);
}

}  // namespace facepipe
