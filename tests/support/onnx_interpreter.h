// Runs ONNX's operators as plain loops over doubles. This code is slow, and serves as the oracle
// for passes that rewrite files.
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
  bool integers = false;  ///< true: a division drops the fraction
};

/// Returns all values of a file for one picture, by their names. Throws std::runtime_error if the
/// file contains an operator that exports of face detectors don't have.
[[nodiscard]] std::map<std::string, OnnxValue> interpret_onnx(const onnx::ModelProto& model,
                                                              const OnnxValue& picture);

/// Returns a picture of noise in 0..255: 1 x 3 x height x width.
[[nodiscard]] OnnxValue noise_picture(int height, int width);

}  // namespace facepipe::test
