#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "detector/cnn/model/canonical/list_rules.h"
#include "detector/cnn/model/canonical/passes.h"
#include "detector/cnn/model/canonical/symbolic_shapes.h"

namespace facepipe::detector {
namespace {

constexpr std::int64_t kFirstWithSizesAsInput = 13;  // a version of ONNX's operators

/// Describes consecutive channels of a map, and the Slice that takes these channels.
struct ChannelSlice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int node = 0;
};

void write_split(Rewriting& to, onnx::NodeProto& node, const std::vector<std::int64_t>& sizes) {
  while (node.input_size() > 1) node.mutable_input()->RemoveLast();
  node.clear_attribute();
  set_integer(node, "axis", 1);
  if (to.opset() < kFirstWithSizesAsInput)
    set_integers(node, "split", sizes);
  else
    node.add_input(to.add_weights(node.output(0) + ".sizes", sizes));
}

/// Returns the channels that a Slice takes from a map with `channels` channels. Returns nullopt if
/// the Slice doesn't take whole, consecutive channels.
std::optional<ChannelSlice> channel_slice(const graph::OnnxNode& node, const SymbolicShapes& shapes,
                                          std::int64_t channels) {
  constexpr std::size_t kMapRank = 4;
  const auto ranges = slice_ranges(node, lists_of(shapes, node.proto()), kMapRank);
  if (!ranges || ranges->size() != 1) return std::nullopt;
  const SliceRange& range = ranges->front();
  if (range.axis != 1 || range.step != 1) return std::nullopt;
  const auto [begin, end] = range.within(channels);
  return ChannelSlice{begin, end, 0};
}

/// Returns whether sorted slices cover all channels once.
bool covers_once(const std::vector<ChannelSlice>& slices, std::int64_t channels) {
  std::int64_t next = 0;
  for (const ChannelSlice& slice : slices) {
    if (slice.begin != next || slice.end <= slice.begin) return false;
    next = slice.end;
  }
  return next == channels;
}

/// Replaces the first Slice by a Split of all channels. Marks the other Slices as not kept.
void merge_slices(Rewriting& to, const std::vector<ChannelSlice>& slices, std::vector<bool>& kept) {
  std::vector<std::int64_t> sizes;
  std::vector<std::string> outputs;
  int first = slices.front().node;
  for (const ChannelSlice& slice : slices) {
    sizes.push_back(slice.end - slice.begin);
    outputs.push_back(to.graph().node(slice.node).output(0));
    kept[static_cast<std::size_t>(slice.node)] = false;
    first = std::min(first, slice.node);
  }
  kept[static_cast<std::size_t>(first)] = true;
  onnx::NodeProto& split = *to.graph().mutable_node(first);
  split.set_op_type("Split");
  split.clear_output();
  for (const std::string& output : outputs) split.add_output(output);
  write_split(to, split, sizes);
}

/// Gives a Split of channels constant sizes, if the sizes are known.
void write_sizes(Rewriting& to, onnx::NodeProto& node, const SymbolicShapes& shapes) {
  std::vector<std::int64_t> sizes;
  std::int64_t all = 0;
  for (const std::string& output : node.output()) {
    sizes.push_back(shapes.channels(output));
    if (sizes.back() < 1) return;
    all += sizes.back();
  }
  if (node.input_size() > 0 && all == shapes.channels(node.input(0))) write_split(to, node, sizes);
}

}  // namespace

void make_slices_splits(Rewriting& to) {
  const SymbolicShapes shapes(to);
  const OnnxIndex index(to.graph());
  std::map<std::string, std::vector<ChannelSlice>> slices;  // by the name of the map
  for (int n = 0; n < to.graph().node_size(); ++n) {
    onnx::NodeProto& node = *to.graph().mutable_node(n);
    if (node.op_type() == "Split") write_sizes(to, node, shapes);
    if (node.op_type() != "Slice" || node.output_size() != 1 || node.input_size() < 1) continue;
    const std::int64_t channels = shapes.channels(node.input(0));
    const graph::OnnxNode slice(node, index.weights(), to.source());
    auto part = channels > 0 ? channel_slice(slice, shapes, channels) : std::nullopt;
    if (!part) continue;
    part->node = n;
    slices[node.input(0)].push_back(*part);
  }
  std::vector<bool> kept(static_cast<std::size_t>(to.graph().node_size()), true);
  for (auto& [map, parts] : slices) {
    std::ranges::sort(parts, {}, &ChannelSlice::begin);
    if (covers_once(parts, shapes.channels(map))) merge_slices(to, parts, kept);
  }
  keep_nodes(to.graph(), kept);
}

namespace {

/// Returns the sizes of a Split's parts if they are an input, and not all equal. Otherwise returns
/// an empty list.
std::vector<std::int64_t> different_sizes(const graph::OnnxNode& node) {
  if (node.proto().op_type() != "Split" || !node.has_input(1)) return {};
  const std::vector<std::int64_t> sizes = node.integers(1);
  const bool fits = sizes.size() == static_cast<std::size_t>(node.proto().output_size());
  const bool equal = std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end();
  return fits && !equal ? sizes : std::vector<std::int64_t>();
}

/// Appends a Slice for each part of a Split.
void append_slices(Rewriting& to, const onnx::NodeProto& split,
                   const std::vector<std::int64_t>& sizes, std::int64_t axis,
                   google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
  std::int64_t first = 0;
  for (int i = 0; i < split.output_size(); ++i) {
    const std::int64_t end = first + sizes[static_cast<std::size_t>(i)];
    onnx::NodeProto& slice = *nodes.Add();
    slice.set_op_type("Slice");
    slice.add_output(split.output(i));
    slice.add_input(split.input(0));
    for (const std::int64_t number : {first, end, axis})
      slice.add_input(to.add_weights(split.output(i) + ".part", std::vector{number}));
    first = end;
  }
}

}  // namespace

void make_splits_slices(Rewriting& to) {
  const OnnxIndex index(to.graph());
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (onnx::NodeProto& proto : *to.graph().mutable_node()) {
    const graph::OnnxNode node(proto, index.weights(), to.source());
    const std::vector<std::int64_t> sizes = different_sizes(node);
    if (sizes.empty())
      *nodes.Add() = std::move(proto);
    else
      append_slices(to, proto, sizes, node.integer("axis", 0), nodes);
  }
  to.graph().mutable_node()->Swap(&nodes);
}

}  // namespace facepipe::detector
