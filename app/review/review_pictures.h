// Makes the pictures that a review shows: frames, and small pictures of faces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/review/frame_search.h"
#include "app/review/review_facts.h"
#include "core/recently_used.h"
#include "track/track_file.h"
#include "video/write/upright_picture.h"

namespace facepipe::app {

/// Says which frame is wanted.
enum class FrameChoice : std::uint8_t {
  shown,   ///< the frame that is shown at a stamp
  after,   ///< the first frame after the stamp
  before,  ///< the last frame before the stamp
  key,     ///< a key frame at or before the stamp, which is found sooner
};

/// A frame as bytes of a JPEG file, and its own stamp.
struct FramePicture {
  std::int64_t pts = 0;
  std::string jpeg;
};

inline constexpr int kSmallestFrameSide = 64;
inline constexpr int kLargestFrameSide = 4096;

/// Reduces a frame for picture_of_box().
[[nodiscard]] video::UprightPicture picture_for_boxes(const Frame& frame);
/// Returns a square around the box, or the part of it that lies in the picture, as bytes of a JPEG
/// file.
[[nodiscard]] std::string picture_of_box(const video::UprightPicture& picture, const Box& box);
/// Returns the frame, reduced to a longest side, as bytes of a JPEG file.
[[nodiscard]] std::string picture_of_frame(const Frame& frame, int longest_side);

/// Makes pictures of frames. Thread-safe: a call waits for an earlier one, but calls for key frames
/// don't wait for calls for others. All functions throw the errors of FrameSource.
class FramePictures {
 public:
  FramePictures(const ReviewInput& input, std::stop_token stop);

  [[nodiscard]] const VideoFacts& facts() const { return facts_; }
  /// @param longest_side  kSmallestFrameSide..kLargestFrameSide
  [[nodiscard]] FramePicture get(std::int64_t pts, FrameChoice choice, int longest_side);

 private:
  std::mutex exact_mutex_;
  FrameSearch exact_;
  const VideoFacts facts_;
  /// Frames that were shown before, by stamp and longest side; by exact_mutex_.
  RecentlyUsed<std::pair<std::int64_t, int>, FramePicture> shown_;
  std::mutex key_mutex_;
  FrameSearch keys_;
};

/// Makes small pictures of boxes. On the way to a box, it also makes the pictures of the other
/// boxes that it knows about, because decoding takes most of the time. Thread-safe: a call may
/// wait for an earlier one.
class BoxPictures {
 public:
  /// @param boxes  the boxes whose pictures will probably be wanted
  BoxPictures(ReviewInput input, const std::vector<track::FileBox>& boxes, std::stop_token stop);

  /// Returns picture_of_box(). Throws the errors of FrameSource.
  [[nodiscard]] std::string get(const track::FileBox& box);

 private:
  using Key = std::tuple<std::int64_t, float, float, float, float>;
  [[nodiscard]] static Key key_of(const track::FileBox& box);
  void take(const Frame& frame);
  void keep(const Key& key, std::string picture);
  [[nodiscard]] std::string made_before(const Key& key);

  std::mutex search_mutex_;
  FrameSearch search_;
  std::map<std::int64_t, std::vector<Box>> wanted_;  ///< by stamp; by search_mutex_

  std::mutex pictures_mutex_;
  std::map<Key, std::string> pictures_;
  std::size_t bytes_ = 0;
};

}  // namespace facepipe::app
