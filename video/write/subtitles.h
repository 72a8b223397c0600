// Text subtitles from one codec to another: the mov_text of MP4 and the SubRip of Matroska.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Not thread-safe.
class SubtitleConverter {
 public:
  /// Errors: Error(internal) where FFmpeg can't decode the one or encode the other.
  SubtitleConverter(const AVStream& from, AVCodecID to);

  /// For the output stream: codec and header.
  void fill(AVCodecParameters& parameters) const;

  /// A packet in microseconds (AV_TIME_BASE_Q); nullptr where there is nothing to show.
  [[nodiscard]] UniqueAVPacket convert(const AVPacket& packet);

 private:
  AVRational input_time_base_;
  UniqueCodecContext decoder_;
  UniqueCodecContext encoder_;
};

}  // namespace facepipe::video
