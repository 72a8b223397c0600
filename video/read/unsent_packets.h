// Holds packets between Decoder::send() and FFmpeg's decoder, and joins the two fields of a
// picture.
#pragma once

#include <cstdint>
#include <deque>

#include "video/bitstream/field_pairs.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Holds a packet and its tag in the ledger.
struct TaggedPacket {
  UniqueAVPacket packet;
  std::int64_t tag = 0;
};

/// Holds packets until the codec takes them. A first field of H.264 waits for its second field, and
/// both go to the codec in one packet.
///
/// The reason is that each of FFmpeg's threads decodes one packet. A thread notes which macroblocks
/// of an H.264 picture it has seen. A thread that gets only the second field assumes that the first
/// field is missing, and reports the whole picture as damaged. If both fields are in one packet, as
/// in Matroska, several threads report the same damage as one thread.
class UnsentPackets {
 public:
  explicit UnsentPackets(const AVCodecParameters& video);

  /// Returns whether the next packet of the stream is the second field of the packet before it.
  [[nodiscard]] bool is_second_field(const AVPacket& packet);
  /// Joins a second field to its first field. Returns false if no first field waits. Errors: as
  /// av_grow_packet().
  [[nodiscard]] bool join(const AVPacket& second);
  /// Adds the packet that was passed to is_second_field(). If a first field still waits, it goes to
  /// the codec without its second field.
  void push(TaggedPacket next);
  /// Says that no more packets come, so that a first field doesn't wait any longer.
  void finish();
  /// Says that the next packet begins a segment, so that it isn't a second field.
  void restart() { fields_.restart(); }
  /// Drops all packets.
  void clear();

  [[nodiscard]] bool empty() const { return ready_.empty(); }
  /// Takes the next packet for the codec; there must be one.
  [[nodiscard]] TaggedPacket pop();

 private:
  FieldPairs fields_;
  const bool joins_fields_;
  TaggedPacket first_field_;        // waits for its second field; otherwise empty
  std::deque<TaggedPacket> ready_;  // at most two
};

}  // namespace facepipe::video
