// A network's first layers from the picture itself: 3x3 at stride 2 on the tensor cores, and where
// they follow, depthwise 3x3 in registers and 1x1 on the tensor cores. Nothing in between leaves
// the chip.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/frame_descriptor.h"
#include "detector/cnn/cuda/picture_source.h"

namespace facepipe::engine {

/// Columns are taken in pairs of 8; sums in steps of 16: what a lane needs of both is four words.
struct Fragments {
  uint4 lanes[32];
};

struct StemArguments {
  Picture picture;               ///< where there is a frame
  const FrameDescriptor* frame;  ///< or null: the picture is in `image`
  const __half* image;           ///< the network's input, prepared: red, green, blue, nothing
  int image_pitch;               ///< halves a pixel
  int image_left;                ///< pixels before the first column
  int input_height;
  int input_width;

  const Fragments* weights;        ///< of the first layer: column pairs x 2
  const float* bias;               ///< of the last layer
  const std::uint32_t* depthwise;  ///< four records, see StemRecord
  const Fragments* pointwise;      ///< column pairs x channel pairs

  __half* output;
  int output_height;
  int output_width;
  int output_pitch;
  bool relu;  ///< of the last layer; those before have it
};

/// What a lane needs of the first two layers beside fragments, in words of two channels (8j + 2t
/// and the next one, lane % 4 = t), `tiles` of j each: the first layer's bias, the depthwise
/// layer's nine taps, its bias.
__host__ __device__ constexpr int stem_record_words(int tiles) { return 11 * tiles; }

/// Channels between the layers are 8 * tiles: 2 or 4 tiles, or 0 where there is one layer alone.
/// Throws std::invalid_argument for others.
void launch_stem(int tiles, const StemArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::engine
