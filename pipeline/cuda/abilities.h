// What there is of CUDA on this machine, and what each chip decodes and encodes. For people to
// read: a run asks for what it needs itself. Known to builds without CUDA, too.
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
  std::string problem;  ///< empty: it opened
};

struct ChipAbilities {
  cuda::DeviceFacts facts;
  std::vector<video::NvdecAbility> decodes;
  std::string nvdec_problem;  ///< why NVDEC can't be asked; empty if it was
  std::vector<NvencTrial> encodes;
  std::string nvenc_problem;  ///< why no encoder was tried; empty if they were
};

struct CudaAbilities {
  cuda::Versions versions;
  std::vector<ChipAbilities> chips;  ///< in CUDA's order
};

/// Asks the driver and every chip, which takes a context on each. What is missing is told by the
/// result. Errors: Error(device) where CUDA itself fails.
[[nodiscard]] CudaAbilities cuda_abilities();

}  // namespace facepipe::pipeline
