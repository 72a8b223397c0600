// Makes small pictures of a finished video, for people to look at.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"
#include "core/timing.h"

namespace facepipe::video {

/// A picture as bytes of a JPEG file.
struct PreviewPicture {
  double time_s = 0;  ///< when it is shown, after the video's beginning
  Size size;          ///< upright, with square pixels
  std::vector<std::byte> jpeg;
};

/// The longest side of a picture, in pixels. Smaller pictures stay as they are.
inline constexpr int kPreviewSide = 320;

/// Returns a small picture of a frame whose samples are in the host's memory. `time_s` is its time.
/// Errors: as FrameFilter; Error(internal) if FFmpeg has no encoder for JPEG.
[[nodiscard]] PreviewPicture preview_of(const Frame& frame, double time_s,
                                        int longest_side = kPreviewSide);

/// Returns when the picture of this number, from 0 on, should be shown, in seconds after the
/// beginning of a video that takes `duration_s`: the first one at the beginning, the others spread.
[[nodiscard]] double preview_time(int number, int count, double duration_s);

struct PreviewOptions {
  int count = 6;  ///< the largest number of pictures, at least 1
  int longest_side = kPreviewSide;
  /// No frame is decoded later than this after the beginning. A picture that then is missing is
  /// left out.
  Clock::duration time = std::chrono::milliseconds(300);
};

/// Returns upright pictures that are spread over the video. A picture is from a key frame near its
/// place if there is one, because such a frame is quickly found. Errors: as FrameSource;
/// Error(internal) if FFmpeg has no encoder for JPEG.
/// @param file  a file, not a stream that can be read only once
[[nodiscard]] std::vector<PreviewPicture> preview_pictures(const std::string& file,
                                                           const PreviewOptions& options,
                                                           const std::stop_token& stop);

}  // namespace facepipe::video
