// Computes the first layers of a network (the stem) from the picture, in one kernel. The first
// layer is a 3x3 convolution at stride 2 on the tensor cores. A depthwise 3x3 in registers and a
// 1x1 on the tensor cores may follow. Intermediate maps never leave the chip.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/frame_descriptor.h"
#include "detector/cnn/cuda/picture_source.h"

namespace facepipe::detector::engine {

/// Holds the weights for 16 columns and a step of 16 k, in the order of lanes; see
/// pack_fragments().
struct Fragments {
  uint4 lanes[32];
};

struct StemArguments {
  Picture picture;               ///< used only if there is a frame
  const FrameDescriptor* frame;  ///< describes the picture; null if the picture is in `image`
  const __half* image;           ///< the preprocessed input of the network: red, green, blue, 0
  int image_pitch;               ///< number of halves from one pixel to the next
  int image_left;                ///< number of pixels of padding before the first column
  int input_height;
  int input_width;

  const Fragments* weights;        ///< weights of the first layer: pairs of column tiles x 2 steps
  const float* bias;               ///< bias of the last layer
  const std::uint32_t* depthwise;  ///< four records; see stem_record_words()
  const Fragments* pointwise;      ///< pairs of column tiles x steps of 16 channels

  __half* output;
  int output_height;
  int output_width;
  int output_pitch;
  bool relu;  ///< whether the last layer has relu; earlier layers always have it
};

/// Returns the length of a record in words. There is a record for each t: it holds the values of
/// the first two layers, except fragments, for the lanes with lane % 4 == t. A record has 11 rows:
/// the first layer's bias, the depthwise layer's nine taps, and the depthwise layer's bias. Word j
/// of a row, j < `tiles`, has the channels 8j + 2t and 8j + 2t + 1.
__host__ __device__ constexpr int stem_record_words(int tiles) { return 11 * tiles; }

/// If `tiles` is 2 or 4, there are three layers, and the intermediate maps have 8 * `tiles`
/// channels. If it is 0, there is only one layer. Throws Error(internal) for other numbers.
void launch_stem(int tiles, const StemArguments& arguments, cudaStream_t stream);

}  // namespace facepipe::detector::engine
