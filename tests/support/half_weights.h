// Makes ONNX files whose weights are f16, as they are stored to save space.
#pragma once

#include <onnx/onnx_pb.h>

namespace facepipe::test {

/// Returns the file with f16 weights in place of f32 weights. A Cast node before all other nodes
/// makes f32 of each. Numbers are cut off, not rounded.
[[nodiscard]] onnx::ModelProto with_half_weights(onnx::ModelProto model);

/// Returns the file with f32 weights that have the values of with_half_weights(). They are stored
/// as raw bytes.
[[nodiscard]] onnx::ModelProto cut_to_half(onnx::ModelProto model);

}  // namespace facepipe::test
