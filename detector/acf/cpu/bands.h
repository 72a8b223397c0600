// Makes a pyramid in bands, which are groups of its rows. Each thread makes its bands independently
// of other threads. The cells don't depend on how the rows are divided into bands.
#pragma once

#include <vector>

#include "detector/acf/cpu/planes.h"
#include "detector/acf/pyramid.h"

namespace facepipe::detector::acf {

/// Holds the memory of one thread, which grows as needed and is reused.
struct BandMemory {
  std::vector<Planes> rings = std::vector<Planes>(10);
};

/// Refers to the LUV picture, and to the taps by which a real scale is made from it.
struct RealSource {
  const Planes* luv = nullptr;
  const Taps* across = nullptr;  ///< null if the real scale has the size of `luv`
  const Taps* down = nullptr;
};

/// Makes the rows first_row..first_row+rows-1 of a resized picture.
void resize_band(const RealSource& source, int first_row, int rows, BandMemory& memory, Planes& to);

/// Makes the rows first_row..first_row+rows-1 of a real scale's cells, in all channels. The cells
/// are not yet smoothed. `cells` is the size of the scale in cells.
void make_real_band(const RealSource& source, Size cells, int first_row, int rows,
                    BandMemory& memory, Planes& to);

/// Refers to the channels of a real scale, and to the taps by which a scale's cells are made from
/// them.
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
