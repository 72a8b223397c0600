// Finds where a video stream can be cut into segments that decode independently and exactly.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "video/bitstream/entry_points.h"

namespace facepipe::video {

/// The least number of packets between two cuts, before the first cut and after the last one. Very
/// short segments aren't exact. For example, FFmpeg's H.264 decoder drops one of two packets at the
/// end of an open GOP, because it hasn't recovered when it is drained.
inline constexpr std::int64_t kShortestSegment = 32;

/// The last packet after a cut that may belong to the segment before, counted from the cut. x264
/// and x265 make at most 16 B pictures in a row. If there are more, no cut is made.
inline constexpr std::int64_t kMostRunOn = 16;

/// Says in which segments a packet is decoded, and to which segment its picture belongs.
struct Placement {
  bool begins = false;   ///< a cut lies in front of the packet
  bool run_on = false;   ///< the packet is decoded in the segment before, too
  bool leading = false;  ///< its picture belongs to the segment before, otherwise to this one
  /// Only if `begins`: the entry is Entry::starts_independently.
  bool starts_independently = false;
  std::shared_ptr<const Prelude> prelude;  ///< only if `begins`: for the decoder that begins here
};

/// Decides for each packet whether a cut lies in front of it. A cut needs three things:
/// * the packet is an entry (EntryPoints);
/// * at least kShortestSegment packets lie between it and the last cut, and between it and the end;
/// * the packets that follow show which pictures are shown before the entry.
/// These pictures belong to the segment before, which also decodes the packets from the cut to the
/// last of them. So nothing is lost at open GOPs. Streams that were cut at key frames without this
/// lost 18 to 47 of 360 pictures.
/// If packets only have decoding stamps, the segment before also decodes the packet at the cut.
/// FFmpeg gives a delayed picture the decoding stamp of the packet that pushed it out.
/// If other packets have stamps, no cut lies in front of a packet without one. The time of its
/// picture then depends on what was decoded before.
/// Nothing is read ahead. If a cut is possible, the decision comes kShortestSegment packets late,
/// otherwise at once. Used by one thread.
class CutFinder {
 public:
  /// Takes the next packet, in file order. Before the next send(), next() must be called until it
  /// returns nullopt.
  void send(PacketFacts packet);
  /// Tells that no further packet will come.
  void finish() { finished_ = true; }
  /// Returns the placement of the next packet, in the order of sending; nullopt if more packets
  /// must be sent first.
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
  std::int64_t since_cut_ = 0;   // packets from the last cut to the first that waits
  bool stamped_ = false;         // some packets have had stamps
  bool stamped_by_dts_ = false;  // some of these have only had a decoding stamp
  bool finished_ = false;
};

}  // namespace facepipe::video
