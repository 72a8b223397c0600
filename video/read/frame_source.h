// Gives the frames of one input, one after the other, to code that examines pictures and writes no
// video. Each frame's orientation says how to turn the frame upright.
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
#include "video/read/other_pictures.h"

namespace facepipe::video {

struct FrameSourceOptions {
  References references = References::refuse;
  std::int64_t max_pixels = kDefaultMaxPixels;
  int threads = 0;  ///< threads of the decoder; 0: as many as the machine has
  /// Reading begins at the last key frame at or before this time. If the input doesn't support
  /// seeking, it begins at the input's beginning.
  std::optional<double> near_s{};
  /// Leaves out the frames between two others that no other frame needs, if the decoder can tell
  /// them. The others are decoded in less time.
  bool only_what_others_need = false;
  std::optional<int> stream{};  ///< index of the stream to decode; nullopt: the demuxer chooses it
};

/// Decodes one input on the CPU. It holds only the decoder's pictures and one more, so its memory
/// doesn't grow with the input's length. If pictures change their size in the middle of the file,
/// they are scaled to the size of the first picture. Not thread-safe.
class FrameSource {
 public:
  /// Reads up to the first picture. Errors: as Demuxer and Decoder; Error(input) if nothing can be
  /// decoded; Stopped. `notices` must outlive this object.
  FrameSource(const std::string& input, const FrameSourceOptions& options, Notices& notices,
              const std::stop_token& stop);

  /// Returns the next frame in presentation order, in host memory; nullopt at the end. Errors:
  /// Error(input) for a picture that is too large; Stopped.
  [[nodiscard]] std::optional<DecodedFrame> next();

  /// Returns the upright size of all frames.
  [[nodiscard]] Size upright() const { return target_.upright(); }
  /// Returns when a frame is shown, in seconds after the input's origin (Demuxer::origin_us()).
  [[nodiscard]] double seconds(const Frame& frame) const;
  [[nodiscard]] std::int64_t expected_frames() const { return demuxer_.expected_frames(); }
  /// Returns the duration that the container states, in seconds; 0 if unknown.
  [[nodiscard]] double duration_s() const;

  /// Returns the counts of packets and frames, with FrameLedger::ended_early. Valid after the end.
  [[nodiscard]] FrameLedger ledger() const;

  /// Returns the other things in the input that can show pictures. Valid after the end. The list
  /// includes transparency that is coded beside the pictures, as in WebM, if the decoder leaves it
  /// out.
  [[nodiscard]] std::vector<OtherPictures> other_pictures() const;

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
