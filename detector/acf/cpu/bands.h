// Threads make bands of cells, which are parts of a pyramid, independently. The cells don't depend
// on how the picture is cut into bands.
#pragma once

#include <vector>

#include "detector/acf/cpu/planes.h"
#include "detector/acf/pyramid.h"

namespace facepipe::detector::acf {

/// Memory of one thread. It grows as needed and is reused.
struct BandMemory {
  std::vector<Planes> rings = std::vector<Planes>(10);
};

/// The LUV picture and the taps that a real scale is made from.
struct RealSource {
  const Planes* luv = nullptr;
  const Taps* across = nullptr;  ///< null if the picture has that scale's size
  const Taps* down = nullptr;
};

/// Makes the rows first_row..first_row+rows-1 of a resized picture.
void resize_band(const RealSource& source, int first_row, int rows, BandMemory& memory, Planes& to);

/// Makes rows first_row..first_row+rows-1 of cells, in all channels of a real scale with `cells`,
/// before they are smoothed.
void make_real_band(const RealSource& source, Size cells, int first_row, int rows,
                    BandMemory& memory, Planes& to);

/// The channels of a real scale, and the taps, that a scale's cells are made from.
struct CellSource {
  const Planes* channels = nullptr;
  const Taps* across = nullptr;  ///< null if the scale is the real scale itself
  const Taps* down = nullptr;
};

/// Makes rows first_row..first_row+rows-1 of a scale's padded cells: resamples, smooths and pads
/// them. `padding` is in cells.
void make_padded_band(const CellSource& source, const Scale& scale, Size padding, int first_row,
                      int rows, BandMemory& memory, Planes& to);

}  // namespace facepipe::detector::acf
