// Reads which faces the pictures of a folder show.
#pragma once

#include <filesystem>
#include <vector>

#include "core/geometry.h"

namespace facepipe::app {

struct LabelledPicture {
  std::filesystem::path file;
  Size size;
  std::vector<Box> faces;  ///< in pixels of the upright picture; none is empty
};

/// Reads FOLDER/labels.txt. A line "# NAME WIDTH HEIGHT" names the picture FOLDER/images/NAME. The
/// lines "X1 Y1 X2 Y2" behind it are the corners of its faces, in pixels. Boxes may reach over the
/// picture's edges. Lines that are empty are passed over. All is kept in memory, which is at most a
/// few times the size of the file.
/// Errors: input, naming the file and the line, for
/// * a file that is missing, not regular, unreadable or larger than 16 MiB;
/// * a line of another form, numbers that aren't finite, a box without area, a size below 1 or
/// above
///   kMaxPictureSide;
/// * a name that leaves FOLDER/images, or comes twice; a file without pictures.
[[nodiscard]] std::vector<LabelledPicture> read_labels(const std::filesystem::path& folder);

}  // namespace facepipe::app
