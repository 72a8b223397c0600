// Tries muxers without writing a file, to learn what a format refuses before a real file is
// written.
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

/// Drops streams from `plans`, other than the video, if the format's muxer refuses to write a
/// header with them (for example sound of an unknown sample rate). Drops nothing if the muxer
/// refuses even the video by itself, and nothing for formats of pictures, because these store only
/// the video. Returns the indices in `plans` of the dropped streams.
std::vector<std::size_t> drop_refused_streams(const Demuxer& input, const AVOutputFormat& format,
                                              const VideoStreamInfo& video,
                                              std::vector<StreamPlan>& plans);

/// Owns a muxer whose bytes are thrown away. Not thread-safe.
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

/// Finds out whether a format's muxer takes the packets of a stream. A packet can change how the
/// muxer treats later packets. Therefore takes() must get each packet that the real muxer gets, in
/// the same order. Not thread-safe.
class PacketTrial {
 public:
  /// @param stream  a stream of an output whose header has been written; it must outlive the trial
  PacketTrial(const AVOutputFormat& format, const AVStream& stream);

  /// Returns false if the muxer would fail with an error; refusal() then returns the error. Stamps
  /// are in the stream's time base. If the muxer can't even write a header for this stream alone,
  /// the trial is impossible, and it returns true for all packets.
  [[nodiscard]] bool takes(const AVPacket& packet);
  /// Returns FFmpeg's text for the last refusal.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  const AVStream& stream_;
  std::unique_ptr<MuxerToNowhere> muxer_;  // nullptr if the trial is impossible
  std::string refusal_;
};

}  // namespace facepipe::video
