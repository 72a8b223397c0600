// Tracks where a codec is in a stream, and whether it can take another stream afterwards.
#pragma once

#include <optional>

#include "video/ffmpeg.h"
#include "video/read/key_pictures.h"

namespace facepipe::video {

/// Tracks a stream, or a segment of it, from its first packet in the codec to its end. A codec can
/// be ended in two ways. After FFmpeg's own end, the codec must be flushed. An end by key pictures
/// leaves the codec idle: it can take another stream without a flush. Only one thread may use it.
class StreamSpan {
 public:
  /// Ends streams by key pictures from now on.
  void end_by_key_pictures(const AVCodecParameters& video) { keys_.emplace(video); }
  [[nodiscard]] bool ends_by_key_pictures() const { return keys_.has_value(); }

  /// Must be called before the codec gets `packet`. For a first packet, it prepares an idle codec.
  void see(const AVPacket& packet, AVCodecContext& codec, const AVCodecParameters& video);
  /// Says that the stream has no more packets.
  void finish() { finishing_ = true; }
  /// Returns whether the codec must still be ended.
  [[nodiscard]] bool must_end() const { return finishing_ && !finished_; }
  /// Says that the stream's end has been sent to FFmpeg.
  void set_ended() { finished_ = true; }

  /// Must be called when the codec has given all pictures. Returns true if the codec is idle now,
  /// so that the stream has ended. Returns false if the codec got other parameter sets. Call it
  /// only if ends_by_key_pictures() is true.
  [[nodiscard]] bool try_idle();
  /// Returns a picture that pushes another picture out of the codec; nullptr if there is none. Call
  /// it only if ends_by_key_pictures() is true.
  [[nodiscard]] UniqueAVPacket next_key_picture() { return keys_->next(); }

  /// Returns whether the codec is idle: it holds no pictures of earlier packets, so the next packet
  /// can begin another stream without a flush.
  [[nodiscard]] bool idle() const { return idle_; }
  void set_idle() { idle_ = true; }
  /// Makes the next packet the first packet of a stream.
  void restart();

 private:
  std::optional<KeyPictures> keys_;
  bool begins_ = true;  // the next packet is the first packet of all, or the first after an end
  bool idle_ = false;
  bool finishing_ = false;
  bool finished_ = false;  // the end was sent to FFmpeg, or all pictures were pushed out
};

}  // namespace facepipe::video
