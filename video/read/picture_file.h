// Reads facts from the file of a still image, because FFmpeg decodes only the picture. The work
// grows only in proportion to the number of bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "video/bitstream/byte_reader.h"

namespace facepipe::video {

struct PictureFile {
  /// How the picture is stored, according to EXIF in JPEG, PNG and WebP, to TIFF's tag, or to the
  /// properties of AVIF and HEIF. nullopt if the file doesn't say it.
  std::optional<Orientation> orientation;
  /// Number of pages, frames and other pictures besides the first. Thumbnails and pictures that
  /// belong to another picture don't count.
  std::int64_t more_pictures = 0;
  bool transparency = false;  ///< a separate picture contains the transparency (AVIF, HEIF)
  bool auxiliary = false;     ///< another picture belongs to this one: depth, or a gain map
  bool video = false;         ///< a video follows the picture, as in a phone's motion photo
  bool tiles = false;         ///< the picture is composed of other pictures (AVIF, HEIF)

  friend bool operator==(const PictureFile&, const PictureFile&) = default;
};

/// Reads a whole file: JPEG, PNG, TIFF or WebP. Returns no facts about other formats, or about
/// incomplete parts.
[[nodiscard]] PictureFile read_picture_file(Bytes file);

/// Reads an AVIF or HEIF file, or its first bytes. Returns nullopt if the bytes contain no picture,
/// or if they also contain a video.
[[nodiscard]] std::optional<PictureFile> read_heif(Bytes file);

/// Returns a sentence for each thing in the file that the decoded picture doesn't show.
[[nodiscard]] std::vector<std::string> left_out(const PictureFile& file);

}  // namespace facepipe::video
