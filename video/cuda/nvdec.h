// Lists what NVDEC decodes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/geometry.h"
#include "video/cuda/cuvid_library.h"

namespace facepipe::video {

/// Describes a kind of stream that a chip decodes.
struct NvdecAbility {
  std::string codec;   ///< FFmpeg's name of the codec
  std::string chroma;  ///< chroma subsampling, for example "4:2:0"
  int bits = 8;        ///< bits of a sample
  Size smallest;       ///< smallest coded size in pixels
  Size largest;        ///< largest coded size in pixels
};

/// Returns what CUDA's current device decodes, by codec, chroma and bits. Asks the driver's decoder
/// library, `file`, which is loaded only now, because a machine without a driver doesn't have it.
/// Throws Error(device) if `file` can't be loaded, isn't that library, or fails.
[[nodiscard]] std::vector<NvdecAbility> nvdec_abilities(const char* file = CuvidLibrary::kUsual);

/// Returns how many engines of CUDA's current device decode 8-bit 4:2:0 of `codec` (FFmpeg's name);
/// 0 if the device can't decode it. Errors: as nvdec_abilities().
[[nodiscard]] int nvdec_engines(std::string_view codec, const char* file = CuvidLibrary::kUsual);

}  // namespace facepipe::video
