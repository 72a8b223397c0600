// Makes an H.264 decoder give the pictures that it holds back, without ending it.
#pragma once

#include <memory>

#include "video/bitstream/entry_points.h"

namespace facepipe::video {

/// Makes a decoder ready for another stream with the same parameter sets. A key picture refers to
/// no earlier picture. When the decoder gets a key picture, it returns one of the pictures that it
/// holds back. Its state is then as if nothing had come before. Therefore, after the stream's end,
/// the stream's own first key picture is sent again, as often as pictures are held back. Only one
/// thread may use it.
class KeyPictures {
 public:
  /// The decoder must be opened with the same `parameters`. Throws std::bad_alloc.
  explicit KeyPictures(const AVCodecParameters& parameters)
      : entries_(parameters), opened_with_(entries_.prelude()) {}

  /// Examines a packet that goes to the decoder. Returns true if the packet refers to no earlier
  /// packet, and if the stream so far had only the parameter sets with which the decoder was
  /// opened.
  bool examine(const AVPacket& packet);
  /// Returns whether all packets so far had the parameter sets with which the decoder was opened.
  [[nodiscard]] bool unchanged() { return entries_.prelude() == opened_with_; }

  /// Returns one more packet to send. Returns nullptr if there is none, or if more packets were
  /// sent than a decoder holds back.
  [[nodiscard]] UniqueAVPacket next();

 private:
  EntryPoints entries_;
  std::shared_ptr<const Prelude> opened_with_;
  UniqueAVPacket first_;
  int sent_ = 0;
};

}  // namespace facepipe::video
