// Finds the frame that is shown at a stamp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/review/review_facts.h"
#include "video/notices.h"
#include "video/read/frame_source.h"

namespace facepipe::app {

/// Says how a review reads its video.
struct ReviewInput {
  std::string name;  ///< a file
  std::int64_t max_pixels = kDefaultMaxPixels;
  int threads = 0;  ///< of the decoder; 0: as many as the machine has
};

/// Goes to frames of a video in any order. It goes on from the last frame if the next one is not
/// far after it, and else begins at the last key frame before it. Not thread-safe. All functions
/// throw the errors of FrameSource.
class FrameSearch {
 public:
  FrameSearch(ReviewInput input, std::stop_token stop);

  /// Returns facts about the video. Reads its first frame. `last_pts` follows from the duration
  /// that the file states; if it states none, it is `first_pts`.
  [[nodiscard]] VideoFacts facts();

  /// Gets each frame that is decoded on the way, if the search may return it.
  using Passed = std::function<void(const Frame&)>;
  /// Returns the last frame at or before `pts`, or the first frame if there is none. It is valid
  /// until the next call.
  [[nodiscard]] const Frame& at(std::int64_t pts, const Passed& passed = {});
  /// Returns the first frame after `pts`; the last frame if there is none.
  [[nodiscard]] const Frame& after(std::int64_t pts);
  /// Returns the key frame from which at() begins, without decoding others.
  [[nodiscard]] const Frame& key_frame_before(std::int64_t pts);

 private:
  void note_beginning();
  void begin_near(std::optional<double> near_s);
  [[nodiscard]] bool is_near(std::int64_t pts) const;
  [[nodiscard]] double stream_seconds(std::int64_t pts) const;
  [[nodiscard]] bool has_next();
  void go_on();

  ReviewInput input_;
  std::stop_token stop_;
  video::Notices notices_;
  std::unique_ptr<video::FrameSource> source_;
  std::optional<video::DecodedFrame> frame_;
  std::optional<video::DecodedFrame> next_;
  bool looks_ahead_ = false;  ///< next_ was decoded; it is nullopt after the last frame
  Rational time_base_{1, 1};
  double origin_s_ = 0;
  std::int64_t first_pts_ = 0;
};

}  // namespace facepipe::app
