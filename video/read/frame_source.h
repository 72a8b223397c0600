// The frames of one input, one after the other, upright as its orientation says: for who looks at
// pictures and writes no video.
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
  int threads = 0;  ///< of the decoder; 0: as many as the machine has
  /// Begins with the last key frame at or before this; where the input can't be sought, at the
  /// begin.
  std::optional<double> near_s{};
  std::optional<int> stream{};  ///< whose frames; none: the demuxer's choice
};

/// Decodes on the CPU. Holds what the decoder holds and one picture, whatever the input's length.
/// Pictures that change size in mid-file become as large as the first. Not thread-safe.
class FrameSource {
 public:
  /// Reads up to the first picture. Errors: as Demuxer and Decoder; Error(input) where nothing can
  /// be decoded; Stopped. `notices` outlives it.
  FrameSource(const std::string& input, const FrameSourceOptions& options, Notices& notices,
              const std::stop_token& stop);

  /// The next frame in presentation order, in host memory; nullopt at the end. Errors: Error(input)
  /// for a picture that is too large; Stopped.
  [[nodiscard]] std::optional<DecodedFrame> next();

  /// Of all frames.
  [[nodiscard]] Size upright() const { return target_.upright(); }
  /// When a frame is shown, from where the input's seconds count.
  [[nodiscard]] double seconds(const Frame& frame) const;
  [[nodiscard]] std::int64_t expected_frames() const { return demuxer_.expected_frames(); }
  /// As the container says; 0 if unknown.
  [[nodiscard]] double duration_s() const;

  /// After the end: packets against frames, with FrameLedger::ended_early filled in.
  [[nodiscard]] FrameLedger ledger() const;

  /// After the end: what else of the input may show pictures. To these belongs an alpha that comes
  /// beside the packets' pictures, as in WebM, and that the decoder leaves out.
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
  std::deque<ReadPacket> packets_;  // read before the first picture had come
  std::optional<DecodedPicture> first_;
  bool read_all_ = false;
  bool finishing_ = false;
  bool has_other_alpha_ = false;
};

}  // namespace facepipe::video
