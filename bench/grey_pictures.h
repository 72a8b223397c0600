// Reads grey pictures from files, for measurements of cascades. A file has one byte for each pixel,
// row by row.
#pragma once

#include <stdexcept>
#include <string>

#include "core/geometry.h"
#include "detector/model_file.h"

namespace facepipe::bench {

/// Reads a picture. Throws std::invalid_argument if the file's length doesn't fit the size, and
/// Error like read_model_file().
inline std::string read_grey(const std::string& file, Size size) {
  std::string pixels = detector::read_model_file(file);
  if (pixels.size() != static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height))
    throw std::invalid_argument(file + " is not a grey picture of " + to_string(size));
  return pixels;
}

}  // namespace facepipe::bench
