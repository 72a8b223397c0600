// Gets the pictures that an H.264 decoder holds back out of it without ending it.
#pragma once

#include <memory>

#include "video/bitstream/entry_points.h"

namespace facepipe::video {

/// A picture that refers to none before it pushes one that is held back out of the decoder, and
/// leaves it as if nothing had come before. So a stream's own first one, sent again behind its end
/// as often as pictures are held back, makes the decoder ready for another stream of the same
/// parameter sets. Used by one thread.
class KeyPictures {
 public:
  /// `parameters`: as the decoder is opened with. Throws std::bad_alloc.
  explicit KeyPictures(const AVCodecParameters& parameters)
      : entries_(parameters), opened_with_(entries_.prelude()) {}

  /// Looks at a packet that goes to the decoder: whether it refers to nothing before it, and the
  /// stream so far had no other parameter sets than those that the decoder was opened with.
  bool look_at(const AVPacket& packet);
  /// No packet has brought other parameter sets.
  [[nodiscard]] bool unchanged() { return entries_.prelude() == opened_with_; }

  /// One more to send; nullptr where there is none, or more have been sent than a decoder holds
  /// back.
  [[nodiscard]] UniqueAVPacket next();

 private:
  EntryPoints entries_;
  std::shared_ptr<const Prelude> opened_with_;
  UniqueAVPacket first_;
  int sent_ = 0;
};

}  // namespace facepipe::video
