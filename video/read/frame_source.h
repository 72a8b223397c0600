// Gives the frames of one input one after the other, upright as its orientation says. It is for
// code that looks at pictures and writes no video.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "video/frames/frame_maker.h"
#include "video/notices.h"
#include "video/read/decoder.h"
#include "video/read/demuxer.h"
#include "video/read/pictures_beside.h"

namespace facepipe::video {

struct FrameSourceOptions {
  References references = References::refuse;
  std::int64_t max_pixels = kDefaultMaxPixels;
  int threads = 0;  ///< threads of the decoder; 0: as many as the machine has
  /// Reading begins with the last key frame at or before this time; at the beginning if the input
  /// can't be sought.
  std::optional<double> near_s{};
  std::optional<int> stream{};  ///< stream of the frames; none: the demuxer chooses
};

/// Decodes on the CPU. It holds what the decoder holds and one picture, so its memory doesn't grow
/// with the input's length. Pictures that change size in the middle of the file become as large as
/// the first. Not thread-safe.
class FrameSource {
 public:
  /// Reads up to the first picture. Errors: as Demuxer and Decoder; Error(input) if nothing can be
  /// decoded; Stopped. `notices` must outlive it.
  FrameSource(const std::string& input, const FrameSourceOptions& options, Notices& notices,
              const std::stop_token& stop);

  /// Returns the next frame in presentation order, in host memory; nullopt at the end. Errors:
  /// Error(input) for a picture that is too large; Stopped.
  [[nodiscard]] std::optional<DecodedFrame> next();

  /// Returns the upright size of all frames.
  [[nodiscard]] Size upright() const { return target_.upright(); }
  /// Returns when a frame is shown, in seconds from the input's origin (Demuxer::origin_us()).
  [[nodiscard]] double seconds(const Frame& frame) const;
  [[nodiscard]] std::int64_t expected_frames() const { return demuxer_.expected_frames(); }
  /// Returns the duration that the container says; 0 if unknown.
  [[nodiscard]] double duration_s() const;

  /// Valid after the end: compares packets with frames, and sets FrameLedger::ended_early.
  [[nodiscard]] FrameLedger ledger() const;

  /// Valid after the end: returns what else in the input may show pictures. This includes alpha
  /// that comes beside the packets' pictures, as in WebM, if the decoder leaves it out.
  [[nodiscard]] std::vector<PicturesBeside> pictures_beside() const;

 private:
  void look_for_alpha(const AVPacket* packet);
  [[nodiscard]] bool send_next();
  [[nodiscard]] std::optional<ReadPacket> read_video();

  Demuxer demuxer_;
  std::stop_token stop_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<FrameMaker> maker_;
  FrameTarget target_;
  std::deque<ReadPacket> packets_;  // packets that were read before the first picture came
  std::optional<DecodedPicture> first_;
  bool read_all_ = false;
  bool finishing_ = false;
  bool has_other_alpha_ = false;
};

}  // namespace facepipe::video
