#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/canonical/symbolic_shapes.h"

namespace facepipe::detector {
namespace {

/// Returns whether the file's own list gives the extents `to` for every picture.
bool is_free(const SizeExtents& from, const SizeExtents& to, const onnx::TensorProto* own) {
  const auto list = own != nullptr ? size_list(*own) : std::nullopt;
  return list && reshaped(from, list->values, std::nullopt) == to;
}

/// Calls `take` for each Reshape whose list doesn't give its extents for every picture, with the
/// node, the extents of its input and those of its result.
template <typename Take>
void for_bound_reshapes(Rewriting& to, Take take) {
  const SymbolicShapes shapes(to);
  const OnnxIndex index(to.graph());
  for (onnx::NodeProto& node : *to.graph().mutable_node()) {
    if (node.op_type() != "Reshape" || node.input_size() != 2 || node.output_size() != 1) continue;
    const SizeExtents* const from = shapes.extents(node.input(0));
    const SizeExtents* const result = shapes.extents(node.output(0));
    if (from == nullptr || result == nullptr) continue;
    if (!is_free(*from, *result, index.weights(node.input(1)))) take(node, *from, *result);
  }
}

/// Gives a Reshape a list of its own.
void set_list(Rewriting& to, onnx::NodeProto& node, const std::vector<std::int64_t>& list) {
  node.set_input(1, to.add_weights(node.output(0) + ".extents", list));
}

}  // namespace

void free_reshapes(Rewriting& to) {
  for_bound_reshapes(
      to, [&](onnx::NodeProto& node, const SizeExtents& from, const SizeExtents& result) {
        if (const auto list = reshape_list(from, result)) set_list(to, node, *list);
      });
}

std::vector<SizedList> find_sized_lists(Rewriting& to) {
  std::vector<SizedList> sized;
  for_bound_reshapes(
      to, [&](onnx::NodeProto& node, const SizeExtents& /*from*/, const SizeExtents& result) {
        set_list(to, node, std::vector<std::int64_t>(result.size(), 1));
        sized.push_back({node.input(1), result});
      });
  return sized;
}

}  // namespace facepipe::detector
