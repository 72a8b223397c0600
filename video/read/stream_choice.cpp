#include "video/read/stream_choice.h"

#include <cstdint>
#include <tuple>

#include "video/frames/pictures.h"

#include "video/read/stream_kinds.h"

namespace facepipe::video {
namespace {

bool is_video(const AVStream& stream) {
  return stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_attached_picture(stream);
}

/// Returns the merits of a stream, the most important one first.
auto merits_of(const AVStream& stream) {
  constexpr int kForSome =
      AV_DISPOSITION_HEARING_IMPAIRED | AV_DISPOSITION_VISUAL_IMPAIRED | AV_DISPOSITION_DEPENDENT;
  const AVCodecParameters& video = *stream.codecpar;
  const std::int64_t area = std::int64_t{video.width} * video.height;
  const bool decodes = avcodec_find_decoder(video.codec_id) != nullptr;
  const bool grey = is_grey(static_cast<AVPixelFormat>(video.format));
  return std::tuple(area > 0 && decodes, (stream.disposition & kForSome) == 0,
                    (stream.disposition & AV_DISPOSITION_DEFAULT) != 0, area, !grey);
}

}  // namespace

int choose_video_stream(const AVFormatContext& input) {
  int best = -1;
  for (unsigned i = 0; i < input.nb_streams; ++i) {
    const AVStream& stream = *input.streams[i];
    if (!is_video(stream)) continue;
    if (best < 0 || merits_of(stream) > merits_of(*input.streams[best])) best = static_cast<int>(i);
  }
  return best;
}

}  // namespace facepipe::video
