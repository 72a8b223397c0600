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
  /// @param stream  of the input; nullopt for the one that a player shows
  /// Errors: as FrameSource.
  VideoReader(const std::string& input, const VerifyOptions& options, const std::stop_token& stop,
              std::optional<int> stream = std::nullopt);

  /// Reads the next frame; returns nullopt after the last one. Errors: as FrameSource::next().
  [[nodiscard]] std::optional<video::DecodedFrame> next();
  /// Returns a frame's time in seconds; nullopt without a frame.
  [[nodiscard]] std::optional<double> time_of(
      const std::optional<video::DecodedFrame>& frame) const;
  [[nodiscard]] Size size() const { return video_.size; }
  [[nodiscard]] std::int64_t expected_frames() const { return source_.expected_frames(); }
  /// Returns how many frames next() has given.
  [[nodiscard]] std::int64_t frames() const { return video_.frames; }
  /// Returns what is known about the video. Like pictures_beside(), it is called after the last
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

/// Goes through a video with a view of one frame ahead. The video outlives it.
class FramesInTurn {
 public:
  /// Reads the first two frames. Errors: as VideoReader::next().
  explicit FramesInTurn(VideoReader& video);
  /// Goes to the next frame. Errors: as VideoReader::next().
  void go_on();

  /// None after the last frame.
  [[nodiscard]] const std::optional<video::DecodedFrame>& frame() const { return frame_; }
  [[nodiscard]] std::int64_t number() const { return number_; }
  [[nodiscard]] std::optional<double> time() const { return video_.time_of(frame_); }
  [[nodiscard]] std::optional<double> time_before() const { return time_before_; }
  [[nodiscard]] std::optional<double> time_after() const { return video_.time_of(after_); }

 private:
  VideoReader& video_;
  std::optional<double> time_before_;
  std::optional<video::DecodedFrame> frame_;
  std::optional<video::DecodedFrame> after_;
  std::int64_t number_ = 0;  // of frame_
};

/// Holds what looks at the frames.
struct Lookers {
  verify::Verifier& pairs;
  verify::LonePictures& extra;  ///< frames of the hidden video that the original lacks
};

/// Reads both videos to their ends. The arguments of its constructor outlive it.
class Comparison {
 public:
  Comparison(VideoReader& original, VideoReader& hidden, const Lookers& lookers,
             ProgressTeller& progress)
      : original_(original), hidden_(hidden), lookers_(lookers), progress_(progress) {}

  /// Errors: as the readers and lookers.
  [[nodiscard]] verify::FrameComparison run(const std::stop_token& stop);

 private:
  void look(const FramesInTurn& original, const video::DecodedFrame& partner,
            const std::stop_token& stop);

  VideoReader& original_;
  VideoReader& hidden_;
  const Lookers lookers_;
  ProgressTeller& progress_;
  verify::FrameComparison frames_;
};

}  // namespace facepipe::app
