// Finds out the CUDA devices and versions of this machine, and what each chip can decode and
// encode. The answers are for people to read. A run doesn't use them. Builds without CUDA can
// include this header, too.
#pragma once

#include <string>
#include <vector>

#include "core/cuda/devices.h"
#include "video/cuda/nvdec.h"

namespace facepipe::pipeline {

/// An attempt to open one of FFmpeg's NVENC encoders.
struct NvencTrial {
  std::string encoder;
  int bits = 8;
  std::string problem;  ///< why the encoder failed to open; empty if it opened
};

struct ChipAbilities {
  cuda::DeviceFacts facts;
  std::vector<video::NvdecAbility> decodes;
  std::string nvdec_problem;  ///< why `decodes` is unknown; empty if it is known
  std::vector<NvencTrial> encodes;
  std::string nvenc_problem;  ///< why no encoder was tried; empty if the encoders were tried
};

struct CudaAbilities {
  cuda::Versions versions;
  std::vector<ChipCode> codes;       ///< for which chips this program was compiled
  std::vector<ChipAbilities> chips;  ///< in CUDA's order
};

/// Asks the driver and every chip. This makes a CUDA context on each chip. If a fact can't be found
/// out, the result says why. Errors: Error(device) if CUDA itself fails.
[[nodiscard]] CudaAbilities cuda_abilities();

}  // namespace facepipe::pipeline
