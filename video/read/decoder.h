// Packets in, pictures out, each matched to its packet: time stamps, the chosen range, loss and
// damage.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "video/bitstream/read_packet.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_maker.h"
#include "video/notices.h"
#include "video/read/demuxer.h"
#include "video/read/ledger.h"
#include "video/read/picture_matcher.h"
#include "video/read/stream_span.h"
#include "video/read/unsent_packets.h"

namespace facepipe::video {

/// Who decodes for the device.
enum class DecoderChoice {
  automatic,  ///< NVDEC if it can, else the CPU, and a notice says so; the CPU decodes a still
              ///< image, which is faster than to make a decoder on the chip
  nvdec,      ///< what NVDEC can't decode is an error
  cpu,        ///< the CPU and an upload, whatever NVDEC can
};

struct DecoderOptions {
  int threads = 0;  ///< 0: as many as the machine has
  std::optional<double> start_s;
  std::optional<double> end_s;
  bool scale_on_change = true;  ///< false: a picture of another size or format is Error(input)
  /// The output has a tag for turned pictures. False: pixels are turned.
  bool tags_rotation = true;
  int frames_alive = 8;  ///< frames that may be alive at once
  /// A decoder refuses a stream if it can't tell which pictures are damaged, and the CPU can.
  bool must_tell_damage = false;
};

/// Decodes one video stream through FFmpeg, whatever memory its pictures lie in. A back end opens
/// the codec, and says how its pictures become frames. Used by one thread at a time. Its ten
/// members are the codec, what it was made for, and the three steps of a packet's way through it:
/// before the codec, in it, and behind it.
class Decoder {
 public:
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Takes one packet. Call next() until it gives no picture, and then send the next packet.
  void send(const ReadPacket& packet);
  /// The stream or segment ends: next() gives what the decoder still holds.
  void finish();
  /// Call this after the end, when next() has given everything. It makes the decoder like a new one
  /// that keeps the ledger, for another segment of the stream (video/bitstream/segments.h). The
  /// segment's first packet says what is needed of all before. The timeline begins anew:
  /// DecodedPicture::coded has the stamps that only all pictures together could mend.
  ///
  /// A segment needs no end and no restart() before it if its first packet is
  /// ReadPacket::starts_independently and comes from later in the stream. Its pictures then come
  /// behind those of the segment before.
  void restart();
  /// Makes the decoder like a new one that has been sent nothing. May be called at any time.
  void begin_again();
  /// The next picture of the chosen range, in presentation order; nullopt if more packets are
  /// needed. A packet that can't be decoded is counted and throws nothing. Errors: Error(input) for
  /// pictures that are larger than allowed.
  [[nodiscard]] std::optional<DecodedPicture> next();

  /// Why this decoder can't decode the stream; empty if it can. The reason is known when the first
  /// picture has come, and never changes afterwards. Send nothing to a decoder that refuses.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// Whether this kind of decoder refuses some streams.
  [[nodiscard]] virtual bool may_refuse() const { return false; }
  /// A picture has come, inside of the chosen range or outside.
  [[nodiscard]] bool has_decoded() const { return has_decoded_; }

  /// True once the packet, or a picture that has come, is past the end of the chosen range, so that
  /// no later packet can matter. Any thread may ask.
  [[nodiscard]] bool past_end(const AVPacket& packet) const { return matcher_.past_end(packet); }
  /// Whether a packet of any stream lies in the chosen range. Any thread may ask.
  [[nodiscard]] bool in_range(const AVPacket& packet, AVRational time_base) const {
    return matcher_.in_range(packet, time_base);
  }

  /// What was decoded and lost, in all segments except those in `without`.
  [[nodiscard]] FrameLedger ledger(const std::set<std::int64_t>& without = {}) const {
    return matcher_.ledger().totals(without);
  }
  /// The input's.
  [[nodiscard]] const std::string& url() const { return demuxer_.url(); }
  /// FFmpeg's name.
  [[nodiscard]] virtual std::string name() const { return context_->codec->name; }

  /// What a picture of this decoder is like on the device that works on it.
  [[nodiscard]] virtual PictureFacts facts_of(const AVFrame& picture) const;
  /// Makes what turns pictures, beginning with `first`, into frames like `target`. The demuxer must
  /// outlive the result. Errors: Error(output) if the device can't do with the pixels what the
  /// target asks; device.
  [[nodiscard]] virtual std::unique_ptr<FrameMaker> make_frames(const AVFrame& first,
                                                                const FrameTarget& target) = 0;

 protected:
  Decoder(const Demuxer& demuxer, const DecoderOptions& options, Notices& notices);

  /// FFmpeg's usual decoder for the stream, or one that gives its transparency, too. Errors:
  /// Error(input) if there is none.
  [[nodiscard]] const AVCodec& usual_codec() const;

  /// Opens the codec by open(): in the beginning, and again for begin_again(). Errors:
  /// Error(input); device.
  virtual void open_codec() = 0;

  /// Opens a decoder for the stream. Before that, `prepare` sets what it wants in the context.
  /// Errors: Error(input).
  void open(const AVCodec& codec, int threads, const std::function<void(AVCodecContext&)>& prepare);

  /// Takes the place of open(): goes on with the codec that a decoder of a stream with the same
  /// parameters has given up by take_idle().
  void go_on_with(UniqueCodecContext context);
  /// Call this before the first packet. If the stream allows it, streams then end so that the codec
  /// can go on with another stream or segment as it is. After FFmpeg's own end,
  /// avcodec_flush_buffers() must follow, which makes NVDEC's decoder for H.264 anew.
  void end_by_key_pictures();
  /// The codec, if the stream has ended so and nothing of it is left in the codec; else nullptr.
  /// Afterwards the decoder decodes nothing more.
  [[nodiscard]] UniqueCodecContext take_idle();

  void refuse(std::string reason) { refusal_ = std::move(reason); }

  /// Gets each code that FFmpeg's decoder returned. If it is an error and the back end doesn't
  /// throw, the packet counts as lost.
  virtual void check_decoded(int /*code*/) {}

  /// Whether the decoder says that not all of the picture was decoded.
  [[nodiscard]] virtual bool is_damaged(const AVFrame& picture);

  [[nodiscard]] const Demuxer& demuxer() const { return demuxer_; }
  [[nodiscard]] const DecoderOptions& options() const { return options_; }
  [[nodiscard]] Notices& notices() const { return notices_; }

 private:
  [[nodiscard]] bool submit_one();
  [[nodiscard]] bool gives_at_once() const;
  void forget_segment();
  [[nodiscard]] int submit(AVPacket& packet, std::int64_t tag);
  [[nodiscard]] bool end_without_draining();
  [[nodiscard]] UniqueAVFrame receive();
  /// Throws Error(input) if pictures, which may change in mid-stream, are larger than allowed.
  void check_size() const;

  const Demuxer& demuxer_;
  DecoderOptions options_;
  Notices& notices_;
  UnsentPackets unsent_;
  PictureMatcher matcher_;
  StreamSpan span_;
  bool has_decoded_ = false;
  std::int64_t silent_ = 0;  // tag of a packet that FFmpeg took without an error, or 0
  std::string refusal_;
  UniqueCodecContext context_;
};

}  // namespace facepipe::video
