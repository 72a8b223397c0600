#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/canonical/symbolic_shapes.h"

namespace facepipe::detector {
namespace {

/// Describes a shuffle: the indices of its three nodes, and its sizes.
struct Shuffle {
  int split = 0;  ///< makes a map 1 x groups x members x height x width
  int swap = 0;   ///< exchanges groups and members
  int merge = 0;  ///< makes a map again
  std::int64_t groups = 0;
  std::int64_t members = 0;
};

class ShuffleFinder {
 public:
  explicit ShuffleFinder(const Rewriting& of) : of_(of), shapes_(of), index_(of.graph()) {}

  /// Returns the shuffle that ends at a node.
  [[nodiscard]] std::optional<Shuffle> ending_at(int merge) const {
    const int swap = before(merge, "Reshape");
    const int split = before(swap, "Transpose");
    if (!is_one(split, "Reshape")) return std::nullopt;
    const SizeExtents* const from = shapes_.extents(of_.graph().node(split).input(0));
    const SizeExtents* const middle = shapes_.extents(of_.graph().node(split).output(0));
    const SizeExtents* const to = shapes_.extents(of_.graph().node(merge).output(0));
    if (from == nullptr || middle == nullptr || to == nullptr || *from != *to) return std::nullopt;
    const graph::OnnxNode transpose(of_.graph().node(swap), index_.weights(), of_.source());
    if (transpose.integers("perm", {}) != std::vector<std::int64_t>{0, 2, 1, 3, 4})
      return std::nullopt;
    if (from->size() != 4 || middle->size() != 5) return std::nullopt;
    const auto groups = (*middle)[1].integer();
    const auto members = (*middle)[2].integer();
    const bool keeps_places = (*middle)[0].integer() == 1 && (*middle)[3] == (*from)[2] &&
                              (*middle)[4] == (*from)[3] && groups && members;
    return keeps_places ? std::optional(Shuffle{split, swap, merge, *groups, *members})
                        : std::nullopt;
  }

 private:
  /// Returns whether n is the index of a node of this type, with an input and one output.
  [[nodiscard]] bool is_one(int n, const char* type) const {
    if (n < 0) return false;
    const onnx::NodeProto& node = of_.graph().node(n);
    return node.op_type() == type && node.input_size() > 0 && node.output_size() == 1;
  }

  /// Returns the index of the node before node n. Returns -1 if node n is not of this type, or if
  /// other nodes read the value between the two nodes.
  [[nodiscard]] int before(int n, const char* type) const {
    if (!is_one(n, type)) return -1;
    const std::string& input = of_.graph().node(n).input(0);
    return index_.reads_of(input) == 1 ? index_.producer(input) : -1;
  }

  const Rewriting& of_;
  SymbolicShapes shapes_;
  OnnxIndex index_;
};

void write_shuffle(Rewriting& to, const Shuffle& shuffle) {
  onnx::GraphProto& graph = to.graph();
  const auto set_extents = [&](int n, const std::vector<std::int64_t>& extents) {
    onnx::NodeProto& node = *graph.mutable_node(n);
    node.set_input(1, to.add_weights(node.output(0) + ".extents", extents));
  };
  set_extents(shuffle.split, {shuffle.groups, shuffle.members, 0, 0});
  set_integers(*graph.mutable_node(shuffle.swap), "perm", {1, 0, 2, 3});
  set_extents(shuffle.merge, {1, shuffle.groups * shuffle.members, 0, 0});
}

}  // namespace

void free_shuffles(Rewriting& to) {
  const ShuffleFinder finder(to);
  for (int n = 0; n < to.graph().node_size(); ++n)
    if (const auto shuffle = finder.ending_at(n)) write_shuffle(to, *shuffle);
}

}  // namespace facepipe::detector
