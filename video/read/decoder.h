// Packets in, pictures out, each matched to its packet: time stamps, the chosen range, loss and
// damage.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/timing.h"
#include "video/bitstream/field_pairs.h"
#include "video/bitstream/read_packet.h"
#include "video/bitstream/unchanged.h"
#include "video/ffmpeg.h"
#include "video/frames/frame_maker.h"
#include "video/notices.h"
#include "video/read/demuxer.h"
#include "video/read/key_pictures.h"
#include "video/read/ledger.h"
#include "video/read/timeline.h"

namespace facepipe::video {

/// Who decodes for the device.
enum class DecoderChoice {
  automatic,  ///< NVDEC where it can, else the CPU, which is told in the notices; a still image's
              ///< is the CPU, which is faster than to make a decoder on the chip
  nvdec,      ///< what NVDEC can't decode is an error
  cpu,        ///< the CPU and an upload, whatever NVDEC can
};

struct DecoderOptions {
  int threads = 0;  ///< 0: as many as the machine has
  std::optional<double> start_s;
  std::optional<double> end_s;
  bool scale_on_change = true;  ///< else a picture of another size or format is Error(input)
  bool tags_rotation = true;  ///< the output can say that pictures are turned; else pixels must be
  int frames_alive = 8;       ///< frames that may be alive at once
  /// A decoder refuses what it can't tell damage of, where that on the CPU can.
  bool must_tell_damage = false;
};

/// One video stream's decoder, through FFmpeg, whatever memory its pictures lie in. A back end
/// opens the codec, and says how its pictures become frames. Used by one thread at a time.
class Decoder {
 public:
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Takes one packet; next() is called until it gives none before another is sent.
  void send(const ReadPacket& packet);
  /// The end: next() gives what the decoder still holds.
  void finish();
  /// A segment may also follow another without an end between them, where its first packet is
  /// ReadPacket::alone and comes from later in the stream: its pictures then come behind those of
  /// the segment before.
  ///
  /// After the end, when next() has given everything: makes the decoder like a new one that keeps
  /// the ledger, for another segment of the stream (video/bitstream/segments.h), of which the first
  /// packet says what is needed of all before. The timeline begins anew: stamps that only all
  /// pictures together could mend are in DecodedPicture::coded.
  void restart();
  /// At any time: makes the decoder like a new one that has been sent nothing.
  void begin_again();
  /// The next picture of the chosen range, in presentation order; nullopt where more packets are
  /// needed. A packet that can't be decoded is counted, not thrown. Errors: Error(input) for
  /// pictures that are larger than allowed.
  [[nodiscard]] std::optional<DecodedPicture> next();

  /// Why this decoder can't decode the stream; empty where nothing speaks against it. It is known
  /// when the first picture has come; after that, it never changes. A decoder that refuses is sent
  /// nothing.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// Whether it is one that refuses some streams.
  [[nodiscard]] virtual bool may_refuse() const { return false; }
  /// A picture has come, of the chosen range or not.
  [[nodiscard]] bool has_decoded() const { return has_decoded_; }

  /// True once a packet, or a picture that has come, is past the end of the chosen range, so that
  /// no later packet can matter. Any thread may ask.
  [[nodiscard]] bool past_end(const AVPacket& packet) const;
  /// Whether a packet of any stream lies in the chosen range.
  [[nodiscard]] bool in_range(const AVPacket& packet, AVRational time_base) const;

  /// Of all segments but some.
  [[nodiscard]] FrameLedger ledger(const std::set<std::int64_t>& without = {}) const {
    return ledger_.totals(without);
  }
  /// Of the input.
  [[nodiscard]] const std::string& url() const { return demuxer_.url(); }
  /// FFmpeg's name.
  [[nodiscard]] virtual std::string name() const { return context_->codec->name; }

  /// What a picture of this decoder is like where it will be worked on.
  [[nodiscard]] virtual PictureFacts facts_of(const AVFrame& picture) const;
  /// What makes frames like `target` of pictures, of which `first` is the first. It must not
  /// outlive the demuxer. Errors: Error(output) for what the target asks of the pixels and the
  /// device can't do; device.
  [[nodiscard]] virtual std::unique_ptr<FrameMaker> make_frames(const AVFrame& first,
                                                                const FrameTarget& target) = 0;

