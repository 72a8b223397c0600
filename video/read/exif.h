// Reads the structure of TIFF, which EXIF also uses: how a picture is stored, and how many pictures
// there are. The work grows only in proportion to the number of bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "core/geometry.h"
#include "video/bitstream/byte_reader.h"

namespace facepipe::video {

/// Returns the byte order that TIFF's header states. Other formats also use this header.
[[nodiscard]] ByteReader::Order tiff_order(Bytes header);

/// Holds facts from the directories of a TIFF file, or of EXIF.
struct TiffFacts {
  std::optional<Orientation> orientation;  ///< tag 274 of the first directory, if it is 1..8
  std::int64_t pictures = 0;  ///< directories that describe neither a smaller copy nor a mask
};

/// Reads the directories as far as they are complete. Returns nullopt if the bytes don't begin as
/// TIFF does (TIFF 6.0, section 2).
[[nodiscard]] std::optional<TiffFacts> read_tiff(Bytes tiff);

/// Returns the orientation in EXIF data. The data can begin with "Exif" and two zero bytes, as in
/// JPEG.
[[nodiscard]] std::optional<Orientation> orientation_in_exif(Bytes exif);

}  // namespace facepipe::video
