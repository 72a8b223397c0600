// What NVDEC decodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"
#include "video/cuda/cuvid_library.h"

namespace facepipe::video {

/// A kind of stream that a chip decodes.
struct NvdecAbility {
  std::string codec;   ///< FFmpeg's name
  std::string chroma;  ///< "4:2:0"
  int bits = 8;        ///< of a sample
  Size smallest;       ///< coded size in pixels
  Size largest;        ///< likewise
};

/// What CUDA's current device decodes, by codec, chroma and bits: asks the driver's decoder
/// library, `file`, which is loaded for it, because a machine without a driver lacks it. Errors:
/// Error(device) where `file` can't be loaded or isn't that library, or fails.
[[nodiscard]] std::vector<NvdecAbility> nvdec_abilities(const char* file = CuvidLibrary::kUsual);

/// Engines of CUDA's current device that decode 8-bit 4:2:0 of a codec, by FFmpeg's name; 0 where
/// it doesn't. Errors: as nvdec_abilities().
[[nodiscard]] int nvdec_engines(std::string_view codec, const char* file = CuvidLibrary::kUsual);

}  // namespace facepipe::video
