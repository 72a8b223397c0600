#include "video/write/timecode.h"

extern "C" {
#include <libavutil/timecode.h>
}

#include <array>
#include <climits>

#include "video/ffmpeg.h"

namespace facepipe::video {

std::string later_timecode(const std::string& text, Rational frame_rate, std::int64_t frames) {
  if (frames == 0) return text;
  AVTimecode timecode{};
  const bool known =
      av_timecode_init_from_string(&timecode, to_av(frame_rate), text.c_str(), nullptr) >= 0;
  if (!known || frames < 0 || frames > INT_MAX - timecode.start) return {};
  timecode.flags |= AV_TIMECODE_FLAG_24HOURSMAX;
  std::array<char, AV_TIMECODE_STR_SIZE> moved{};
  return av_timecode_make_string(&timecode, moved.data(), static_cast<int>(frames));
}

}  // namespace facepipe::video
