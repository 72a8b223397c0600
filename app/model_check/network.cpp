#include "app/model_check/network.h"

#include <spdlog/fmt/fmt.h>

#include <map>
#include <string>

#include "detector/cnn/model/card/card.h"
#include "detector/cnn/model/declared_values.h"
#include "detector/cnn/model/graph/graph.h"

namespace facepipe::app {
namespace {

// operators_text() can use any size, because the graph has the same operators for all sizes.
constexpr Size kAnySize{128, 128};

std::string recognition_text(const detector::Model& model) {
  switch (model.recognition()) {
    case detector::Recognition::outputs:
      return "by the shapes of its outputs";
    case detector::Recognition::contents:
      return "by its contents";
    case detector::Recognition::card:
      return "by its card, " + model.about().card;
  }
  return {};
}

/// Returns the sizes that the input takes.
std::string sizes_text(const detector::InputData& input) {
  if (input.size) return fmt::format("1 x 3 x {} x {}", input.size->height, input.size->width);
  return "1 x 3 x height x width";
}

std::string output_text(const detector::ModelOutput& output) {
  if (!output.extents.empty())
    return fmt::format("{}: {} rows of {} values", output.name, output.rows(), output.channels);
  const std::string anchors =
      output.anchors > 1 ? fmt::format(", {} cells a place", output.anchors) : std::string();
  return fmt::format("{}: {} values a cell, stride {}{}", output.name, output.channels,
                     output.stride, anchors);
}

/// Returns how often the graph has each operator, sorted by name: "Add 12, Convolution 60".
std::string operators_text(const detector::Model& model) {
  const detector::graph::Graph graph = model.graph(model.data().input.size.value_or(kAnySize));
  std::map<std::string, int> counts;
  for (const detector::graph::Node& node : graph.nodes) ++counts[name_of(node.op)];
  std::string text;
  for (const auto& [name, count] : counts)
    text += (text.empty() ? "" : ", ") + fmt::format("{} {}", name, count);
  return text;
}

std::string class_text(const detector::CardClass& entry) {
  if (entry.kind == detector::ClassKind::face && entry.name == "face") return entry.name;
  return fmt::format("{} (as {})", entry.name, name_of(entry.kind));
}

/// Returns the names of the first kMostNamed classes that aren't ignored, and the number of the
/// others.
std::string classes_text(const detector::Card& card) {
  constexpr int kMostNamed = 8;
  std::string text;
  int named = 0;
  int more = 0;
  for (const detector::CardClass& entry : card.classes) {
    if (entry.kind == detector::ClassKind::ignore) continue;
    if (named++ >= kMostNamed) ++more;
    if (named <= kMostNamed) text += (text.empty() ? "" : ", ") + class_text(entry);
  }
  return more > 0 ? text + fmt::format(" and {} more", more) : text;
}

}  // namespace

void print_network(const detector::Model& model, const Print& print) {
  const detector::Card& card = model.card();
  print_line(print, "family", name_of(card.head.family));
  print_line(print, "recognised", recognition_text(model));
  print_line(print, "finds", classes_text(card));
  print_line(print, "input",
             fmt::format("{}: {}, {}{}", model.input(), sizes_text(model.data().input),
                         model.channel_order() == detector::ChannelOrder::rgb ? "rgb" : "bgr",
                         model.data().input.size ? std::string()
                                                 : fmt::format(", sides are multiples of {}",
                                                               model.data().input.multiple)));
  for (const detector::ModelOutput& output : model.outputs())
    print_line(print, "output", output_text(output));
  print_line(print, "operators", operators_text(model));
  const std::optional<float> reference = model.about().reference_score;
  print_line(print, "reference",
             reference ? fmt::format("score {:.3g}", *reference)
                       : "score unknown, so scores are taken as CenterFace's");
}

void print_declared(const std::filesystem::path& file, const Print& print) {
  const std::optional<detector::DeclaredValues> values = detector::declared_values(file);
  if (!values) return;
  print("declared by the file\n");
  for (const detector::DeclaredValue& input : values->inputs)
    print_line(print, "input", input.name + ": " + input.type);
  for (const detector::DeclaredValue& output : values->outputs)
    print_line(print, "output", output.name + ": " + output.type);
  if (values->left_out > 0) print_line(print, "", fmt::format("and {} more", values->left_out));
}

std::string draft_of_card(const detector::Model& model, const std::optional<float>& measured) {
  detector::Card card = model.card();
  card.sha256 = model.sha256();
  card.licence = model.about().licence;
  card.reference_score = measured ? measured : model.about().reference_score;
  return to_json(card);
}

}  // namespace facepipe::app
