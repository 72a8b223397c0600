// OpenCV's dnn module as an engine: f32, synchronous.
#pragma once

#include <memory>

#include "detector/cnn/cpu/engine.h"

namespace facepipe {

/// One cv::dnn::Net for this size and all its Inferences, which take turns: one run already uses
/// all threads, and a Net holds every layer's output (1080p: several hundred MB).
///
/// A Net is never given a second size: OpenCV 4.6 then computes wrong results without a word.
/// `options.threads` sets OpenCV's thread count for the whole process.
/// Errors: usage for a precision other than f32; device for a model that OpenCV refuses.
[[nodiscard]] std::unique_ptr<Engine> make_opencv_engine(const Model& model, Size network,
                                                         const EngineOptions& options);

}  // namespace facepipe
