// OpenVINO's CPU plugin is an asynchronous engine for f32, f16, bf16 and i8.
#pragma once

#include <memory>
#include <vector>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// Returns the precisions in which OpenVINO computes on this processor. f16 is among them only if
/// the processor multiplies in f16 (AVX512-FP16, AMX-FP16). On others, OpenVINO 2026.4 accepts f16
/// and silently computes in bf16. i8 is among them if OpenVINO reports int8. On x86 without VNNI,
/// it computes with weights of 7 bits (quantize.h).
[[nodiscard]] std::vector<Precision> openvino_precisions();

/// Returns those of the precisions above that are faster than f32. On x86:
/// * f16 only with AMX-FP16 (Granite Rapids), which multiplies f16 matrices at full rate. With
///   AVX512-FP16 alone (Sapphire Rapids), oneDNN 3.13 widens to f32 first: CenterFace at 1080p took
///   1.2 to 1.5 times as long as in f32.
/// * bf16 with AVX512-BF16 (Zen 4: half of f32's time) or AMX-BF16. OpenVINO also has bf16 if there
///   is only AVX-512, but then it just converts.
/// i8 is never among them, although it is the fastest: it finds other faces, so users must name it.
[[nodiscard]] std::vector<Precision> openvino_fast_precisions();

/// Makes a compiled network with min(requests, threads) streams. Errors: device for a model that
/// OpenVINO refuses, and for a precision that it replaces; for i8 also if OpenVINO would not
/// compute a convolution in int8, and for ranges that are another network's.
[[nodiscard]] std::unique_ptr<Engine> make_openvino_engine(const Model& model, Size network,
                                                           const EngineOptions& options);

}  // namespace facepipe::detector
