// Makes the network's input from a frame in device memory, in one kernel.
#pragma once

#include "core/cuda/frame_descriptor.h"
#include "core/cuda/stream.h"
#include "detector/cnn/cuda/operators/operator.h"
#include "detector/cnn/cuda/picture_source.h"
#include "detector/cnn/model/model.h"
#include "detector/network_fit.h"

namespace facepipe::detector::engine {

/// Works like Preprocessor (detector/cnn/cpu/preprocess.h). It converts colours by the frame's
/// to_rgb with repeated chroma, and rounds each value to a whole number in 0..255. It scales if the
/// fit requires it, turns the picture upright, and fills the input outside of the picture with
/// PictureSource::pad. A value differs from exact arithmetic, rounded once, by at most 1, and by at
/// most 2 if the picture is scaled.
class PreprocessKernel {
 public:
  /// Throws Error(device) for a layout other than semi-planar 4:2:0. Throws Error(internal) if the
  /// layout's size is not the size of the fit's frame.
  PreprocessKernel(const PictureSource& picture, const Placement& input);

  /// Enqueues the kernel, which writes the whole input. `frame` must be in device memory, and is
  /// read when the work runs. Throws Error(internal) if `frame` is null.
  void enqueue(const FrameDescriptor* frame, std::byte* activations, cuda::StreamView stream) const;

 private:
  PictureSource picture_;
  Placement input_;
};

}  // namespace facepipe::detector::engine
