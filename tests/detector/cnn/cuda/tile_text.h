// Parses tiles of inverted residuals, for measurements and tests.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

#include "detector/cnn/cuda/operators/inverted_residual/inverted_residual.h"

namespace facepipe::detector::engine {

/// Returns the tile whose text_of() is `text`. Throws std::invalid_argument for any other text.
[[nodiscard]] inline InvertedResidualTile tile_of(const std::string& text) {
  InvertedResidualTile tile;
  std::istringstream fields(text);
  char comma = ',';
  int staged = 0;
  for (int* const field :
       {&tile.rows, &tile.groups, &tile.warps, &tile.split, &tile.pixel_tiles, &staged}) {
    if (field != &tile.rows) fields >> comma;
    if (!(fields >> *field) || comma != ',')
      throw std::invalid_argument("inverted residual: no tile: " + text);
  }
  tile.staged = staged != 0;
  return tile;
}

}  // namespace facepipe::detector::engine
