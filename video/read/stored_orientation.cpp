#include "video/read/stored_orientation.h"

extern "C" {
#include <libavutil/dict.h>
#include <libavutil/frame.h>
}

#include <charconv>
#include <cstring>
#include <optional>

#include "video/ffmpeg_compat.h"
#include "video/frames/pictures.h"

namespace facepipe::video {
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

/// Returns the EXIF orientation that FFmpeg's JPEG decoder stores in pictures, even in pictures of
/// videos; 0 if there is none.
int exif_orientation(const AVFrame& picture) {
  const AVDictionaryEntry* entry = av_dict_get(picture.metadata, "Orientation", nullptr, 0);
  if (entry == nullptr) return 0;
  const char* text = entry->value;
  while (*text == ' ' || *text == '\n') ++text;
  int tag = 0;
  std::from_chars(text, text + std::strlen(text), tag);
  return tag;
}

}  // namespace

Orientation orientation_of(const Demuxer& demuxer, const AVFrame& picture, Notices& notices) {
  const std::int32_t* matrix = display_matrix(demuxer.video());
  if (matrix == nullptr) matrix = display_matrix(picture);
  std::optional<Orientation> orientation = demuxer.orientation();
  if (!orientation) orientation = orientation_of_exif(exif_orientation(picture));
  if (matrix != nullptr) orientation = orientation_of(matrix);
  if (!orientation)
    notices.add("turned by an angle that is not a multiple of 90 degrees; treated as upright");
  return orientation.value_or(Orientation{});
}

bool is_turned(const Demuxer& demuxer) {
  const std::int32_t* matrix = display_matrix(demuxer.video());
  const std::optional<Orientation> orientation =
      matrix != nullptr ? orientation_of(matrix) : demuxer.orientation();
  return !orientation.value_or(Orientation{}).upright();
}

}  // namespace facepipe::video
