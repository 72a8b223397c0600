// Cuts a stream of video packets into segments that can be decoded independently and exactly.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "video/bitstream/cuts.h"
#include "video/bitstream/read_packet.h"

namespace facepipe::video {

/// Holds a packet for the decoder of one segment.
struct SegmentPacket {
  std::int64_t segment = 0;  ///< counted from 0
  std::int64_t ordinal = 0;  ///< index of the packet in the stream, from 0; at a segment's end, the
                             ///< index of the next packet
  ReadPacket read;           ///< read.packet is nullptr when the segment has ended
  /// The packet begins a segment, and its Prelude says no more than the stream's parameters: the
  /// packets before have added nothing. A Segmenter that begins with it makes the same cuts behind
  /// it.
  bool needs_nothing_before = false;
};

/// Cuts a stream into segments. Each segment is for a decoder of its own, or for a decoder that has
/// been restarted (Decoder::restart()). Each decoder gives the pictures that belong to its segment.
/// Joined in the order of the segments, the pictures, stamps and ledgers equal those of one decoder
/// that gets the whole stream. There are two exceptions:
/// * If presentation stamps of pictures don't increase, stamps can differ. FFmpeg compares them
///   with the decoding stamps of all earlier packets (best_effort_timestamp).
/// * If the picture at a cut is damaged, this picture and some later pictures can differ, but
///   always in the same way. FFmpeg conceals damage with earlier pictures, and a decoder that
///   begins at the cut has no earlier pictures.
/// A segment consists of
/// * its packets; the first packet comes with the facts that a decoder must know about all earlier
///   packets (Prelude);
/// * the packets from the next cut to the last packet whose picture is shown before that cut. These
///   packets come in both segments. They are ReadPacket::decode_only in the segment to which their
///   picture doesn't belong.
/// The packets of a segment come in file order. The end of a segment comes before the packets of
/// the segment after the next one. No packet is read ahead: at most kShortestSegment packets wait
/// for a decision. If there is no safe cut, there is one segment. Only one thread may use it.
class Segmenter {
 public:
  /// The decoders must be opened with the same `parameters`. Throws std::bad_alloc.
  /// @param cuts  the stream is cut only at these safe places: before the packets with these
  ///              indices, which increase; nullopt: at each safe place
  /// @param first  the index of the first packet that comes; if it isn't 0, the packet is one that
  ///              needs nothing before
  explicit Segmenter(const AVCodecParameters& parameters,
                     std::optional<std::vector<std::int64_t>> cuts = std::nullopt,
                     std::int64_t first = 0);

  /// Takes the next packet of the stream, in file order. Before the next send(), call next() until
  /// it returns nullopt.
  void send(ReadPacket packet);
  /// Says that the stream has ended. next() then returns the packets that wait, and the end of the
  /// last segment.
  void finish();
  /// Returns the next packet. Returns nullopt if more packets must be sent first, and after the
  /// last end.
  [[nodiscard]] std::optional<SegmentPacket> next();

  /// Returns the number of segments so far.
  [[nodiscard]] std::int64_t segments() const { return segment_ + 1; }

 private:
  [[nodiscard]] bool is_cut() const;
  void route(ReadPacket packet, const Placement& placement);
  [[nodiscard]] bool adds_nothing(const Prelude* prelude) const;
  void push(std::int64_t segment, ReadPacket packet, bool needs_nothing_before = false);
  void push_end(std::int64_t segment);

  EntryPoints entries_;
  CutFinder cuts_;
  std::shared_ptr<const Prelude> first_prelude_;
  const std::optional<std::vector<std::int64_t>> only_;
  std::deque<ReadPacket> undecided_;
  std::deque<SegmentPacket> ready_;
  const std::int64_t first_;
  std::int64_t segment_ = 0;
  std::int64_t ordinal_;           // index of the next packet for which a decision is due
  bool cut_ = false;               // the last safe place is a cut
  bool previous_is_open_ = false;  // the previous segment can still get packets
  bool finished_ = false;
  bool ended_ = false;  // next() has returned the last segment's end
};

}  // namespace facepipe::video
