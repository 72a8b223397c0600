// Makes JPEG pictures of a frame, or of a part of it, for people to look at.
#pragma once

#include <cstddef>
#include <vector>

#include "core/frame.h"
#include "core/geometry.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// A copy of a frame: upright, with square pixels, in 8 bits.
class UprightPicture {
 public:
  /// @param frame         in host memory
  /// @param longest_side  the picture is reduced to this; a smaller one stays as it is
  UprightPicture(const Frame& frame, int longest_side);

  [[nodiscard]] Size size() const { return {picture_->width, picture_->height}; }
  /// Returns the bytes of a JPEG file. Errors: Error(internal) if FFmpeg has no encoder for JPEG.
  [[nodiscard]] std::vector<std::byte> jpeg() const;
  /// Returns the picture of a part, as bytes of a JPEG file.
  /// @param part          in pixels of the upright frame; what lies outside of it is left out
  /// @param longest_side  as above, but a smaller part is enlarged to it
  [[nodiscard]] std::vector<std::byte> jpeg_of_part(const Box& part, int longest_side) const;

 private:
  UniqueAVFrame picture_;
  Size frame_;  ///< of the upright frame
};

}  // namespace facepipe::video
