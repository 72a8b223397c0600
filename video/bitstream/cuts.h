// Finds where a video stream can be cut into segments that can be decoded independently and
// exactly.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "video/bitstream/entry_points.h"

namespace facepipe::video {

/// The least number of packets between two cuts, before the first cut, and after the last cut. Very
/// short segments aren't exact. For example, FFmpeg's H.264 decoder drops one of two packets at the
/// end of an open GOP, because the decoder hasn't recovered when it is drained.
inline constexpr std::int64_t kShortestSegment = 32;

/// Index, counted from a cut, of the last packet whose picture can belong to the previous segment.
/// x264 and x265 make at most 16 B pictures in a row. If there are more such packets, no cut is
/// made.
inline constexpr std::int64_t kMostRunOn = 16;

/// Says in which segments a packet is decoded, and to which segment its picture belongs.
struct Placement {
  bool begins = false;   ///< a cut lies just before the packet
  bool run_on = false;   ///< the packet is also decoded in the previous segment
  bool leading = false;  ///< its picture belongs to the previous segment
  /// Valid only if `begins`: the packet's entry is Entry::starts_independently.
  bool starts_independently = false;
  std::shared_ptr<const Prelude> prelude;  ///< only if `begins`: for the decoder that begins here
};

/// Decides for each packet whether a cut lies just before it. A cut needs three things:
/// * the packet is an entry (EntryPoints);
/// * at least kShortestSegment packets lie between it and the last cut, and between it and the end;
/// * the packets after it show which pictures are shown before the entry.
/// These pictures belong to the previous segment. Its decoder also decodes the packets from the cut
/// to the last of these pictures, so that nothing is lost at open GOPs. Without this, streams that
/// were cut at key frames lost 18 to 47 of 360 pictures. If packets have only decoding stamps, the
/// decoder of the previous segment also decodes the packet at the cut. The reason is that FFmpeg
/// gives a delayed picture the decoding stamp of the packet that pushed the picture out of the
/// decoder. If some packets have stamps, there is no cut before a packet without stamps, because
/// the time of its picture then depends on the pictures that were decoded before. No packet is read
/// ahead. If a cut is possible, the decision comes kShortestSegment packets later, otherwise at
/// once. Only one thread may use it.
class CutFinder {
 public:
  /// Takes the next packet, in file order. Before the next send(), call next() until it returns
  /// nullopt.
  void send(PacketFacts packet);
  /// Says that no more packets come.
  void finish() { finished_ = true; }
  /// Returns the placement of the next packet, in the order of the send() calls; nullopt if more
  /// packets must be sent first.
  [[nodiscard]] std::optional<Placement> next();

 private:
  struct Packet {
    PacketFacts facts;
    Placement placement;
  };

  void cut_if_safe();
  [[nodiscard]] bool has_stamps() const;
  [[nodiscard]] bool leads(std::int64_t index) const;

  std::deque<Packet> waiting_;
  std::int64_t since_cut_ = 0;   // number of packets from the last cut to the first waiting packet
  bool stamped_ = false;         // some packets had stamps
  bool stamped_by_dts_ = false;  // some of these packets had only a decoding stamp
  bool finished_ = false;
};

}  // namespace facepipe::video
