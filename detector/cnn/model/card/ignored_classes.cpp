#include "detector/cnn/model/card/ignored_classes.h"

#include "core/terminal_text.h"
#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/card/model_data.h"
#include "detector/cnn/model/head_cells.h"

namespace facepipe::detector {
namespace {

/// Describes the channels of a map that contains the scores of classes.
struct ClassChannels {
  std::int64_t before = 0;  ///< channels of a cell that come before the classes
  std::int64_t classes = 0;
  std::int64_t cells = 1;  ///< cells of each place

  [[nodiscard]] std::int64_t all() const { return cells * (before + classes); }

  /// Returns the indices of the channels that stay, if the classes `wanted` stay.
  [[nodiscard]] std::vector<std::int64_t> kept(const std::vector<int>& wanted) const {
    std::vector<std::int64_t> channels;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const std::int64_t first = cell * (before + classes);
      for (std::int64_t i = 0; i < before; ++i) channels.push_back(first + i);
      for (const int i : wanted) channels.push_back(first + before + i);
    }
    return channels;
  }
};

ClassChannels channels_of(const Rewriting& to, const Card& card) {
  const CardHead& head = card.head;
  const auto classes = static_cast<std::int64_t>(card.classes.size());
  if (head.family == HeadFamily::yolo_anchors)
    return {YoloAnchorsCells::kPoints + 2 * head.points, classes,
            static_cast<std::int64_t>(head.anchor_sizes.front().size())};
  constexpr int kSides = 4;
  if (classes == kSides * head.bins || classes == head.points * head.point_values)
    to.fail("has as many classes as other values of a cell, so that it isn't clear which is which");
  return {0, classes, 1};
}

/// Returns the rows of `from` whose indices are in `kept`. Each row has `size` numbers.
std::vector<float> rows(const std::vector<float>& from, std::size_t size,
                        const std::vector<std::int64_t>& kept) {
  std::vector<float> result;
  for (const std::int64_t row : kept) {
    const auto first =
        from.begin() + static_cast<std::ptrdiff_t>(row) * static_cast<std::ptrdiff_t>(size);
    result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(size));
  }
  return result;
}

void keep_channels(Rewriting& to, onnx::NodeProto& proto, const graph::OnnxNode& node,
                   const std::vector<std::int64_t>& kept) {
  std::vector<std::int64_t> extents = node.extents(1);
  const std::vector<float> weights = node.floats(1);
  const std::size_t row = weights.size() / static_cast<std::size_t>(extents[0]);
  const std::string stem = proto.output(0) + ".wanted";
  if (node.has_input(2))
    proto.set_input(2, to.add_weights(stem + ".bias", {static_cast<std::int64_t>(kept.size())},
                                      rows(node.floats(2, extents[0]), 1, kept)));
  extents[0] = static_cast<std::int64_t>(kept.size());
  proto.set_input(1, to.add_weights(stem + ".weight", extents, rows(weights, row, kept)));
}

}  // namespace

void drop_ignored_classes(onnx::ModelProto& model, const std::string& source,
                          const std::vector<LastMap>& maps, const Card& card) {
  const std::vector<int> wanted = wanted_classes(card);
  if (wanted.size() == card.classes.size()) return;
  Rewriting to(model, source);
  const ClassChannels channels = channels_of(to, card);
  const std::vector<std::int64_t> kept = channels.kept(wanted);
  const OnnxIndex index(to.graph());
  for (const LastMap& map : maps) {
    const int n = index.producer(map.name);
    if (n < 0) to.fail("nothing computes its output " + shown_name(map.name));
    onnx::NodeProto& proto = *to.graph().mutable_node(n);
    const graph::OnnxNode node(proto, index.weights(), source);
    const std::vector<std::int64_t> extents = node.extents(1);
    const bool holds_classes = !extents.empty() && extents[0] == channels.all();
    if (!holds_classes) continue;
    if (proto.op_type() != "Conv" || node.integer("group", 1) != 1)
      node.fail("computes ignored classes, which only a Conv of one group can leave out");
    keep_channels(to, proto, node, kept);
  }
  drop_unread(to);
}

}  // namespace facepipe::detector
