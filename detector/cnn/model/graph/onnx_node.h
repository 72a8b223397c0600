// Reads one node of an ONNX file, its attributes and its constant inputs, with checks.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "detector/cnn/model/graph/graph.h"

namespace facepipe::detector::graph {

/// Largest number of nodes of a network.
inline constexpr int kMostNodes = 10000;

/// Holds the constant tensors of a file, by name.
using Constants = std::map<std::string, const onnx::TensorProto*>;

/// Returns the numbers of a tensor. Returns an empty list unless the tensor holds `count` numbers
/// of the type T, which is float or std::int64_t.
template <class T>
[[nodiscard]] std::vector<T> values_of(const onnx::TensorProto& tensor, std::int64_t count);

/// Reads a node. All errors are Error(device), and name the source, the node and the operator.
class OnnxNode {
 public:
  OnnxNode(const onnx::NodeProto& node, const Constants& constants, const std::string& source)
      : node_(node), constants_(constants), source_(source) {}

  [[noreturn]] void fail(const std::string& reason) const;

  /// Returns the node's name, or its output's name if it has none.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] const onnx::NodeProto& proto() const { return node_; }

  /// Refuses attributes other than `known`, other numbers of inputs than these limits allow, and
  /// another number of outputs.
  void expect(int fewest_inputs, int most_inputs, std::span<const std::string_view> known,
              int outputs = 1) const;
  void expect(int fewest_inputs, int most_inputs, std::initializer_list<std::string_view> known,
              int outputs = 1) const {
    expect(fewest_inputs, most_inputs, std::span(known.begin(), known.size()), outputs);
  }
  [[nodiscard]] bool has_input(int index) const {
    return index < node_.input_size() && !node_.input(index).empty();
  }

  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const;
  [[nodiscard]] float number(std::string_view attribute, float otherwise) const;
  [[nodiscard]] std::string text(std::string_view attribute, const std::string& otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view attribute,
                                                   std::vector<std::int64_t> otherwise) const;
  void expect_integer(std::string_view attribute, std::int64_t value) const;
  void expect_text(std::string_view attribute, const std::string& value) const;
  void expect_integers(std::string_view attribute, std::int64_t value) const;

  /// Returns the extents of a constant input. Their product is bounded.
  [[nodiscard]] std::vector<std::int64_t> extents(int input) const;
  [[nodiscard]] std::vector<float> floats(int input) const;
  /// Returns the floats of a constant input, which must have `count` numbers.
  [[nodiscard]] std::vector<float> floats(int input, std::int64_t count) const;
  [[nodiscard]] std::vector<std::int64_t> integers(int input) const;

  /// Reads kernel_shape, strides and pads of a two-dimensional window.
  [[nodiscard]] Window window(std::optional<std::vector<std::int64_t>> kernel) const;

 private:
  [[nodiscard]] const onnx::AttributeProto* find(std::string_view attribute,
                                                 onnx::AttributeProto::AttributeType type) const;
  [[nodiscard]] const onnx::TensorProto& constant(int input) const;
  [[nodiscard]] const onnx::TensorProto& constant(int input, int type) const;

  const onnx::NodeProto& node_;
  const Constants& constants_;
  const std::string& source_;
};

}  // namespace facepipe::detector::graph
