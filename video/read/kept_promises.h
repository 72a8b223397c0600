// Compares what a container promises with the packets that are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// Notes what the container of an opened input promises (packets, frames and a duration), and
/// counts the packets that are read. The same stream must be passed as `video` each time.
class KeptPromises {
 public:
  /// Notes how many packets the indexes list. Construct the object before any packet is read,
  /// because reading makes FFmpeg build an index for AVI files that have none. `input` must outlive
  /// the object.
  explicit KeptPromises(AVFormatContext& input);

  /// Counts a packet of any stream.
  void count(const AVPacket& packet, const AVStream& video);
  /// Says how many packets of the video come before those that are counted from now on.
  void has_read(std::int64_t packets) { video_packets_ = packets; }
  /// Says that a stream isn't read to its end.
  void leave_out_stream() { left_out_stream_ = true; }

  /// Returns the duration that the header states, in microseconds; 0 if it states none.
  [[nodiscard]] std::int64_t duration_us() const;
  /// Returns whether missing() needs the ends of all streams to see whether the file was cut off.
  [[nodiscard]] bool needs_all_streams(const AVStream& video) const;
  /// Returns what the container promised but the packets so far didn't contain; empty if nothing is
  /// missing. Valid once everything was read from the start.
  [[nodiscard]] std::string missing(const AVStream& video) const;

 private:
  [[nodiscard]] bool counts_packets(const AVStream& video) const;
  [[nodiscard]] bool promises_duration() const;
  [[nodiscard]] std::string missing_packets(const AVStream& video) const;
  [[nodiscard]] std::string missing_of_index(int promised) const;
  [[nodiscard]] std::string missing_of_avi(const AVStream& video) const;

  AVFormatContext& input_;
  std::vector<int> indexed_;  // number of packets that each stream's index listed when the input
                              // was opened
  std::int64_t video_packets_ = 0;
  std::int64_t last_end_us_ = AV_NOPTS_VALUE;
  // One more than the largest decoding stamp of the video's packets.
  std::int64_t next_video_dts_ = 0;
  std::int64_t last_place_ = -1;  // largest AVPacket::pos of all packets
  bool torn_packet_ = false;      // the file ended within a packet
  bool left_out_stream_ = false;
};

}  // namespace facepipe::video
