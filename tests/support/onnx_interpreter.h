// Runs ONNX's operators as plain loops over doubles. It is slow, and the oracle of passes that
// rewrite files.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <vector>

namespace facepipe::test {

/// A tensor of floats or integers, in the order of ONNX.
struct OnnxValue {
  std::vector<std::int64_t> dims;
  std::vector<double> numbers;
  bool integers = false;  ///< are divided without fractions
};

/// Returns all values of a file for one picture, by their names. It knows the operators that
/// exports of face detectors have. Throws std::runtime_error for others.
[[nodiscard]] std::map<std::string, OnnxValue> interpret_onnx(const onnx::ModelProto& model,
                                                              const OnnxValue& picture);

/// Returns a picture of noise in 0..255: 1 x 3 x height x width.
[[nodiscard]] OnnxValue noise_picture(int height, int width);

}  // namespace facepipe::test
