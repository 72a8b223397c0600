// Packets in, frames out, each matched to its packet.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/frame.h"
#include "core/timing.h"
#include "video/demuxer.h"
#include "video/ledger.h"
#include "video/normalizer.h"
#include "video/notices.h"

namespace facepipe {

/// Who decodes for the device.
enum class DecoderChoice {
  automatic,  ///< NVDEC where it can, else the CPU, which is told in the notices
  nvdec,      ///< what NVDEC can't decode is an error
  cpu,        ///< the CPU and an upload, whatever NVDEC can
};

/// A decoded frame and the times of its stages so far (read, decode).
struct DecodedFrame {
  Frame frame;
  FrameTimes times;
};

/// Decides, from the first picture and its orientation, what all pictures shall be.
using TargetChooser = std::function<PictureTarget(const AVFrame& first, Orientation orientation)>;

struct DecoderOptions {
  int threads = 0;  ///< 0: as many as the machine has
  std::optional<double> start_s;
  std::optional<double> end_s;
  bool scale_on_change = true;
  bool tags_rotation = true;  ///< the output can say that pictures are turned; else pixels must be
};

/// One video stream's decoder. Used by one thread.
class Decoder {
 public:
  using Sink = std::function<void(DecodedFrame)>;

  virtual ~Decoder() = default;

  /// Decodes one packet; gives zero or more frames of the chosen range to `sink`, in presentation
  /// order. A packet that can't be decoded is counted, not thrown.
  /// Errors: Error(input), Error(output) from the choice of the target, whatever `sink` throws.
  virtual void decode(const AVPacket& packet, const Interval& read, const Sink& sink) = 0;

  /// The end: gives the frames that the decoder still holds.
  virtual void flush(const Sink& sink) = 0;

  /// True once a packet is past the end of the chosen range, so that no later one can matter.
  [[nodiscard]] virtual bool past_end(const AVPacket& packet) const = 0;

  /// Whether a packet of any stream lies in the chosen range.
  [[nodiscard]] virtual bool in_range(const AVPacket& packet, AVRational time_base) const = 0;

  [[nodiscard]] virtual FrameLedger ledger() const = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

/// Software decoding through FFmpeg. `demuxer` and `notices` must outlive it.
/// Errors: Error(input) where FFmpeg has no decoder.
[[nodiscard]] std::unique_ptr<Decoder> make_cpu_decoder(const Demuxer& demuxer,
                                                        const DecoderOptions& options,
                                                        TargetChooser choose_target,
                                                        Notices& notices);

}  // namespace facepipe
