// Drives a video encoder of FFmpeg: opens it, sends pictures, and takes packets. The CPU's encoders
// and NVENC's use this class.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "video/write/encoder.h"
#include "video/write/encoder_stamps.h"

namespace facepipe::video {

/// Holds names and values, in the order in which they are set. The last value of a name counts.
using CodecOptions = std::vector<std::pair<std::string, std::string>>;

/// Returns whether one of the options has one of the names.
[[nodiscard]] bool names_any(const CodecOptions& options,
                             std::initializer_list<std::string_view> names);

/// Returns whether the encoder has the option, either its own or one that all encoders share.
[[nodiscard]] bool has_option(AVCodecContext& context, const std::string& name);
/// Returns whether the encoder has the option as one of its own.
[[nodiscard]] bool has_own_option(const AVCodec& codec, const std::string& name);

/// Calls avcodec_open2() with options, and returns its code. Makes encoders quiet that would write
/// to standard error, unless the user's options say otherwise. Throws Error(usage) for an option
/// that the encoder doesn't know.
[[nodiscard]] int open_with_options(AVCodecContext& context, const CodecOptions& options);

/// Only one thread may use it. Packets keep FFmpeg's decoding stamps.
class FFmpegEncoder {
 public:
  /// Sets fields of the encoder's context that don't follow from the setup and the first frame.
  using Configure = std::function<void(AVCodecContext&)>;

  /// Errors: Error(usage) as open_with_options(); Error(output) if the encoder refuses;
  /// Error(internal) if the system has too few threads, or too little memory, for it.
  FFmpegEncoder(const EncoderSetup& setup, const Frame& first, const CodecOptions& options,
                const Configure& configure, Notices& notices);
  ~FFmpegEncoder();
  FFmpegEncoder(const FFmpegEncoder&) = delete;
  FFmpegEncoder& operator=(const FFmpegEncoder&) = delete;

  /// Sets the stamp of `picture`, which shows `frame`. The next send() must get this picture.
  void announce(const Frame& frame, AVFrame& picture, FrameRecord record);
  /// Sends a picture, and calls `sink` with zero or more packets. Errors: Error(output).
  void send(const AVFrame& picture, const Encoder::Sink& sink) { give(&picture, sink); }
  void flush(const Encoder::Sink& sink) { give(nullptr, sink); }

  [[nodiscard]] const AVCodecContext& context() const { return *context_; }
  [[nodiscard]] UniqueCodecParameters parameters() const;
  [[nodiscard]] std::string name() const { return context_->codec->name; }

 private:
  struct Pending {
    std::int64_t duration;
    FrameRecord record;
  };

  void give(const AVFrame* picture, const Encoder::Sink& sink);
  bool receive(EncodedFrame& result);

  std::string subject_;  // beginning of error messages
  UniqueCodecContext context_;
  EncoderClock clock_;
  std::map<std::int64_t, Pending> pending_;  // key: presentation stamp
  bool got_any_ = false;                     // the encoder got a picture
};

}  // namespace facepipe::video
