// Converts text subtitles from one codec to another: MP4's mov_text and Matroska's SubRip.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Converts the packets of one stream. Not thread-safe.
class SubtitleConverter {
 public:
  /// Throws Error(internal) if FFmpeg can't decode the one codec or encode the other.
  SubtitleConverter(const AVStream& from, AVCodecID to);

  /// Sets codec and header of the output stream.
  void fill(AVCodecParameters& parameters) const;

  /// Returns a packet with stamps in microseconds (AV_TIME_BASE_Q); nullptr if there is nothing to
  /// show.
  [[nodiscard]] UniqueAVPacket convert(const AVPacket& packet);

 private:
  AVRational input_time_base_;
  UniqueCodecContext decoder_;
  UniqueCodecContext encoder_;
};

}  // namespace facepipe::video
