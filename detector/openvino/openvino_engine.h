// OpenVINO's CPU plugin as an engine: f32, f16, bf16, asynchronous.
#pragma once

#include <memory>
#include <vector>

#include "detector/engine.h"

namespace facepipe {

/// Precisions that OpenVINO computes in on this processor. f16 only where the processor multiplies
/// in f16 (AVX512-FP16, AMX-FP16): elsewhere OpenVINO 2026.4 takes the wish for f16 and computes in
/// bf16 without a word.
[[nodiscard]] std::vector<Precision> openvino_precisions();

/// A compiled network with min(requests, threads) streams.
/// Errors: device for a model that OpenVINO refuses, and for a precision that it replaces.
[[nodiscard]] std::unique_ptr<Engine> make_openvino_engine(const Model& model, Size network,
                                                           const EngineOptions& options);

}  // namespace facepipe
