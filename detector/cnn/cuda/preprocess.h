// Frames in device memory to the network's input, in one kernel.
#pragma once

#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/cuda/picture_source.h"
#include "detector/cnn/model/model.h"
#include "detector/cnn/model/network_fit.h"

namespace facepipe::engine {

/// Does what Preprocessor does (detector/cnn/cpu/preprocess.h): colours by the frame's to_rgb,
/// chroma repeated, each value rounded to a whole one of 0..255, scaled where the fit asks for it,
/// turned upright, black where the picture ends. Each value is within 1 of exact arithmetic
/// (rounded once), and within 2 where the picture is scaled.
class PreprocessKernel {
 public:
  /// Errors: device for a layout other than semi-planar 4:2:0; internal for one that is not the
  /// fit's frame.
  PreprocessKernel(const PictureSource& picture, const Placement& input);

  /// Writes the network's whole input. `frame` is in device memory and read when the work runs;
  /// throws std::invalid_argument for null.
  void enqueue(const FrameDescriptor* frame, std::byte* activations, cuda::StreamView stream) const;

 private:
  PictureSource picture_;
  Placement input_;
};

}  // namespace facepipe::engine
