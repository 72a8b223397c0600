// Describes the map that an operator adds to its result.
#pragma once

#include <cuda_fp16.h>

namespace facepipe::detector::engine {

struct Residual {
  const __half* values;  ///< as large as the output; null if nothing is added
  int pitch;             ///< number of halves from one pixel to the next
};

}  // namespace facepipe::detector::engine
