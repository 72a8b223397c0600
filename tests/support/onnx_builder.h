// Builds small ONNX files, for tests.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace facepipe::test {

/// The name and the value of a node's attribute.
using OnnxAttribute =
    std::pair<std::string,
              std::variant<std::int64_t, std::vector<std::int64_t>, float, std::string>>;

/// Appends nodes in the order of the calls. Values are named "TYPE_NUMBER".
class OnnxBuilder {
 public:
  /// The input "picture" has the extents 1 x 3 x height x width. If the height or the width is -1,
  /// the file doesn't state it.
  explicit OnnxBuilder(std::int64_t height = -1, std::int64_t width = -1, std::int64_t opset = 13);

  [[nodiscard]] std::string picture() const { return "picture"; }

  /// Appends a node with one output, and returns the output's name.
  std::string node(const std::string& type, const std::vector<std::string>& inputs,
                   const std::vector<OnnxAttribute>& attributes = {});
  std::vector<std::string> node_with_outputs(const std::string& type, int outputs,
                                             const std::vector<std::string>& inputs,
                                             const std::vector<OnnxAttribute>& attributes = {});

  /// Appends a square convolution with random weights and a bias, padded so that a stride of 1
  /// keeps the extents.
  std::string convolution(const std::string& from, int inputs, int outputs, int kernel = 1,
                          int stride = 1);

  /// The following functions add weights to the file, and return the name of these weights. Random
  /// weights are in -1..1.
  std::string floats(const std::vector<std::int64_t>& dims, const std::vector<float>& values);
  std::string random_floats(const std::vector<std::int64_t>& dims);
  std::string integers(const std::vector<std::int64_t>& values);
  std::string integer(std::int64_t value);

  /// Appends a Constant with a list of integers, as older exports write them.
  std::string constant(const std::vector<std::int64_t>& values);

  /// Makes a value an output of the file. The file states the output's extents, except extents of
  /// -1. If `extents` is empty, the file states no extents.
  void output(const std::string& value, const std::vector<std::int64_t>& extents = {});

  [[nodiscard]] onnx::ModelProto& model() { return model_; }
  [[nodiscard]] const onnx::ModelProto& model() const { return model_; }

 private:
  std::string new_name(const std::string& type) { return type + "_" + std::to_string(names_++); }

  onnx::ModelProto model_;
  std::mt19937 random_{7};
  int names_ = 0;
};

/// Returns how many nodes of this type a file has.
[[nodiscard]] int count_of(const onnx::ModelProto& model, const std::string& type);

}  // namespace facepipe::test
