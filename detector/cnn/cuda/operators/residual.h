// The map that an operator adds to its result.
#pragma once

#include <cuda_fp16.h>

namespace facepipe::detector::engine {

struct Residual {
  const __half* values;  ///< as many pixels and channels as the output, or null: nothing is added
  int pitch;             ///< halves from one pixel to the next
};

}  // namespace facepipe::detector::engine
