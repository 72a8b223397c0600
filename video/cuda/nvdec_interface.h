// The part of NVIDIA's decoder library that tells what a chip decodes, declared after the public
// header cuviddec.h of the Video Codec SDK (MIT licence), so that nothing needs to be installed.
#pragma once

#include <cstdint>

namespace facepipe::nvdec {

/// CUVIDDECODECAPS.
struct DecodeCaps {
  // The question: cudaVideoCodec, cudaVideoChromaFormat, bits of a sample less 8.
  std::int32_t codec = 0;
  std::int32_t chroma = 0;
  std::uint32_t bits_minus_8 = 0;
  std::uint32_t reserved_in[3] = {};
  // The answer; sizes are coded sizes in pixels.
  std::uint8_t supported = 0;
  std::uint8_t engines = 0;
  std::uint16_t output_formats = 0;
  std::uint32_t max_width = 0;
  std::uint32_t max_height = 0;
  std::uint32_t max_macroblocks = 0;
  std::uint16_t min_width = 0;
  std::uint16_t min_height = 0;
  std::uint8_t histogram = 0;
  std::uint8_t histogram_bits = 0;
  std::uint16_t histogram_bins = 0;
  std::uint32_t reserved_out[10] = {};
};
static_assert(sizeof(DecodeCaps) == 88);

/// cuvidGetDecoderCaps: asks of CUDA's current context; gives a CUresult.
using GetDecoderCaps = int(DecodeCaps*);

}  // namespace facepipe::nvdec
