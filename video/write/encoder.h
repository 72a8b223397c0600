// Frames in, packets out, each with the record of its frame.
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

/// What becomes of the encoded video. Options are passed through as they are.
struct EncoderOptions {
  /// FFmpeg's name of an encoder, or of a family ("h264"), of which the device's own is taken where
  /// it has one; empty: the family H.264, or the still image's own
  std::string codec;
  std::string preset;         ///< unknown: Error(usage)
  std::optional<double> crf;  ///< with NVENC: constant quality, its "cq"
  std::vector<std::pair<std::string, std::string>> options;  ///< name, value; unknown: Error(usage)
};

/// Which encoder runs, and what pictures it and the stages before it get.
struct EncoderPlan {
  const AVCodec* codec = nullptr;
  AVPixelFormat working = AV_PIX_FMT_NONE;  ///< of the frames that stages work on
  AVPixelFormat encoded = AV_PIX_FMT_NONE;  ///< of the pictures that the encoder gets
};

/// The encoder that `options` name, or the format's usual one (libx264 where it fits).
/// Errors: Error(usage) for an unknown name; Error(output) where the format can't hold its packets.
[[nodiscard]] const AVCodec& choose_codec(const EncoderOptions& options,
                                          const AVOutputFormat& format, const std::string& output,
                                          Notices& notices);

/// Whether it is one of FFmpeg's encoders for NVENC, the encoder on NVIDIA's chips.
[[nodiscard]] bool is_nvenc(const AVCodec& codec);

/// Whether `options` name no encoder, but a family ("h264") at most: a device may run its own.
[[nodiscard]] bool leaves_encoder_open(const EncoderOptions& options);

/// Whether the encoder takes 8 bits alone and nobody who names it need know that.
[[nodiscard]] bool narrows_to_8_bits(const AVCodec& codec);

/// Whether it encodes each picture by itself, and gives its packet before it takes the next: then
/// several encoders make what one does.
[[nodiscard]] bool encodes_one_by_one(const AVCodec& codec, const EncoderOptions& options);
/// Whether such an encoder was asked for by its name.
[[nodiscard]] bool asks_for_one_by_one(const EncoderOptions& options);

/// Finds formats for pictures of format `source`, as close to it as the encoder allows. Where a
/// size doesn't fit the subsampling of chroma (odd, in 4:2:0), 4:4:4 is taken, and told. Errors:
/// Error(output) where the encoder takes nothing suitable.
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
  bool one_picture = false;             ///< a still image: nothing is made for pictures that follow
  std::string output;                   ///< for messages
  std::vector<StreamData> stream_data;  ///< that the packets hold too, where the encoder can
};

/// One encoded picture.
struct EncodedFrame {
  UniqueAVPacket packet;  ///< stamps in Encoder::time_base(), duration set
  FrameRecord record;
};

/// One video stream's encoder. Used by one thread.
class Encoder {
 public:
  using Sink = std::function<void(EncodedFrame)>;

  virtual ~Encoder() = default;

  /// Takes a frame; gives zero or more packets to `sink`, in decoding order.
  virtual void encode(Frame frame, FrameRecord record, const Sink& sink) = 0;

  /// Nothing comes for a while: gives what it holds and need not hold back.
  virtual void catch_up(const Sink& /*sink*/) {}

  /// The end: gives the packets that the encoder still holds.
  virtual void flush(const Sink& sink) = 0;

  [[nodiscard]] virtual AVRational time_base() const = 0;
  [[nodiscard]] virtual UniqueCodecParameters parameters() const = 0;
  /// FFmpeg's name, or "nvjpeg".
  [[nodiscard]] virtual std::string name() const = 0;
};

/// Opens FFmpeg's encoder for frames like `first`.
/// Errors: Error(usage) for an option that the encoder doesn't know; Error(output) if it refuses.
[[nodiscard]] std::unique_ptr<Encoder> make_cpu_encoder(const EncoderSetup& setup,
                                                        const Frame& first, Notices& notices);

}  // namespace facepipe::video
