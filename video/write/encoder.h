// Defines encoders: they take frames and give packets, each with the record of its frame.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "core/frame_record.h"
#include "video/ffmpeg.h"
#include "video/notices.h"
#include "video/write/picture_data.h"

namespace facepipe::video {

/// How the user wants the video to be encoded. Options are passed on unchanged.
struct EncoderOptions {
  /// FFmpeg's name of an encoder, or of a family ("h264"); for a family, the device's own encoder
  /// runs if it has one. Empty: the family H.264, or the still image's own.
  std::string codec;
  std::string preset;         ///< an unknown preset is Error(usage)
  std::optional<double> crf;  ///< with NVENC: constant quality, its option "cq"
  /// Name and value; an unknown name is Error(usage).
  std::vector<std::pair<std::string, std::string>> options;
};

/// Which encoder runs, and which formats it and the stages before it get.
struct EncoderPlan {
  const AVCodec* codec = nullptr;
  AVPixelFormat working = AV_PIX_FMT_NONE;  ///< format of the frames that stages work on
  AVPixelFormat encoded = AV_PIX_FMT_NONE;  ///< format of the pictures that the encoder gets
};

/// Returns the encoder that `options` name, or the format's usual one (libx264 if it fits). Errors:
/// Error(usage) for an unknown name; Error(output) if the format can't hold its packets.
[[nodiscard]] const AVCodec& choose_codec(const EncoderOptions& options,
                                          const AVOutputFormat& format, const std::string& output,
                                          Notices& notices);

/// Returns whether it is one of FFmpeg's encoders for NVENC, the encoder on NVIDIA's chips.
[[nodiscard]] bool is_nvenc(const AVCodec& codec);

/// Returns whether `options` name no encoder, or only a family ("h264"). Then a device may run its
/// own encoder.
[[nodiscard]] bool leaves_encoder_open(const EncoderOptions& options);

/// Returns whether the encoder only takes 8 bits, and users who name it need not know that.
[[nodiscard]] bool narrows_to_8_bits(const AVCodec& codec);

/// Returns whether the encoder encodes each picture by itself, and gives its packet before it takes
/// the next one. Then several encoders together make the same packets as one.
[[nodiscard]] bool encodes_one_by_one(const AVCodec& codec, const EncoderOptions& options);
/// Returns whether `options` name such an encoder.
[[nodiscard]] bool asks_for_one_by_one(const EncoderOptions& options);

/// Chooses formats for pictures of format `source`, as close to it as the encoder allows. If a size
/// doesn't fit the subsampling of chroma (an odd size in 4:2:0), it chooses 4:4:4, and a notice
/// says so. Throws Error(output) if the encoder takes nothing suitable.
[[nodiscard]] EncoderPlan plan_encoder(const AVCodec& codec, AVPixelFormat source,
                                       Size encoded_size, const std::string& output,
                                       Notices& notices);

struct EncoderSetup {
  EncoderPlan plan;
  EncoderOptions options;
  Rational frame_rate;
  bool fixed_frame_rate = false;  ///< time stamps must be a count of frames
  bool in_shown_order = false;    ///< the container can't hold pictures in another order
  bool global_header = false;
  int threads = 0;
  bool one_picture = false;             ///< a still image: no further picture will come
  std::string output;                   ///< for messages
  std::vector<StreamData> stream_data;  ///< data that the packets hold, too, if the encoder can
                                        ///< write them
};

struct EncodedFrame {
  UniqueAVPacket packet;  ///< its stamps are in Encoder::time_base(); its duration is set
  FrameRecord record;
};

/// The encoder of one video stream. Used by one thread.
class Encoder {
 public:
  using Sink = std::function<void(EncodedFrame)>;

  virtual ~Encoder() = default;

  /// Takes a frame. Gives zero or more packets to `sink`, in decoding order.
  virtual void encode(Frame frame, FrameRecord record, const Sink& sink) = 0;

  /// Gives packets that the encoder holds and need not hold back. Called if nothing comes for a
  /// while.
  virtual void catch_up(const Sink& /*sink*/) {}

  /// Gives the packets that the encoder still holds. Called at the end.
  virtual void flush(const Sink& sink) = 0;

  [[nodiscard]] virtual AVRational time_base() const = 0;
  [[nodiscard]] virtual UniqueCodecParameters parameters() const = 0;
  /// Returns FFmpeg's name of the encoder, or "nvjpeg".
  [[nodiscard]] virtual std::string name() const = 0;
};

/// Opens FFmpeg's encoder for frames like `first`.
/// Errors: Error(usage) for an option that the encoder doesn't know; Error(output) if it refuses.
[[nodiscard]] std::unique_ptr<Encoder> make_cpu_encoder(const EncoderSetup& setup,
                                                        const Frame& first, Notices& notices);

}  // namespace facepipe::video
