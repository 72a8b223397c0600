// Where a codec is between the begin and the end of a stream, and whether it can go on after it.
#pragma once

#include <optional>

#include "video/ffmpeg.h"
#include "video/read/key_pictures.h"

namespace facepipe::video {

/// A stream, or a segment of it, from its first packet in the codec to its end. A codec can be
/// ended in two ways: by FFmpeg's own end, which it must forget by a flush, or by key pictures,
/// which leave it idle. An idle codec can take another stream as it is. Used by one thread.
class StreamSpan {
 public:
  /// Ends streams by key pictures from now on.
  void end_by_key_pictures(const AVCodecParameters& video) { keys_.emplace(video); }
  [[nodiscard]] bool ends_by_key_pictures() const { return keys_.has_value(); }

  /// The codec takes `packet` next. If that is the first one, this prepares an idle codec for it.
  void see(const AVPacket& packet, AVCodecContext& codec, const AVCodecParameters& video);
  /// The stream has no more packets.
  void finish() { finishing_ = true; }
  /// The end must still be made in the codec.
  [[nodiscard]] bool must_end() const { return finishing_ && !finished_; }
  /// FFmpeg has been told of the end.
  void set_ended() { finished_ = true; }

  /// The codec has given all pictures. True if it is idle now, which is an end; false if it has
  /// met other parameter sets. Only if ends_by_key_pictures().
  [[nodiscard]] bool try_idle();
  /// A picture that pushes out another one; nullptr if there is none. Only if
  /// ends_by_key_pictures().
  [[nodiscard]] UniqueAVPacket next_key_picture() { return keys_->next(); }

  /// The codec holds nothing of what came before the next packet.
  [[nodiscard]] bool idle() const { return idle_; }
  void set_idle() { idle_ = true; }
  /// The next packet is the first one.
  void restart();

 private:
  std::optional<KeyPictures> keys_;
  bool begins_ = true;  // the next packet is the first of all, or the first after an end
  bool idle_ = false;
  bool finishing_ = false;
  bool finished_ = false;  // FFmpeg knows of the end, or all pictures were pushed out
};

}  // namespace facepipe::video
