// Finds packets that say that nothing changes, so that the previous picture stays.
#pragma once

#include "video/bitstream/byte_reader.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Examines the packets of one video stream, in file order. These packets contain no picture:
/// * all codecs: a packet without any byte (AVI has such packets if a picture is shown for longer);
/// * MPEG-4 part 2: a VOP that isn't coded (ISO/IEC 14496-2, 6.2.5);
/// * Dirac, VC-2: data units that are no pictures (SMPTE ST 2042-1, 10.5.2);
/// * VP8: a frame that isn't shown, but to which other frames refer (RFC 6386, 9.1).
/// Not thread-safe. Packets are not trusted: a malformed packet counts as a picture.
class UnchangedPackets {
 public:
  explicit UnchangedPackets(const AVCodecParameters& parameters);

  /// Returns whether the packet has no picture of its own. In a packed MPEG-4 stream, a picture
  /// from the previous packet can be shown instead.
  [[nodiscard]] bool is_one(const AVPacket& packet);

 private:
  void follow_mpeg4(Bytes bytes);
  [[nodiscard]] bool is_vop_not_coded(Bytes bytes) const;

  AVCodecID codec_;
  int time_bits_ = 0;  // MPEG-4: bits of vop_time_increment; 0 until a header has defined them
};

}  // namespace facepipe::video
