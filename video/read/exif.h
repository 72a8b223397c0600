// TIFF's structure, which EXIF shares: how a picture is stored, and how many there are. The work
// grows with the number of bytes alone.
#pragma once

#include <cstdint>
#include <optional>

#include "core/geometry.h"
#include "video/bitstream/byte_reader.h"

namespace facepipe::video {

/// The order of bytes that TIFF's header names, which other formats have taken over.
[[nodiscard]] ByteReader::Order tiff_order(Bytes header);

/// What the directories of a TIFF file, or of EXIF, say.
struct TiffFacts {
  std::optional<Orientation> orientation;  ///< tag 274 of the first; none where it has none of 1..8
  std::int64_t pictures = 0;  ///< directories that don't describe a smaller copy, or a mask
};

/// Reads them as far as they are whole; nullopt where the bytes don't begin as TIFF does (TIFF 6.0,
/// section 2).
[[nodiscard]] std::optional<TiffFacts> read_tiff(Bytes tiff);

/// The orientation that EXIF names, with or without "Exif" and two zeros in front, as JPEG has it.
[[nodiscard]] std::optional<Orientation> orientation_in_exif(Bytes exif);

}  // namespace facepipe::video
