// Expects that a pass doesn't change a network's outputs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "detector/cnn/model/canonical/rewriting.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/onnx_interpreter.h"

namespace facepipe::test {

using Pass = std::function<void(detector::Rewriting&)>;

/// Returns a copy of the model that the pass has rewritten.
[[nodiscard]] onnx::ModelProto rewritten(onnx::ModelProto model, const Pass& pass);

/// Expects outputs of the same names, extents and numbers for pictures of these sizes. Numbers may
/// differ by a millionth of the largest number, because weights are rounded to floats.
void expect_same_outputs(const onnx::ModelProto& before, const onnx::ModelProto& after,
                         const std::vector<Size>& sizes = {{64, 32}, {96, 64}});

/// Expects that two values have the same extents and nearly the same numbers. The difference may be
/// up to `tolerance` times the largest number.
void expect_near(const OnnxValue& actual, const OnnxValue& expected, const std::string& name,
                 double tolerance = 1e-6);

}  // namespace facepipe::test
