// OpenCV's dnn module is a synchronous engine on the CPU or on a CUDA device.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// Makes one cv::dnn::Net for this size and all its Inferences. These take turns, because one run
/// already uses all threads, and a Net holds every layer's output (1080p: several hundred MB).
///
/// A Net is never given a second size, because OpenCV 4.6 then silently computes wrong results.
/// `options.threads` sets OpenCV's thread count for the whole process.
///
/// On a CUDA device, dnn takes and gives only host memory, and only f32, in all precisions. So each
/// run copies the input to the device and the outputs back (count_copies()). A first run on zeros
/// tells whether the device refuses the network. No layer is left to the CPU: see opencv_cuda.h.
///
/// Errors: usage for a precision other than f32 (on CUDA: f32 and f16); device for a model that
/// OpenCV refuses, and if it can't compute all layers on the device.
[[nodiscard]] std::unique_ptr<Engine> make_opencv_engine(const Model& model, Size network,
                                                         const EngineOptions& options);

}  // namespace facepipe::detector
