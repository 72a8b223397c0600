// Converts text subtitles from one codec to another, for example to MP4's mov_text or Matroska's
// SubRip.
#pragma once

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Converts the packets of one stream. Not thread-safe.
class SubtitleConverter {
 public:
  /// Throws Error(internal) if FFmpeg can't decode `from` or can't encode `to`.
  SubtitleConverter(const AVStream& from, AVCodecID to);

  /// Sets the codec and the header of the output stream.
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
