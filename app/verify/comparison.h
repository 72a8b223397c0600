// Reads two videos side by side.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/output/progress.h"
#include "app/verify/report.h"
#include "verify/lone_pictures.h"
#include "verify/pairing.h"
#include "verify/verifier.h"
#include "video/notices.h"
#include "video/read/frame_source.h"

namespace facepipe::app {

/// Reads one video frame by frame.
class VideoReader {
 public:
  /// @param stream  of the input; none: the one that a player shows
  /// Errors: as FrameSource.
  VideoReader(const std::string& input, const VerifyOptions& options, const std::stop_token& stop,
              std::optional<int> stream = std::nullopt);

  /// Reads the next frame; none after the last one. Errors: as FrameSource::next().
  [[nodiscard]] std::optional<video::DecodedFrame> next();
  /// Returns a frame's time in seconds; none without a frame.
  [[nodiscard]] std::optional<double> time_of(
      const std::optional<video::DecodedFrame>& frame) const;
  [[nodiscard]] Size size() const { return video_.size; }
  [[nodiscard]] std::int64_t expected_frames() const { return source_.expected_frames(); }
  /// Tells how many frames next() has given.
  [[nodiscard]] std::int64_t frames() const { return video_.frames; }
  /// Tells what has been read of the video. Like pictures_beside(), it is called after the last
  /// frame.
  [[nodiscard]] VerifiedVideo video() const;
  [[nodiscard]] std::vector<video::PicturesBeside> pictures_beside() const {
    return source_.pictures_beside();
  }

 private:
  video::Notices notices_;
  video::FrameSource source_;
  VerifiedVideo video_;
};

/// Holds who looks at the frames.
struct Lookers {
  verify::Verifier& pairs;
  verify::LonePictures& extra;  ///< frames of the hidden video that the original lacks
};

/// Reads both videos to their ends. All must outlive it.
class Comparison {
 public:
  Comparison(VideoReader& original, VideoReader& hidden, const Lookers& lookers,
             ProgressTeller& progress)
      : original_(original), hidden_(hidden), lookers_(lookers), progress_(progress) {}

  /// Errors: as the readers and lookers.
  [[nodiscard]] verify::FrameComparison run(const std::stop_token& stop);

 private:
  void go_on();
  void look(const std::stop_token& stop);

  VideoReader& original_;
  VideoReader& hidden_;
  const Lookers lookers_;
  ProgressTeller& progress_;
  verify::FrameComparison frames_;
  std::optional<double> before_;  // time of the original's frame that went before
  std::optional<video::DecodedFrame> frame_;
  std::optional<video::DecodedFrame> after_;
  std::optional<video::DecodedFrame> partner_;
  std::int64_t number_ = 0;  // of the original's frame
};

}  // namespace facepipe::app
