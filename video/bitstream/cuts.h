// Where a video stream can be cut into segments that are decoded independently and exactly.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "video/bitstream/entry_points.h"

namespace facepipe::video {

/// Packets between two cuts, before the first and behind the last, at least. Very short segments
/// aren't exact: of two packets at the end of an open GOP, FFmpeg's H.264 decoder drops one,
/// because it hasn't recovered when it is drained.
inline constexpr std::int64_t kShortestSegment = 32;

/// The last packet behind a cut that may belong to the segment before. x264 and x265 make 16 B
/// pictures in a row, at most; where there are more, no cut is made.
inline constexpr std::int64_t kMostRunOn = 16;

/// In which segments a packet is decoded, and to which its picture belongs.
struct Placement {
  bool begins = false;   ///< a cut lies in front of it
  bool run_on = false;   ///< it is decoded in the segment before, too
  bool leading = false;  ///< its picture belongs to the segment before, else to this one
  bool alone = false;    ///< where `begins`: as Entry::alone
  std::shared_ptr<const Prelude> prelude;  ///< where `begins`: for the decoder that begins here
};

/// Decides for each packet whether a cut lies in front of it: the packet is an entry (see
/// EntryPoints), kShortestSegment packets lie behind the last cut and from here to the end, and
/// which pictures are shown before it is known from the packets that follow. Those belong to the
/// segment before, which also decodes the packets from the cut to the last of them. So nothing is
/// lost where GOPs are open: cut at key frames, without that, such streams lost 18 to 47 of 360
/// pictures.
/// Where packets have decoding stamps alone, the segment before also decodes the packet at the cut:
/// FFmpeg gives a delayed picture the decoding stamp of the packet that pushed it out.
/// Where others have stamps, no cut lies in front of a packet without: only what was decoded before
/// tells when its picture is shown.
/// Nothing is read ahead: a decision comes kShortestSegment packets late where a cut is possible,
/// else at once. Used by one thread.
class CutFinder {
 public:
  /// The next packet, in file order; next() is called until it gives nothing before another is
  /// sent.
  void send(PacketFacts packet);
  /// There is no further packet.
  void finish() { finished_ = true; }
  /// Of the next packet, in the order in which they were sent; nullopt where more must be sent.
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
  std::int64_t since_cut_ = 0;   // packets, before the first that waits
  bool stamped_ = false;         // some have been
  bool stamped_by_dts_ = false;  // and some by a decoding stamp alone
  bool finished_ = false;
};

}  // namespace facepipe::video
