// What the file of a still image says beside the picture that FFmpeg decodes of it. The work grows
// with the number of bytes alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "video/bitstream/byte_reader.h"

namespace facepipe::video {

struct PictureFile {
  /// How the picture is stored: by EXIF in JPEG, PNG and WebP, TIFF's tag, AVIF's and HEIF's
  /// properties. None where the file doesn't say.
  std::optional<Orientation> orientation;
  /// Pages, frames and other pictures beside the first; thumbnails and what belongs to a picture
  /// don't count.
  std::int64_t more_pictures = 0;
  bool transparency = false;  ///< of the picture, in one of its own (AVIF, HEIF)
  bool auxiliary = false;     ///< another picture that belongs to it: depth, or a gain map
  bool video = false;         ///< behind the picture, as phones write it: a motion photo
  bool tiles = false;         ///< the picture is put together of others (AVIF, HEIF)

  friend bool operator==(const PictureFile&, const PictureFile&) = default;
};

/// Reads a whole file: JPEG, PNG, TIFF or WebP. Says nothing of other formats, or of what is not
/// whole.
[[nodiscard]] PictureFile read_picture_file(Bytes file);

/// Reads an AVIF or HEIF file, as many of its bytes as there are; nullopt where it holds no
/// picture, or a video, too.
[[nodiscard]] std::optional<PictureFile> read_heif(Bytes file);

/// A sentence of each thing in the file that isn't in the picture.
[[nodiscard]] std::vector<std::string> left_out(const PictureFile& file);

}  // namespace facepipe::video
