// Reads two videos in parallel and compares them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/verify/report.h"
#include "pipeline/job_observer.h"
#include "verify/lone_pictures.h"
#include "verify/pairing.h"
#include "verify/verifier.h"
#include "video/notices.h"
#include "video/read/frame_source.h"

namespace facepipe::app {

/// Reads one video frame by frame.
class VideoReader {
 public:
  /// @param stream  a stream of the input; nullopt for the stream that a player shows
  /// Throws the errors of FrameSource.
  VideoReader(const std::string& input, const VerifyOptions& options, const std::stop_token& stop,
              std::optional<int> stream = std::nullopt);

  /// Reads the next frame; returns nullopt after the last one. Throws the errors of
  /// FrameSource::next().
  [[nodiscard]] std::optional<video::DecodedFrame> next();
  /// Returns a frame's time in seconds; nullopt if there is no frame.
  [[nodiscard]] std::optional<double> time_of(
      const std::optional<video::DecodedFrame>& frame) const;
  [[nodiscard]] Size size() const { return video_.size; }
  [[nodiscard]] std::int64_t expected_frames() const { return source_.expected_frames(); }
  /// Returns how many frames next() has returned.
  [[nodiscard]] std::int64_t frames() const { return video_.frames; }
  /// Returns what is known about the video. This function and other_pictures() must be called
  /// after the last frame.
  [[nodiscard]] VerifiedVideo video() const;
  [[nodiscard]] std::vector<video::OtherPictures> other_pictures() const {
    return source_.other_pictures();
  }

 private:
  video::Notices notices_;
  video::FrameSource source_;
  VerifiedVideo video_;
};

/// Goes through a video and also knows the next frame. The video must outlive this object.
class FramesInTurn {
 public:
  /// Reads the first two frames. Throws the errors of VideoReader::next().
  explicit FramesInTurn(VideoReader& video);
  /// Goes to the next frame. Throws the errors of VideoReader::next().
  void go_on();

  /// Returns the current frame; nullopt after the last frame.
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
  std::int64_t number_ = 0;  // number of frame_
};

/// Holds the objects that examine the frames.
struct Lookers {
  verify::Verifier& pairs;
  verify::LonePictures& extra;  ///< examines frames of the hidden video that the original lacks
};

/// Hears of the progress of a verification, on its thread.
using VerifyProgress = std::function<void(const pipeline::Progress&)>;

/// Reads both videos to their ends. The arguments of its constructor must outlive this object.
class Comparison {
 public:
  Comparison(VideoReader& original, VideoReader& hidden, const Lookers& lookers,
             const VerifyProgress& progress)
      : original_(original), hidden_(hidden), lookers_(lookers), progress_(progress) {}

  /// Throws the errors of the readers and of the lookers.
  [[nodiscard]] verify::FrameComparison run(const std::stop_token& stop);

 private:
  void look(const FramesInTurn& original, const video::DecodedFrame& partner,
            const std::stop_token& stop);

  VideoReader& original_;
  VideoReader& hidden_;
  const Lookers lookers_;
  const VerifyProgress& progress_;
  verify::FrameComparison frames_;
};

}  // namespace facepipe::app
