// Contains the code that all passes share. The passes bring a file's graph into its canonical form.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "detector/cnn/model/graph/onnx_node.h"

namespace facepipe::detector {

/// Holds a graph that passes rewrite. The passes rely on the checks of check_parts()
/// (detector/cnn/model/graph/onnx_check.h): weights have as many values as their extents say, each
/// value has one origin, and each node comes after the nodes whose values it reads.
class Rewriting {
 public:
  /// `model` must outlive this object.
  Rewriting(onnx::ModelProto& model, std::string source);

  [[nodiscard]] onnx::GraphProto& graph() { return graph_; }
  [[nodiscard]] const onnx::GraphProto& graph() const { return graph_; }
  /// Returns the version of ONNX's operators that the file uses.
  [[nodiscard]] std::int64_t opset() const { return opset_; }
  [[nodiscard]] const std::string& source() const { return source_; }

  /// Throws Error(device), naming the file.
  [[noreturn]] void fail(const std::string& reason) const;

  /// Adds floats or integers with the extents `dims`, or a list of integers, as weights. Returns
  /// their name, which begins with `stem`. Throws the error of fail() if all passes together add
  /// more numbers than any network needs, because a small file must not become a large one.
  std::string add_weights(const std::string& stem, const std::vector<std::int64_t>& dims,
                          const std::vector<float>& values);
  std::string add_weights(const std::string& stem, const std::vector<std::int64_t>& dims,
                          const std::vector<std::int64_t>& values);
  std::string add_weights(const std::string& stem, const std::vector<std::int64_t>& values);

 private:
  onnx::TensorProto& add_tensor(const std::string& stem, int type, std::size_t count);

  onnx::GraphProto& graph_;
  std::int64_t opset_ = 0;
  std::string source_;
  std::set<std::string> names_;  ///< names of all weights and values
  std::size_t added_ = 0;        ///< number of values that were added
};

/// Finds weights, nodes and readers by the name of a value. The index is a snapshot: the indices of
/// nodes are valid until nodes are erased or added, and weights are valid until weights are erased.
class OnnxIndex {
 public:
  explicit OnnxIndex(const onnx::GraphProto& graph);

  /// Adds weights that the graph got after the construction of this object.
  void add(const onnx::TensorProto& weights);

  [[nodiscard]] const graph::Constants& weights() const { return weights_; }
  /// Returns null if there are no weights of this name.
  [[nodiscard]] const onnx::TensorProto* weights(const std::string& name) const;
  /// Returns the index of the node that computes a value, or -1.
  [[nodiscard]] int producer(const std::string& name) const;
  /// Returns how often nodes and the graph's outputs read a value.
  [[nodiscard]] int reads_of(const std::string& name) const;
  [[nodiscard]] bool is_output(const std::string& name) const { return outputs_.contains(name); }

 private:
  graph::Constants weights_;
  std::map<std::string, int> producers_;
  std::map<std::string, int> reads_;
  std::set<std::string> outputs_;
};

/// The new names of values, by their names in the file.
using NewNames = std::unordered_map<std::string, std::string>;

/// Replaces a name for which `names` has a new one.
void rename(std::string& name, const NewNames& names);

/// Erases each node whose element in `kept` is false. Keeps the order of the other nodes.
void keep_nodes(onnx::GraphProto& graph, const std::vector<bool>& kept);

/// set_integer(), set_integers() and set_text() replace the attribute `name`, or add it.
void set_integer(onnx::NodeProto& node, const std::string& name, std::int64_t value);
void set_integers(onnx::NodeProto& node, const std::string& name,
                  const std::vector<std::int64_t>& values);
void set_text(onnx::NodeProto& node, const std::string& name, const std::string& value);
void erase_attribute(onnx::NodeProto& node, const std::string& name);

}  // namespace facepipe::detector
