// The extents of a graph's values for every size of the picture, and the numbers that nodes compute
// from extents.
//
// Exporters write "the height of this map, times two" as five or six nodes, which engines read in
// different ways or not at all. This is a run of the graph in which the picture's height and width
// stay unknown. Only extents and short lists of numbers are computed, never maps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "detector/cnn/model/canonical/regroup.h"
#include "detector/cnn/model/canonical/rewriting.h"

namespace facepipe::detector {

/// A Reshape to more axes, and lists that are longer, belong to no network for pictures.
inline constexpr std::size_t kLongestList = 16;

/// A short list of numbers, or one number.
struct SizeList {
  std::vector<SizeNumber> values;
  bool scalar = false;  ///< one number that is no list
  bool floats = false;  ///< integers are divided without their fractions
};

/// A snapshot of a graph: nodes that are rewritten later don't change it. It knows nothing of what
/// depends on operators that it doesn't know. Errors: those of OnnxNode, for attributes of a
/// convolution, of pooling and so on that the import refuses, too.
class SymbolicShapes {
 public:
  explicit SymbolicShapes(const Rewriting& of);

  /// Returns the size of the picture with which the file was exported, if it holds for no other.
  [[nodiscard]] const std::optional<Size>& exported() const { return exported_; }
  /// Each returns null if it isn't known. Extents of weights are known.
  [[nodiscard]] const SizeExtents* extents(const std::string& name) const;
  [[nodiscard]] const SizeList* list(const std::string& name) const;
  /// Returns the number of channels of a map, or 0 if it isn't known.
  [[nodiscard]] std::int64_t channels(const std::string& name) const;

 private:
  friend class ShapeRules;
  void add_weights(const onnx::GraphProto& graph);
  void add_picture(const onnx::GraphProto& graph);

  std::optional<Size> exported_;
  std::unordered_map<std::string, SizeExtents> extents_;
  std::unordered_map<std::string, SizeList> lists_;
};

/// Returns the extents of a map behind pooling, which are rounded up or down; nullopt if they
/// aren't parts of the picture's.
[[nodiscard]] std::optional<SizeExtents> pooled_extents(const graph::OnnxNode& node,
                                                        const SizeExtents& map, bool up);

/// Returns what is known of a node's inputs: null for those that are no known lists.
[[nodiscard]] std::vector<const SizeList*> lists_of(const SymbolicShapes& shapes,
                                                    const onnx::NodeProto& node);

/// Returns the numbers of a small tensor, or nullopt. Numbers that are larger than any extent count
/// as the largest, because files write "up to the end" in this way.
[[nodiscard]] std::optional<SizeList> size_list(const onnx::TensorProto& tensor);

}  // namespace facepipe::detector
