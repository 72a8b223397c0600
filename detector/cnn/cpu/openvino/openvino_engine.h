// OpenVINO's CPU plugin as an engine: f32, f16, bf16, i8, asynchronous.
#pragma once

#include <memory>
#include <vector>

#include "detector/cnn/cpu/engine.h"

namespace facepipe::detector {

/// Precisions that OpenVINO computes in on this processor. f16 only where the processor multiplies
/// in f16 (AVX512-FP16, AMX-FP16): elsewhere OpenVINO 2026.4 takes the wish for f16 and computes in
/// bf16 without a word. i8 where OpenVINO tells of int8; on x86 without VNNI it computes with
/// weights of 7 bits (quantize.h).
[[nodiscard]] std::vector<Precision> openvino_precisions();

/// Precisions that beat f32, where they are among the above. On x86:
/// * f16 only with AMX-FP16 (Granite Rapids), which multiplies f16 matrices at full rate. With
///   AVX512-FP16 alone (Sapphire Rapids) oneDNN 3.13 widens to f32 first: CenterFace at 1080p took
///   1.2 to 1.5 times as long as in f32.
/// * bf16 with AVX512-BF16 (Zen 4: half of f32's time) or AMX-BF16. OpenVINO has it with AVX-512
///   alone, too, where it only converts.
/// Not i8, which is faster than all of them but finds other faces: it is taken by name alone.
[[nodiscard]] std::vector<Precision> openvino_fast_precisions();

/// A compiled network with min(requests, threads) streams.
/// Errors: device for a model that OpenVINO refuses, and for a precision that it replaces; of i8,
/// for a convolution that it would not compute in int8, and for ranges that are another network's.
[[nodiscard]] std::unique_ptr<Engine> make_openvino_engine(const Model& model, Size network,
                                                           const EngineOptions& options);

}  // namespace facepipe::detector
