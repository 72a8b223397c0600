// Cuts a stream of video packets into segments that can be decoded independently and exactly.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "video/bitstream/cuts.h"
#include "video/bitstream/read_packet.h"

namespace facepipe::video {

/// A packet for the decoder of one segment.
struct SegmentPacket {
  std::int64_t segment = 0;  ///< counted from 0
  std::int64_t ordinal = 0;  ///< of the packet in the stream, from 0; at an end, that of the next
  ReadPacket read;           ///< read.packet == nullptr: the segment has ended
};

/// Each segment is for a decoder of its own, or for one that has been restarted (Decoder::restart):
/// that gives the pictures that belong to the segment, and together, in the order of their
/// segments, they are those of one decoder that gets the whole stream: same pictures, stamps and
/// ledger. Where presentation stamps of pictures don't rise, FFmpeg weighs them against the
/// decoding stamps of all that came before (best_effort_timestamp): there, stamps may differ. Where
/// the picture at a cut is damaged, FFmpeg conceals it by those before, which a decoder that begins
/// there hasn't: what it makes of that picture, and of some behind it, may differ, too, but never
/// by chance. A segment has
/// * its packets, the first with what a decoder would know of all before it (Prelude);
/// * those from the next cut to the last that is shown before it. They come in both segments, and
///   are ReadPacket::foreign in the one that their picture doesn't belong to.
/// The packets of a segment come in file order, and its end before the packets of the one behind
/// the next. Nothing is read ahead: kShortestSegment packets, at most, wait for a decision. Without
/// a safe cut there is one segment. Used by one thread.
class Segmenter {
 public:
  /// `parameters`: as the decoders are opened with. Throws std::bad_alloc.
  explicit Segmenter(const AVCodecParameters& parameters);

  /// The next packet of the stream, in file order; next() is called until it gives nothing before
  /// another is sent.
  void send(ReadPacket packet);
  /// The stream has ended: next() gives what waits, and the end of the last segment.
  void finish();
  /// nullopt where more must be sent, and behind the last end.
  [[nodiscard]] std::optional<SegmentPacket> next();

  /// So far.
  [[nodiscard]] std::int64_t segments() const { return segment_ + 1; }

 private:
  void route(ReadPacket packet, const Placement& placement);
  void push(std::int64_t segment, ReadPacket packet);
  void push_end(std::int64_t segment);

  EntryPoints entries_;
  CutFinder cuts_;
  std::shared_ptr<const Prelude> first_prelude_;
  std::deque<ReadPacket> undecided_;
  std::deque<SegmentPacket> ready_;
  std::int64_t segment_ = 0;
  std::int64_t ordinal_ = 0;       // of the next packet that is decided
  bool previous_is_open_ = false;  // the segment before still gets packets
  bool finished_ = false;
  bool ended_ = false;  // the last segment's end has been given
};

}  // namespace facepipe::video
