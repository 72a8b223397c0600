#include "detector/cnn/cuda/placement.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "detector/cnn/model/graph/fuse_stem.h"
#include "detector/cnn/model/graph/memory_plan.h"

namespace facepipe::detector::engine {
namespace {

using graph::Graph;
using graph::Node;
using graph::Uses;
using graph::ValueId;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

std::size_t at(ValueId value) { return static_cast<std::size_t>(value); }

/// Returns whether the chain that computes `value` also pools. Such chains compute in halves.
bool is_pooled(const graph::PairChains& op, const Node& node, ValueId value) {
  std::size_t output = 0;
  for (const graph::PairChain& chain : op.chains)
    for (std::size_t i = 0; i < chain.output_count(); ++i)
      if (node.outputs[output++] == value) return chain.pools;
  return false;
}

bool computes_floats(const Graph& graph, const Uses& uses, const Node& node, ValueId value) {
  const auto* const pairs = std::get_if<graph::PairChains>(&node.op);
  const bool able = std::holds_alternative<graph::Convolution>(node.op) ||
                    (pairs != nullptr && !is_pooled(*pairs, node, value));
  return able && is_last(graph, uses, value);
}

bool stems_read_it(const Graph& graph, const Uses& uses) {
  const std::vector<int>& readers = uses.readers(graph.input);
  return !uses.is_output(graph.input) && graph.map(graph.input).width % 2 == 0 &&
         std::all_of(readers.begin(), readers.end(), [&](int reader) {
           const Node& node = graph.nodes[static_cast<std::size_t>(reader)];
           if (std::holds_alternative<graph::Stem>(node.op)) return true;
           const auto* const op = std::get_if<graph::Convolution>(&node.op);
           return op != nullptr && graph::is_stem(*op) && node.inputs.size() == 1 &&
                  !computes_floats(graph, uses, node, node.outputs[0]);
         });
}

/// Describes the position of a value within the result of a Concat.
struct Part {
  ValueId whole = -1;  ///< -1 if the value is not part of such a result
  int first_channel = 0;
};

/// Finds the values that can be placed within the result of a Concat. Such a value is computed by a
/// convolution, fills whole chunks of the result, and all of its readers can read parts.
class PartFinder {
 public:
  PartFinder(const Graph& graph, const Uses& uses) : graph_(graph), uses_(uses) {
    parts_.resize(graph.values.size());
    for (const Node& node : graph.nodes)
      if (std::holds_alternative<graph::Concat>(node.op)) add_parts(node);
  }

  [[nodiscard]] std::vector<Part> found() && { return std::move(parts_); }

 private:
  void add_parts(const Node& concat) {
    int channel = 0;
    for (const ValueId input : concat.inputs) {
      const int channels = graph_.map(input).channels;
      const bool whole_chunks = channel % kChannelStep == 0 && channels % kChannelStep == 0;
      Part& part = parts_[at(input)];
      if (whole_chunks && part.whole < 0 && can_be_part(input)) part = {concat.outputs[0], channel};
      channel += channels;
    }
  }

  [[nodiscard]] bool can_be_part(ValueId value) const {
    const int producer = uses_.producer(value);
    if (producer < 0 || uses_.is_output(value)) return false;
    const Node& node = graph_.nodes[static_cast<std::size_t>(producer)];
    return std::holds_alternative<graph::Convolution>(node.op) && all_read_parts(value);
  }

  [[nodiscard]] bool all_read_parts(ValueId value) const {
    const std::vector<int>& readers = uses_.readers(value);
    return std::all_of(readers.begin(), readers.end(), [&](int reader) {
      const Node& node = graph_.nodes[static_cast<std::size_t>(reader)];
      if (!std::holds_alternative<graph::Split>(node.op)) return reads_parts(node);
      return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId part) {
        return !uses_.is_output(part) && all_read_parts(part);
      });
    });
  }

  const Graph& graph_;
  const Uses& uses_;
  std::vector<Part> parts_;
};

/// Finds the lifetime of each value, in steps of the plan, from the nodes that read the value. Then
/// finds the value's position.
class Planner {
 public:
  Planner(const Graph& graph, bool reuse) : graph_(graph), uses_(graph), reuse_(reuse) {
    result_.values.resize(graph.values.size());
    owner_.resize(graph.values.size(), -1);
    lifetime_of_.resize(graph.values.size(), kNone);
    parts_ = PartFinder(graph, uses_).found();
  }

  Placements run() {
    add_owner(graph_.input, Element::f16, 0);
    if (stems_read_it(graph_, uses_)) {
      result_.values[at(graph_.input)].image = true;
      result_.values[at(graph_.input)].pitch = Placement::kImagePitch;
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) add_node(graph_.nodes[n], n);
    for (const graph::Output& output : graph_.outputs) extend(output.value, graph_.nodes.size());
    place();
    return std::move(result_);
  }

