// Compares what a container promises with the packets that it gives.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "video/ffmpeg.h"

namespace facepipe::video {

/// What the container of an opened input promises: packets, frames and a duration. It counts what
/// the packets keep of that. The same stream must be passed as `video` each time.
class KeptPromises {
 public:
  /// Notes what the indexes list. Must be made before any packet is read, because for AVI files
  /// without an index FFmpeg makes one itself as it reads. `input` must outlive it.
  explicit KeptPromises(AVFormatContext& input);

  /// Counts a packet of any stream.
  void count(const AVPacket& packet, const AVStream& video);
  /// A stream isn't read to its end.
  void leave_out_stream() { left_out_stream_ = true; }

  /// Returns the duration that the header says, in microseconds; 0 if it says none.
  [[nodiscard]] std::int64_t duration_us() const;
  /// Returns whether missing() needs the ends of all streams to see whether the file was cut off.
  [[nodiscard]] bool needs_all_streams(const AVStream& video) const;
  /// Returns what the packets so far didn't keep; empty if nothing. Valid once everything was read
  /// from the start.
  [[nodiscard]] std::string missing(const AVStream& video) const;

 private:
  [[nodiscard]] bool counts_packets(const AVStream& video) const;
  [[nodiscard]] bool promises_duration() const;
  [[nodiscard]] std::string missing_packets(const AVStream& video) const;
  [[nodiscard]] std::string missing_of_index(int promised) const;
  [[nodiscard]] std::string missing_of_avi(const AVStream& video) const;

  AVFormatContext& input_;
  std::vector<int> indexed_;  // number of packets that each stream's index listed at the opening
  std::int64_t video_packets_ = 0;
  std::int64_t last_end_us_ = AV_NOPTS_VALUE;
  // One more than the largest decoding stamp of the video's packets.
  std::int64_t next_video_dts_ = 0;
  std::int64_t last_place_ = -1;  // place in the file of the packet that lies last
  bool torn_packet_ = false;      // the file ended within a packet
  bool left_out_stream_ = false;
};

}  // namespace facepipe::video
