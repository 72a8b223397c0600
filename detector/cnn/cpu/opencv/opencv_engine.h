// OpenCV's dnn module as an engine, on the CPU or a CUDA device; synchronous.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// One cv::dnn::Net for this size and all its Inferences, which take turns: one run already uses
/// all threads, and a Net holds every layer's output (1080p: several hundred MB).
///
/// A Net is never given a second size: OpenCV 4.6 then computes wrong results without a word.
/// `options.threads` sets OpenCV's thread count for the whole process.
///
/// On a CUDA device dnn takes and gives host memory alone, in f32 whatever it computes in: each run
/// copies the input there, and the outputs back (count_copies()). A run of zeros at once tells what
/// the device refuses. Nothing is left to the CPU: see opencv_cuda.h.
///
/// Errors: usage for a precision other than f32 (on CUDA: f32 and f16); device for a model that
/// OpenCV refuses, and where it can't compute all of it on the device.
[[nodiscard]] std::unique_ptr<Engine> make_opencv_engine(const Model& model, Size network,
                                                         const EngineOptions& options);

}  // namespace facepipe::detector
