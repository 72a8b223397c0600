// Makes engines of OpenVINO's CPU plugin. They are asynchronous, for f32, f16, bf16 and i8.
#pragma once

#include <memory>
#include <vector>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// Returns the precisions in which OpenVINO computes on this processor.
/// * They include f16 only if the processor multiplies in f16 (AVX512-FP16, AMX-FP16). On other
///   processors, OpenVINO 2026.4 accepts f16 and silently computes in bf16.
/// * They include i8 if OpenVINO reports int8. On x86 without VNNI, the weights then have 7 bits
///   (quantize.h).
[[nodiscard]] std::vector<Precision> openvino_precisions();

/// Returns those of openvino_precisions() that are faster than f32. On x86:
/// * f16 only with AMX-FP16 (Granite Rapids), which multiplies f16 matrices at full rate. With
///   AVX512-FP16 but without AMX-FP16 (Sapphire Rapids), oneDNN 3.13 first widens to f32:
///   CenterFace at 1080p took 1.2 to 1.5 times as long as in f32.
/// * bf16 with AVX512-BF16 (Zen 4: half of f32's time) or AMX-BF16. OpenVINO also offers bf16 if
///   there is only AVX-512, but then it just converts.
/// i8 is never included, although it is the fastest. It finds other faces, so users must name it.
[[nodiscard]] std::vector<Precision> openvino_fast_precisions();

/// Makes a compiled network with min(requests, threads) streams. Throws Error(device) if OpenVINO
/// refuses the model or replaces the precision. For i8, also throws Error(device) if OpenVINO would
/// not compute a convolution in int8, or if the ranges belong to another network.
[[nodiscard]] std::unique_ptr<Engine> make_openvino_engine(const Model& model, Size network,
                                                           const EngineOptions& options);

}  // namespace facepipe::detector
