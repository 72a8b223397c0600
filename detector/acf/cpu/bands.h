// Bands of cells: parts of a pyramid that threads make apart from each other. How a picture is cut
// changes nothing of what they hold.
#pragma once

#include <vector>

#include "detector/acf/cpu/planes.h"
#include "detector/acf/pyramid.h"

namespace facepipe::detector::acf {

/// What one thread needs; grows as needed, and is used again.
struct BandMemory {
  std::vector<Planes> rings = std::vector<Planes>(10);
};

/// What a real scale is made of.
struct RealSource {
  const Planes* luv = nullptr;
  const Taps* across = nullptr;  ///< null where the picture has that scale's size
  const Taps* down = nullptr;
};

/// Rows first_row..first_row+rows-1 of a picture resized.
void resize_band(const RealSource& source, int first_row, int rows, BandMemory& memory, Planes& to);

/// Those rows of cells of all channels of a real scale of `cells`, before they are smoothed.
void make_real_band(const RealSource& source, Size cells, int first_row, int rows,
                    BandMemory& memory, Planes& to);

/// What a scale's cells are made of: channels of a real scale.
struct CellSource {
  const Planes* channels = nullptr;
  const Taps* across = nullptr;  ///< null where the scale is that one itself
  const Taps* down = nullptr;
};

/// Those rows of a scale's padded cells: resampled, smoothed, padded. `padding` in cells.
void make_padded_band(const CellSource& source, const Scale& scale, Size padding, int first_row,
                      int rows, BandMemory& memory, Planes& to);

}  // namespace facepipe::detector::acf