 private:
  void add_node(const Node& node, std::size_t step) {
    for (const ValueId input : node.inputs) extend(input, step);
    if (is_view(graph_, uses_, node)) {
      add_views(node);
      return;
    }
    if (std::holds_alternative<graph::Transpose>(node.op) ||
        std::holds_alternative<graph::Reshape>(node.op) ||
        std::holds_alternative<graph::RowOperator>(node.op))
      refuse_node(graph_, node, "the CUDA engine has no kernel for it");
    for (const ValueId output : node.outputs) {
      add_value(output, computes_floats(graph_, uses_, node, output) ? Element::f32 : Element::f16,
                step);
      extend(output, step);
    }
  }

  void add_value(ValueId value, Element element, std::size_t step) {
    const Part& part = parts_[at(value)];
    if (part.whole < 0) {
      add_owner(value, element, step);
      return;
    }
    add_owner(part.whole, Element::f16, step);
    Placement& place = result_.values[at(value)];
    place = result_.values[at(part.whole)];
    place.shape = graph_.map(value);
    place.first_channel = part.first_channel;
    owner_[at(value)] = part.whole;
  }

  /// Gives a value its own memory, unless this was already done for one of its parts.
  void add_owner(ValueId value, Element element, std::size_t step) {
    if (lifetime_of_[at(value)] != kNone) return;
    Placement& place = result_.values[at(value)];
    place.element = element;
    place.shape = graph_.map(value);
    place.pitch = padded(place.shape.channels);
    owner_[at(value)] = value;
    const int first = static_cast<int>(step);
    lifetimes_.push_back({0, reuse_ ? first : 0, reuse_ ? first : last_step()});
    owners_.push_back(value);
    lifetime_of_[at(value)] = lifetimes_.size() - 1;
  }

  void add_views(const Node& node) {
    const Placement& from = result_.values[at(node.inputs[0])];
    int channel = from.first_channel;
    for (const ValueId output : node.outputs) {
      Placement& place = result_.values[at(output)];
      place = from;
      place.shape = graph_.map(output);
      place.first_channel = channel;
      channel += place.shape.channels;
      if (const auto* const activate = std::get_if<graph::Activate>(&node.op))
        place.pending = activate->function;
      owner_[at(output)] = owner_[at(node.inputs[0])];
    }
  }

  void extend(ValueId value, std::size_t step) {
    graph::Lifetime& lifetime = lifetimes_[lifetime_of_[at(owner_[at(value)])]];
    lifetime.last = std::max(lifetime.last, static_cast<int>(step));
  }

  [[nodiscard]] int last_step() const { return static_cast<int>(graph_.nodes.size()); }

  void place() {
    for (std::size_t i = 0; i < owners_.size(); ++i)
      lifetimes_[i].bytes = result_.values[at(owners_[i])].bytes();
    const graph::MemoryPlan plan = graph::plan_memory(lifetimes_);
    for (std::size_t value = 0; value < owner_.size(); ++value)
      if (owner_[value] >= 0)
        result_.values[value].offset = plan.offsets[lifetime_of_[at(owner_[value])]];
    result_.bytes = plan.bytes;
  }

  const Graph& graph_;
  Uses uses_;
  bool reuse_;
  Placements result_;
  std::vector<ValueId> owner_;  ///< for each value: the value that owns its memory
  std::vector<ValueId> owners_;
  /// for each owner: its index in owners_ and lifetimes_, or kNone
  std::vector<std::size_t> lifetime_of_;
  std::vector<Part> parts_;  ///< for each value
  std::vector<graph::Lifetime> lifetimes_;
};

}  // namespace

bool is_view(const Graph& graph, const Uses& uses, const Node& node) {
  if (std::holds_alternative<graph::Split>(node.op)) return true;
  if (!std::holds_alternative<graph::Activate>(node.op)) return false;
  // The reader of a network's output may apply the last activation, if it leads only to this
  // output. Operators compute all other activations.
  const ValueId output = node.outputs[0];
  if (!uses.is_output(output) || !uses.readers(output).empty()) return false;
  ValueId value = node.inputs[0];
  for (int producer = uses.producer(value); producer >= 0; producer = uses.producer(value)) {
    const Node& before = graph.nodes[static_cast<std::size_t>(producer)];
    if (!std::holds_alternative<graph::Split>(before.op))
      return computes_floats(graph, uses, before, value);
    value = before.inputs[0];
  }
  return false;
}

bool reads_parts(const Node& node) {
  return std::holds_alternative<graph::Convolution>(node.op) ||
         std::holds_alternative<graph::Activate>(node.op) ||
         std::holds_alternative<graph::Add>(node.op) ||
         std::holds_alternative<graph::Multiply>(node.op) ||
         std::holds_alternative<graph::LeakyRelu>(node.op) ||
         std::holds_alternative<graph::Concat>(node.op) ||
         std::holds_alternative<graph::Shuffle>(node.op);
}

Placements place_values(const Graph& graph, bool reuse) { return Planner(graph, reuse).run(); }

}  // namespace facepipe::detector::engine