 protected:
  Decoder(const Demuxer& demuxer, const DecoderOptions& options, Notices& notices);

  /// FFmpeg's usual decoder for the stream, or one that gives its transparency, too. Errors:
  /// Error(input) where there is none.
  [[nodiscard]] const AVCodec& usual_codec() const;

  /// Opens the codec by open(): in the beginning, and again where the decoder is to be like a new
  /// one. Errors: Error(input); device.
  virtual void open_codec() = 0;

  /// Opens a decoder for the stream. `prepare` sets what it wants set before that.
  /// Errors: Error(input).
  void open(const AVCodec& codec, int threads, const std::function<void(AVCodecContext&)>& prepare);

  /// Instead of open(): goes on with what a decoder of a stream with the same parameters has given
  /// up by take_idle().
  void go_on_with(UniqueCodecContext context);
  /// To be called before the first packet: where the stream allows it, the end is one behind which
  /// the codec can go on with another stream, or segment, as it is. FFmpeg's own end, after which
  /// avcodec_flush_buffers() must follow, makes NVDEC's decoder for H.264 anew.
  void end_by_key_pictures();
  /// The codec, if such an end has been reached, and nothing of the stream is left in it; nullptr
  /// where that is not so. The decoder is then at its end.
  [[nodiscard]] UniqueCodecContext take_idle();

  void refuse(std::string reason) { refusal_ = std::move(reason); }

  /// A code that FFmpeg's decoder gave. Where it is an error and the back end doesn't throw, the
  /// packet counts as lost.
  virtual void check_decoded(int /*code*/) {}

  /// Whether the decoder tells that not all of the picture was decoded.
  [[nodiscard]] virtual bool is_damaged(const AVFrame& picture);

  [[nodiscard]] const Demuxer& demuxer() const { return demuxer_; }
  [[nodiscard]] const DecoderOptions& options() const { return options_; }
  [[nodiscard]] Notices& notices() const { return notices_; }

 private:
  /// A packet under its number in the ledger.
  struct Tagged {
    UniqueAVPacket packet;
    std::int64_t tag = 0;
  };

  std::int64_t enter(const ReadPacket& read, bool second_field);
  [[nodiscard]] bool submit_one();
  [[nodiscard]] bool gives_at_once() const;
  void begin(bool alone);
  void forget_segment();
  [[nodiscard]] int submit(AVPacket& packet, std::int64_t tag);
  [[nodiscard]] bool end_without_draining();
  [[nodiscard]] UniqueAVFrame receive();
  /// Throws Error(input) where pictures, which may change in mid-stream, are larger than allowed.
  void check_size() const;
  [[nodiscard]] std::optional<DecodedPicture> complete(UniqueAVFrame picture);
  [[nodiscard]] std::int64_t stamp_of(const AVFrame& picture) const;

  const Demuxer& demuxer_;
  DecoderOptions options_;
  Notices& notices_;
  Timeline timeline_;
  FieldPairs fields_;
  UnchangedPackets unchanged_;
  const bool joins_fields_;
  Tagged first_field_;         // that waits for its second; else empty
  std::deque<Tagged> unsent_;  // two at most
  bool finishing_ = false;
  bool finished_ = false;  // FFmpeg has been told, or pushed all out
  std::optional<KeyPictures> keys_;
  bool begins_ = true;  // the next packet is the first, of all or behind an end
  bool idle_ = false;   // nothing of what came before the next packet is in the codec
  bool has_decoded_ = false;
  std::int64_t silent_ = 0;  // tag of a packet that FFmpeg took without an error, or 0
  std::atomic<bool> passed_end_ = false;
  std::string refusal_;
  Ledger ledger_;
  std::int64_t segment_ = 0;        // of the last picture
  std::int64_t sent_segment_ = 0;   // of the last packet
  std::set<std::int64_t> foreign_;  // tags
  UniqueCodecContext context_;
};

/// Software decoding through FFmpeg into frames in host memory. `demuxer` and `notices` must
/// outlive it. Errors: Error(input) where FFmpeg has no decoder.
[[nodiscard]] std::unique_ptr<Decoder> make_cpu_decoder(const Demuxer& demuxer,
                                                        const DecoderOptions& options,
                                                        Notices& notices);

}  // namespace facepipe::video
