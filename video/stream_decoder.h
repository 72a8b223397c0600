// What every decoder through FFmpeg shares, whatever memory its pictures lie in: packets matched to
// frames, time stamps, the chosen range, orientation, loss and damage.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "video/decoder.h"
#include "video/ffmpeg.h"
#include "video/ledger.h"
#include "video/timeline.h"

namespace facepipe {

/// A back end opens the codec and turns decoded pictures into frames. Used by one thread.
class StreamDecoder : public Decoder {
 public:
  void decode(const AVPacket& packet, const Interval& read, const Sink& sink) override;
  void flush(const Sink& sink) override;
  [[nodiscard]] bool past_end(const AVPacket& packet) const override;
  [[nodiscard]] bool in_range(const AVPacket& packet, AVRational time_base) const override;
  [[nodiscard]] FrameLedger ledger() const override { return ledger_.totals(); }
  [[nodiscard]] std::string name() const override { return context_->codec->name; }

 protected:
  StreamDecoder(const Demuxer& demuxer, const DecoderOptions& options, TargetChooser choose_target,
                Notices& notices);

  /// FFmpeg's usual decoder for the stream. Errors: Error(input) where there is none.
  [[nodiscard]] const AVCodec& usual_codec() const;

  /// Opens a decoder for the stream, in place of the one before. `prepare` sets what it wants set
  /// before that. Errors: Error(input).
  void open(const AVCodec& codec, int threads, const std::function<void(AVCodecContext&)>& prepare);

  /// Sends a packet under its number in the ledger, and receives what comes.
  virtual void submit(AVPacket& packet, std::int64_t tag, const Sink& sink);

  /// Asked once, with the first picture as the decoder gave it.
  [[nodiscard]] virtual PictureTarget choose_target(const AVFrame& first,
                                                    Orientation orientation) const {
    return choose_target_(first, orientation);
  }
  /// Told once, after that.
  virtual void set_target(const PictureTarget& target) = 0;
  /// The picture as a frame: planes, format, size, colour, device and owner.
  [[nodiscard]] virtual Frame frame_of(UniqueAVFrame picture) = 0;
  /// A code that FFmpeg's decoder gave. Where it is an error and the back end doesn't throw, the
  /// packet counts as lost.
  virtual void check_decoded(int /*code*/) {}

  [[nodiscard]] const Demuxer& demuxer() const { return demuxer_; }
  [[nodiscard]] const DecoderOptions& options() const { return options_; }
  [[nodiscard]] Notices& notices() const { return notices_; }
  [[nodiscard]] AVCodecContext& context() const { return *context_; }

 private:
  /// A packet under its number in the ledger.
  struct Tagged {
    UniqueAVPacket packet;
    std::int64_t tag = 0;
  };

  std::int64_t enter(const AVPacket& packet, const Interval& read, bool second_field);
  void submit_waiting(const Sink& sink);
  void receive(const Sink& sink);
  /// Throws Error(input) where pictures, which may change in mid-stream, are larger than allowed.
  void check_size() const;
  [[nodiscard]] std::optional<DecodedFrame> complete(UniqueAVFrame picture);
  [[nodiscard]] Frame make_frame(UniqueAVFrame picture, const Timing& timing);
  void choose_orientation(const AVFrame& first);
  [[nodiscard]] Rational stored_aspect(AVRational aspect) const;

  const Demuxer& demuxer_;
  DecoderOptions options_;
  TargetChooser choose_target_;
  Notices& notices_;
  Timeline timeline_;
  FieldPairs fields_;
  const bool joins_fields_;
  Tagged waiting_;  // a first field, for its second; else empty
  Ledger ledger_;
  UniqueCodecContext context_;
  bool chosen_ = false;        // target and orientation
  Orientation orientation_;    // of the frames that leave here
  bool axes_swapped_ = false;  // by a rotation of the pixels
  std::int64_t next_index_ = 0;
};

/// Whether the stream itself says that its pictures are stored turned or mirrored.
[[nodiscard]] bool is_turned(const AVStream& stream);

}  // namespace facepipe
