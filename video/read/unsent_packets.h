// Packets between Decoder::send() and FFmpeg's decoder: the two fields of a picture become one.
#pragma once

#include <cstdint>
#include <deque>

#include "video/bitstream/field_pairs.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// A packet with its number in the ledger.
struct TaggedPacket {
  UniqueAVPacket packet;
  std::int64_t tag = 0;
};

/// Holds packets until the codec takes them. A first field of H.264 waits for its second one, and
/// both go to the codec in one packet.
///
/// The reason lies in FFmpeg's threads, which decode a packet each. A thread notes which
/// macroblocks of an H.264 picture it has seen. A thread that gets only the second field believes
/// that the first one is missing, and flags a whole picture as damaged. With both fields in one
/// packet, as Matroska stores them, the flags are those of one thread.
class UnsentPackets {
 public:
  explicit UnsentPackets(const AVCodecParameters& video);

  /// Looks at the next packet of the stream: whether it is the second field of the packet before.
  [[nodiscard]] bool is_second_field(const AVPacket& packet);
  /// Joins a second field to its first one. False if no first field waits.
  /// Errors: as av_grow_packet().
  [[nodiscard]] bool join(const AVPacket& second);
  /// Adds the packet that is_second_field() has looked at. A first field whose second one never
  /// came goes to the codec by itself.
  void push(TaggedPacket next);
  /// No more packets come: a first field doesn't wait any longer.
  void finish();
  /// The next packet begins a segment: it is no second field.
  void restart() { fields_.restart(); }
  /// Drops all packets.
  void clear();

  [[nodiscard]] bool empty() const { return ready_.empty(); }
  /// Takes the next packet for the codec; there must be one.
  [[nodiscard]] TaggedPacket pop();

 private:
  FieldPairs fields_;
  const bool joins_fields_;
  TaggedPacket first_field_;        // waits for its second field; else empty
  std::deque<TaggedPacket> ready_;  // at most two
};

}  // namespace facepipe::video
