// Makes small pictures of a finished video, for people to look at.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "core/timing.h"

namespace facepipe::video {

/// A picture as bytes of a JPEG file.
struct PreviewPicture {
  double time_s = 0;  ///< when it is shown, after the video's beginning
  Size size;          ///< upright, with square pixels
  std::vector<std::byte> jpeg;
};

struct PreviewOptions {
  int count = 6;           ///< the largest number of pictures, at least 1
  int longest_side = 320;  ///< pictures are reduced to this; smaller ones stay as they are
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
