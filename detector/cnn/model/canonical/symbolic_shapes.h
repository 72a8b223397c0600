// Computes the extents of a graph's values for every size of the picture, and the numbers that
// nodes compute from extents.
//
// Exporters write "the height of this map, times two" as five or six nodes, which engines read in
// different ways or not at all. This code runs the graph, but the picture's height and width stay
// unknown. It computes only extents and short lists of numbers, never maps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "detector/cnn/model/canonical/regroup.h"
#include "detector/cnn/model/canonical/rewriting.h"

namespace facepipe::detector {

/// Largest length of a list. No network for pictures has longer lists, or a Reshape to more axes.
inline constexpr std::size_t kLongestList = 16;

/// Holds a short list of numbers, or one number.
struct SizeList {
  std::vector<SizeNumber> values;
  bool scalar = false;  ///< true if this is one number and not a list
  bool floats = false;  ///< false if these are integers; their division drops fractions
};

/// Holds the extents and lists that a graph had at the construction of this object. Values that
/// depend on unknown operators are unknown. Throws the errors of OnnxNode for attributes of
/// convolutions, pooling and so on that the import refuses, too.
class SymbolicShapes {
 public:
  explicit SymbolicShapes(const Rewriting& of);

  /// Returns the size of the picture with which the file was exported, if the file is valid only
  /// for this size.
  [[nodiscard]] const std::optional<Size>& exported() const { return exported_; }
  /// extents() and list() return null if the value's extents or numbers are unknown. Extents of
  /// weights are known.
  [[nodiscard]] const SizeExtents* extents(const std::string& name) const;
  [[nodiscard]] const SizeList* list(const std::string& name) const;
  /// Returns the number of channels of a map, or 0 if this number is unknown.
  [[nodiscard]] std::int64_t channels(const std::string& name) const;

 private:
  friend class ShapeRules;
  void add_weights(const onnx::GraphProto& graph);
  void add_picture(const onnx::GraphProto& graph);

  std::optional<Size> exported_;
  std::unordered_map<std::string, SizeExtents> extents_;
  std::unordered_map<std::string, SizeList> lists_;
};

/// Returns the extents of the result of pooling, rounded up or down. Returns nullopt if an extent
/// is neither constant nor proportional to the picture's side.
[[nodiscard]] std::optional<SizeExtents> pooled_extents(const graph::OnnxNode& node,
                                                        const SizeExtents& map, bool up);

/// Returns the lists that are a node's inputs. The pointer is null for an input that isn't a known
/// list.
[[nodiscard]] std::vector<const SizeList*> lists_of(const SymbolicShapes& shapes,
                                                    const onnx::NodeProto& node);

/// Returns the numbers of a small tensor, or nullopt. Integers beyond any extent are clamped,
/// because files write "up to the end" as a very large number.
[[nodiscard]] std::optional<SizeList> size_list(const onnx::TensorProto& tensor);

}  // namespace facepipe::detector
