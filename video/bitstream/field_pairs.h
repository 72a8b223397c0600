// Finds the second field of a picture whose two fields come in two packets.
#pragma once

#include <optional>

#include "video/bitstream/packet_parser.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Finds the second field of a picture that comes in two packets (PAFF H.264, MPEG-2). The packet
/// of the second field has no frame of its own.
class FieldPairs {
 public:
  explicit FieldPairs(const AVCodecParameters& parameters);

  /// Takes the next packet in decoding order. Returns whether this packet completes the picture
  /// that the previous packet began.
  bool is_second_field(const AVPacket& packet);

  /// Returns the position of the last packet's picture in presentation order, counted from the last
  /// IDR picture (picture order count of H.264); 0 for other codecs.
  [[nodiscard]] int picture_order() const { return parsed_ ? parsed_->output_picture_number : 0; }

  /// Returns what FFmpeg's parser said about the last packet; nullptr if the codec has no field
  /// pictures.
  [[nodiscard]] const AVCodecParserContext* parsed() const { return parsed_; }

  /// Forgets the last packet, because the next packet doesn't follow it.
  void restart() { open_field_ = 0; }

  /// Returns whether the last packet is a first field, so that its second field may come next.
  [[nodiscard]] bool waits_for_second() const { return open_field_ != 0; }

 private:
  std::optional<PacketParser> parser_;  // nullopt if the codec has no field pictures
  const AVCodecParserContext* parsed_ = nullptr;
  // AVPictureStructure of a first field that waits for its second; 0 if none waits.
  int open_field_ = 0;
};

}  // namespace facepipe::video
