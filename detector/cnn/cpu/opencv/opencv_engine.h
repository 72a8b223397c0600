// Makes engines of OpenCV's dnn module. They are synchronous, on the CPU or on a CUDA device.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// Makes one cv::dnn::Net for this size, which all Inferences share. The Inferences run one after
/// the other, because a run already uses all threads, and a Net holds every layer's output (1080p:
/// several hundred MB).
///
/// A Net is never used for a second size, because OpenCV 4.6 then silently computes wrong results.
/// `options.threads` sets OpenCV's number of threads for the whole process.
///
/// On a CUDA device, dnn's input and outputs are in host memory and in f32, in every precision. So
/// each run copies the input to the device and the outputs back (count_copies()). A first run on
/// zeros shows whether the device refuses the network. No layer may run on the CPU: see
/// opencv_cuda.h.
///
/// Throws Error(usage) for a precision other than f32 (on CUDA: other than f32 and f16). Throws
/// Error(device) if OpenCV refuses the model, or if it can't compute all layers on the device.
[[nodiscard]] std::unique_ptr<Engine> make_opencv_engine(const Model& model, Size network,
                                                         const EngineOptions& options);

}  // namespace facepipe::detector
