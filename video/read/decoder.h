// Decodes packets, and matches each picture with its packet: time stamps, the chosen range, lost
// and damaged pictures.
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

/// Says whether NVDEC or the CPU decodes the video.
enum class DecoderChoice {
  automatic,  ///< NVDEC if it can decode the stream; otherwise the CPU, and a notice says so. The
              ///< CPU decodes still images, because creating a decoder on the chip takes longer.
  nvdec,      ///< NVDEC; a stream that it can't decode is an error
  cpu,        ///< the CPU, and an upload, even if NVDEC could decode the stream
};

struct DecoderOptions {
  int threads = 0;  ///< 0: as many as the machine has
  std::optional<double> start_s;
  std::optional<double> end_s;
  bool scale_on_change = true;  ///< false: a picture of another size or format is Error(input)
  /// True: the output has a tag for turned pictures. False: the pixels are turned.
  bool tags_rotation = true;
  int frames_alive = 8;  ///< number of frames that may exist at the same time
  /// Makes a decoder refuse a stream if it can't say which pictures are damaged, but the CPU's
  /// decoder can.
  bool must_tell_damage = false;
  /// The CPU's decoder leaves out frames between others that no other frame needs.
  bool only_what_others_need = false;
};

/// Decodes one video stream through FFmpeg, into any kind of memory. A derived class opens the
/// codec, and says how its pictures become frames. Only one thread at a time may use it. Its ten
/// members are the codec, the facts for which it was made, and the objects that keep track of
/// packets and pictures.
class Decoder {
 public:
  virtual ~Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Takes one packet. Then call next() until it returns nullopt, before you send another packet.
  void send(const ReadPacket& packet);
  /// Says that the stream or segment has ended. next() then returns the pictures that the decoder
  /// still holds.
  void finish();
  /// Resets the decoder for another segment of the stream (video/bitstream/segments.h), but keeps
  /// the ledger. Call it after finish(), when next() has returned all pictures. The segment's first
  /// packet says whether it needs earlier packets. The timeline begins anew. So code that corrects
  /// stamps over all segments must use DecodedPicture::coded.
  ///
  /// A segment doesn't need finish() and restart() before it if its first packet is
  /// ReadPacket::starts_independently and comes from later in the stream. Its pictures then follow
  /// the pictures of the previous segment.
  void restart();
  /// Resets the decoder to its state before the first packet. It can be called at any time.
  void begin_again();
  /// Returns the next picture of the chosen range, in presentation order; nullopt if more packets
  /// are needed. A packet that can't be decoded is counted, and doesn't throw. Errors: Error(input)
  /// for pictures that are larger than allowed.
  [[nodiscard]] std::optional<DecodedPicture> next();

  /// Returns why this decoder can't decode the stream; empty if it can. The reason is known after
  /// the first picture, and then never changes. Send nothing more to a decoder that refuses.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  /// Returns whether this kind of decoder refuses some streams.
  [[nodiscard]] virtual bool may_refuse() const { return false; }
  /// Returns whether the codec has given a picture, inside or outside of the chosen range.
  [[nodiscard]] bool has_decoded() const { return has_decoded_; }

  /// Returns whether the packet, or an earlier picture, is past the end of the chosen range. If so,
  /// no later packet is needed. Any thread may call it.
  [[nodiscard]] bool past_end(const AVPacket& packet) const { return matcher_.past_end(packet); }
  /// Returns whether a packet of any stream lies in the chosen range. Any thread may call it.
  [[nodiscard]] bool in_range(const AVPacket& packet, AVRational time_base) const {
    return matcher_.in_range(packet, time_base);
  }

  /// Returns the counts of decoded and lost pictures, in all segments except `without`.
  [[nodiscard]] FrameLedger ledger(const std::set<std::int64_t>& without = {}) const {
    return matcher_.ledger().totals(without);
  }
  /// Returns the path or URL of the input.
  [[nodiscard]] const std::string& url() const { return demuxer_.url(); }
  /// Returns FFmpeg's name of the decoder.
  [[nodiscard]] virtual std::string name() const { return context_->codec->name; }

  /// Describes a picture of this decoder as it is on the device that works on it.
  [[nodiscard]] virtual PictureFacts facts_of(const AVFrame& picture) const;
  /// Makes an object that turns pictures into frames like `target`. `first` is the first of these
  /// pictures. The demuxer must outlive the result. Errors: Error(output) if the device can't
  /// process the pixels as the target demands; Error(device).
  [[nodiscard]] virtual std::unique_ptr<FrameMaker> make_frames(const AVFrame& first,
                                                                const FrameTarget& target) = 0;

 protected:
  Decoder(const Demuxer& demuxer, const DecoderOptions& options, Notices& notices);

  /// Opens the codec by open(). It is called at the beginning, and again by begin_again(). Errors:
  /// Error(input); Error(device).
  virtual void open_codec() = 0;

  /// Opens a decoder for the stream, after `prepare` has set options in its context. Errors:
  /// Error(input).
  void open(const AVCodec& codec, int threads, const std::function<void(AVCodecContext&)>& prepare);

  /// Replaces open(): holds a context that only describes a codec that runs elsewhere. A class that
  /// calls it overrides the three functions below.
  void describe(const AVCodec& codec);
  [[nodiscard]] AVCodecContext& context() { return *context_; }
  /// Gives the codec a packet that carries its tag; nullptr: the end. Returns FFmpeg's code.
  [[nodiscard]] virtual int send_to_codec(AVPacket* packet);
  /// Takes a picture from the codec. Returns FFmpeg's code.
  [[nodiscard]] virtual int receive_from_codec(AVFrame& picture);
  virtual void flush_codec();

  /// Replaces open(): takes over a codec that another decoder has given up by take_idle(). The
  /// codec's stream must have had the same parameters.
  void go_on_with(UniqueCodecContext context);
  /// Makes streams end by key pictures (video/read/key_pictures.h), if the stream allows it. The
  /// codec can then take another stream or segment without a flush. After FFmpeg's own end,
  /// avcodec_flush_buffers() must be called, and it replaces NVDEC's decoder for H.264 by a new
  /// one. Call this before the first packet.
  void end_by_key_pictures();
  /// Returns the codec if the stream has ended by key pictures and the codec holds no more of its
  /// pictures; otherwise nullptr. Afterwards this decoder can't decode anything.
  [[nodiscard]] UniqueCodecContext take_idle();

  void refuse(std::string reason) { refusal_ = std::move(reason); }

  /// Checks a code that FFmpeg's decoder has returned. If the code is an error and this function
  /// doesn't throw, the packet counts as lost.
  virtual void check_decoded(int /*code*/) {}

  /// Returns whether the decoder reports that it didn't decode all of the picture.
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
  /// Throws Error(input) if pictures are larger than allowed. Their size can change within the
  /// stream.
  void check_size() const;

  const Demuxer& demuxer_;
  DecoderOptions options_;
  Notices& notices_;
  UnsentPackets unsent_;
  PictureMatcher matcher_;
  StreamSpan span_;
  bool has_decoded_ = false;
  // Tag of the last packet, if FFmpeg took it without an error; otherwise 0.
  std::int64_t silent_ = 0;
  std::string refusal_;
  UniqueCodecContext context_;
};

}  // namespace facepipe::video
