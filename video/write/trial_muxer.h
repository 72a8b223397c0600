// Muxers that write to nowhere: they tell what a format refuses before a file meets it.
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
/// header: sound of which nobody knows the sample rate, for one. Where it refuses the video alone,
/// nothing is dropped. Formats of pictures hold the video alone, and drop nothing. Returns the
/// places in `plans` of those that it dropped.
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

/// Tells whether a format's muxer takes the packets of a stream. What one packet changes for those
/// that follow counts, so it is asked for each packet that the muxer gets, in their order. Not
/// thread-safe.
class PacketTrial {
 public:
  /// @param stream  of an output whose header has been written; it must outlive the trial
  PacketTrial(const AVOutputFormat& format, const AVStream& stream);

  /// False: the muxer would end with an error, which refusal() then tells. Stamps are in the
  /// stream's time base. Where the format holds no such stream alone, there is no telling, and all
  /// are taken.
  [[nodiscard]] bool takes(const AVPacket& packet);
  /// FFmpeg's text of the last refusal.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  const AVStream& stream_;
  std::unique_ptr<MuxerToNowhere> muxer_;  // none where there is no telling
  std::string refusal_;
};

}  // namespace facepipe::video
