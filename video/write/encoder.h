// Defines encoders, which take frames and give packets. Each packet comes with its frame's record.
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

/// Says how the user wants the video to be encoded. Options are passed on unchanged.
struct EncoderOptions {
  /// FFmpeg's name of an encoder, or of a family ("h264"). For a family, the device's own encoder
  /// runs if it has one. Empty: the family H.264, or for a still image the codec of that image.
  std::string codec;
  std::string preset;         ///< an unknown preset is Error(usage)
  std::optional<double> crf;  ///< with NVENC: constant quality, its option "cq"
  /// Name and value; an unknown name is Error(usage).
  std::vector<std::pair<std::string, std::string>> options;
};

/// Names the encoder that runs, and the formats that it and the earlier stages get.
struct EncoderPlan {
  const AVCodec* codec = nullptr;
  AVPixelFormat working = AV_PIX_FMT_NONE;  ///< format of the frames that stages work on
  AVPixelFormat encoded = AV_PIX_FMT_NONE;  ///< format of the pictures that the encoder gets
};

/// Returns the encoder that `options` name, or the format's usual encoder (libx264 if the format
/// can store H.264). Errors: Error(usage) for an unknown name; Error(output) if the format can't
/// store the encoder's packets.
[[nodiscard]] const AVCodec& choose_codec(const EncoderOptions& options,
                                          const AVOutputFormat& format, const std::string& output,
                                          Notices& notices);

/// Returns whether `codec` is one of FFmpeg's encoders for NVENC, the encoder on NVIDIA's chips.
[[nodiscard]] bool is_nvenc(const AVCodec& codec);

/// Returns whether `options` name no encoder, or only a family ("h264"). Then a device may run its
/// own encoder.
[[nodiscard]] bool leaves_encoder_open(const EncoderOptions& options);

/// Returns whether the encoder takes only 8 bits although its name doesn't say so: JPEG's encoders,
/// and NVENC's for H.264.
[[nodiscard]] bool narrows_to_8_bits(const AVCodec& codec);

/// Returns whether the encoder encodes each picture by itself, and gives its packet before it takes
/// the next picture. Then several encoders together make the same packets as a single encoder.
[[nodiscard]] bool encodes_one_by_one(const AVCodec& codec, const EncoderOptions& options);
/// Returns whether `options` name an encoder for which encodes_one_by_one() is true.
[[nodiscard]] bool asks_for_one_by_one(const EncoderOptions& options);

/// Chooses formats for pictures of format `source`, as close to `source` as the encoder allows. If
/// the size doesn't fit the subsampling of chroma (an odd size in 4:2:0), it chooses 4:4:4, and a
/// notice says so. Throws Error(output) if the encoder takes no suitable format.
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
  std::vector<StreamData> stream_data;  ///< also written into the packets, if the encoder can do it
};

struct EncodedFrame {
  UniqueAVPacket packet;  ///< its stamps are in Encoder::time_base(); its duration is set
  FrameRecord record;
};

/// Encodes one video stream. Only one thread may use it.
class Encoder {
 public:
  using Sink = std::function<void(EncodedFrame)>;

  virtual ~Encoder() = default;

  /// Takes a frame, and calls `sink` with zero or more packets, in decoding order.
  virtual void encode(Frame frame, FrameRecord record, const Sink& sink) = 0;

  /// Gives all packets that the encoder can give without further frames. Waits for them if they
  /// aren't ready. It is called if no frame comes for a while. An encoder that needs further frames
  /// gives none.
  virtual void catch_up(const Sink& /*sink*/) {}

  /// Gives all packets that the encoder still holds. It is called at the end.
  virtual void flush(const Sink& sink) = 0;

  [[nodiscard]] virtual AVRational time_base() const = 0;
  [[nodiscard]] virtual UniqueCodecParameters parameters() const = 0;
  /// Returns FFmpeg's name of the encoder, or "nvjpeg".
  [[nodiscard]] virtual std::string name() const = 0;
};

/// Opens an encoder of FFmpeg on the CPU for frames like `first`.
/// Errors: Error(usage) for an option that the encoder doesn't know; Error(output) if the encoder
/// refuses.
[[nodiscard]] std::unique_ptr<Encoder> make_cpu_encoder(const EncoderSetup& setup,
                                                        const Frame& first, Notices& notices);

}  // namespace facepipe::video
