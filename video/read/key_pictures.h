// Gets the pictures that an H.264 decoder holds back out of it without ending it.
#pragma once

#include <memory>

#include "video/bitstream/entry_points.h"

namespace facepipe::video {

/// Makes a decoder ready for another stream with the same parameter sets. A key picture refers to
/// no picture before it. When it is sent, the decoder gives one of the pictures that it holds back,
/// and its state is as if nothing had come before. So the stream's own first key picture is sent
/// again after the stream's end, as often as pictures are held back. Used by one thread.
class KeyPictures {
 public:
  /// `parameters` are those with which the decoder is opened. Throws std::bad_alloc.
  explicit KeyPictures(const AVCodecParameters& parameters)
      : entries_(parameters), opened_with_(entries_.prelude()) {}

  /// Looks at a packet that goes to the decoder. Returns true if it refers to nothing before it,
  /// and the stream so far had only the parameter sets with which the decoder was opened.
  bool look_at(const AVPacket& packet);
  /// Returns whether no packet has brought other parameter sets.
  [[nodiscard]] bool unchanged() { return entries_.prelude() == opened_with_; }

  /// Returns one more packet to send; nullptr if there is none, or more have been sent than a
  /// decoder holds back.
  [[nodiscard]] UniqueAVPacket next();

 private:
  EntryPoints entries_;
  std::shared_ptr<const Prelude> opened_with_;
  UniqueAVPacket first_;
  int sent_ = 0;
};

}  // namespace facepipe::video
