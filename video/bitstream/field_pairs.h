// Which packets are the second fields of pictures that come in two packets.
#pragma once

#include <optional>

#include "video/bitstream/packet_parser.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Tells the second field of a picture that comes in two packets (PAFF H.264, MPEG-2): it gives no
/// frame of its own.
class FieldPairs {
 public:
  explicit FieldPairs(const AVCodecParameters& parameters);

  /// True if the packet, the next in decoding order, completes the picture that the last one began.
  bool is_second_field(const AVPacket& packet);

  /// Where the last packet's picture comes in presentation order, counted from the last IDR
  /// (picture order count): H.264 alone; 0 elsewhere.
  [[nodiscard]] int picture_order() const { return parsed_ ? parsed_->output_picture_number : 0; }

  /// What FFmpeg's parser said of the last packet; nullptr where the codec has no field pictures.
  [[nodiscard]] const AVCodecParserContext* parsed() const { return parsed_; }

  /// The next packet follows none.
  void restart() { open_field_ = 0; }

  /// The last packet is a first field, whose second may come next.
  [[nodiscard]] bool waits_for_second() const { return open_field_ != 0; }

 private:
  std::optional<PacketParser> parser_;  // none where the codec has no field pictures
  const AVCodecParserContext* parsed_ = nullptr;
  int open_field_ = 0;  // AVPictureStructure of a first field that waits for its second, or 0
};

}  // namespace facepipe::video
