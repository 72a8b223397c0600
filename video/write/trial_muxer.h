// Muxers whose bytes go nowhere. They tell what a format refuses before a real file meets it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "video/ffmpeg.h"
#include "video/read/demuxer.h"
#include "video/write/output_streams.h"
#include "video/write/streams.h"

namespace facepipe::video {

/// Drops from `plans` the streams beside the video with which the format's muxer refuses to write a
/// header, for example sound of an unknown sample rate. If it refuses even the video by itself,
/// nothing is dropped. Nothing is dropped for formats of pictures either, because they only hold
/// the video. Returns the indices in `plans` of the dropped streams.
std::vector<std::size_t> drop_refused_streams(const Demuxer& input, const AVOutputFormat& format,
                                              const VideoStreamInfo& video,
                                              std::vector<StreamPlan>& plans);

/// A muxer whose bytes go nowhere. Not thread-safe.
class MuxerToNowhere {
 public:
  explicit MuxerToNowhere(const AVOutputFormat& format);
  ~MuxerToNowhere();
  MuxerToNowhere(const MuxerToNowhere&) = delete;
  MuxerToNowhere& operator=(const MuxerToNowhere&) = delete;

  [[nodiscard]] AVFormatContext& context() { return *context_; }

 private:
  UniqueOutputContext context_;
};

/// Tells whether a format's muxer takes the packets of a stream. A packet may change how the muxer
/// treats the following ones. So it must be asked for each packet that the muxer gets, in their
/// order. Not thread-safe.
class PacketTrial {
 public:
  /// @param stream  of an output whose header has been written; it must outlive the trial
  PacketTrial(const AVOutputFormat& format, const AVStream& stream);

  /// Returns false if the muxer would end with an error, which refusal() then tells. Stamps are in
  /// the stream's time base. If the format can't hold such a stream by itself, nothing can be
  /// known, and all packets are taken.
  [[nodiscard]] bool takes(const AVPacket& packet);
  /// Returns FFmpeg's text of the last refusal.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  const AVStream& stream_;
  std::unique_ptr<MuxerToNowhere> muxer_;  // nullptr if nothing can be known
  std::string refusal_;
};

}  // namespace facepipe::video
