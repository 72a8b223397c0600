// Reads what the file of a still image says beside the picture that FFmpeg decodes. The work grows
// only with the number of bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "video/bitstream/byte_reader.h"

namespace facepipe::video {

struct PictureFile {
  /// How the picture is stored, according to EXIF in JPEG, PNG and WebP, TIFF's tag, or AVIF's and
  /// HEIF's properties. None if the file doesn't say.
  std::optional<Orientation> orientation;
  /// Pages, frames and other pictures beside the first. Thumbnails, and pictures that belong to
  /// another one, don't count.
  std::int64_t more_pictures = 0;
  bool transparency = false;  ///< a picture of its own holds the transparency (AVIF, HEIF)
  bool auxiliary = false;     ///< another picture belongs to the picture: depth, or a gain map
  bool video = false;         ///< a video lies after the picture: a phone's motion photo
  bool tiles = false;         ///< the picture is made of other pictures (AVIF, HEIF)

  friend bool operator==(const PictureFile&, const PictureFile&) = default;
};

/// Reads a whole file: JPEG, PNG, TIFF or WebP. Returns no facts for other formats, or about
/// incomplete parts.
[[nodiscard]] PictureFile read_picture_file(Bytes file);

/// Reads an AVIF or HEIF file, as many of its bytes as there are. Returns nullopt if it holds no
/// picture, or holds a video, too.
[[nodiscard]] std::optional<PictureFile> read_heif(Bytes file);

/// Returns a sentence for each thing in the file that isn't in the picture.
[[nodiscard]] std::vector<std::string> left_out(const PictureFile& file);

}  // namespace facepipe::video
