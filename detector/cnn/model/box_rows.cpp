#include "detector/cnn/model/box_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/terminal_text.h"
#include "detector/cnn/model/head_cells.h"
#include "detector/model_file.h"

namespace facepipe::detector {
namespace {

constexpr int kBoxNumbers = 4;

bool has_class(BoxLayout layout) {
  return layout == BoxLayout::xyxy_score_class || layout == BoxLayout::batch_xyxy_class_score;
}

bool has_scores_of_classes(BoxLayout layout) {
  return layout == BoxLayout::cxcywh_classes || layout == BoxLayout::xyxy_classes;
}

/// Returns the names of the outputs that the card states, in the order of HeadData::outputs.
/// Returns an empty list if the card states none.
std::vector<std::string> names_of(const CardOutputs& outputs) {
  std::vector<std::string> names;
  for (const auto* const list : {&outputs.all, &outputs.box, &outputs.score, &outputs.its_class})
    names.insert(names.end(), list->begin(), list->end());
  return names;
}

/// Refuses names of outputs that don't belong to the layout.
void check_names(const Card& card, const std::string& origin) {
  const CardOutputs& outputs = card.head.outputs;
  const std::size_t classes = has_class(card.head.layout) ? 1 : 0;
  const bool joined = outputs.box.empty() && outputs.score.empty() && outputs.its_class.empty() &&
                      outputs.all.size() <= 1;
  const bool split = outputs.all.empty() && outputs.box.size() == 1 && outputs.score.size() == 1 &&
                     outputs.its_class.size() == classes;
  if (!outputs.object.empty() || !outputs.points.empty() || (!joined && !split))
    refuse_card(origin,
                std::string("head.outputs: this layout needs one name of all, or one each ") +
                    (classes > 0 ? "of box, score and class" : "of box and score"));
}

/// Sets where the numbers of a row are in a single output.
void join(BoxRows& rows, BoxLayout layout, std::vector<HeadOutput>& outputs) {
  const bool has_batch = layout == BoxLayout::batch_xyxy_class_score;
  int channel = has_batch ? 1 : 0;
  rows.box = {0, channel};
  channel += kBoxNumbers;
  if (has_batch) rows.its_class = RowPlace{0, channel++};
  rows.score = {0, channel};
  channel += rows.scores;
  if (has_class(layout) && !has_batch) rows.its_class = RowPlace{0, channel++};
  outputs = {{channel}};
}

/// Sets where the numbers of a row are in separate outputs.
void separate(BoxRows& rows, BoxLayout layout, std::vector<HeadOutput>& outputs) {
  rows.box = {0, 0};
  rows.score = {1, 0};
  outputs = {{kBoxNumbers}, {rows.scores}};
  if (!has_class(layout)) return;
  rows.its_class = RowPlace{2, 0};
  outputs.push_back({1});
}

/// Returns the graph's output of this name, or the only output if `name` is empty.
const graph::Output& output_named(const std::string& name, const graph::Graph& graph,
                                  const ModelSource& source) {
  const auto found = name.empty() && graph.outputs.size() == 1
                         ? graph.outputs.begin()
                         : std::ranges::find(graph.outputs, name, &graph::Output::name);
  if (found != graph.outputs.end()) return *found;
  refuse_model(source.file,
               name.empty() ? "has " + std::to_string(graph.outputs.size()) +
                                  " outputs, so head.outputs in its card must name those with boxes"
                            : "has no output " + shown_name(name) + ", which its card names");
}

/// Returns whether a value is rows x channels, with or without a leading 1. Rows of one number may
/// also be a list.
bool holds_rows(const std::vector<std::int64_t>& extents, int channels) {
  const std::size_t rank = extents.size();
  if (rank == 0 || rank > 3) return false;
  const bool alone = rank < 3 || extents.front() == 1;
  if (rank >= 2 && alone && extents.back() == channels) return true;
  return channels == 1 && (rank == 1 || (rank == 2 && extents.front() == 1));
}

ModelOutput rows_in(const graph::Output& output, int channels, const graph::Graph& graph,
                    const ModelSource& source) {
  constexpr std::size_t kMostRows = std::size_t{1} << 20;
  const std::vector<std::int64_t>& extents = graph.value(output.value).extents;
  ModelOutput result{output.name, channels, 1, 1, extents};
  if (!holds_rows(extents, channels) || result.rows() > kMostRows)
    refuse_model(source.file, "its output " + shown_name(output.name) + " has no rows of " +
                                  std::to_string(channels) + " numbers; see head in its card " +
                                  source.card.string());
  return result;
}

/// Reads the numbers of one row.
class Row {
 public:
  Row(const HeadData& head, const NetworkOutputs& outputs, std::size_t row)
      : head_(head), outputs_(outputs), row_(row) {}

  [[nodiscard]] float at(const RowPlace& place, int index = 0) const {
    const auto channels = static_cast<std::size_t>(head_.outputs[place.output].channels);
    return outputs_[place.output]
                   [row_ * channels + static_cast<std::size_t>(place.channel + index)];
  }

  [[nodiscard]] Box box() const {
    const BoxRows& rows = head_.rows;
    const float a = at(rows.box, 0);
    const float b = at(rows.box, 1);
    const float c = at(rows.box, 2);
    const float d = at(rows.box, 3);
    if (!rows.centred) return {a, b, c, d};
    return {a - c / 2, b - d / 2, a + c / 2, b + d / 2};
  }

 private:
  const HeadData& head_;
  const NetworkOutputs& outputs_;
  std::size_t row_;
};

struct ScoredClass {
  float score = 0;
  int its_class = -1;  ///< among those that facepipe looks for; -1 if it is ignored
};

/// Returns the best class that isn't ignored, or the row's class.
ScoredClass class_of(const Row& row, const BoxRows& rows) {
  const auto count = static_cast<int>(rows.classes.size());
  ScoredClass best;
  if (rows.scores > 1) {
    for (int i = 0; i < std::min(rows.scores, count); ++i) {
      const ScoredClass one{row.at(rows.score, i), rows.classes[static_cast<std::size_t>(i)]};
      if (one.its_class >= 0 && (best.its_class < 0 || one.score > best.score)) best = one;
    }
    return best;
  }
  // Classes are whole numbers. NaN is in no range.
  const float number = rows.its_class ? row.at(*rows.its_class) : 0;
  const bool known = number > -0.5F && number < static_cast<float>(count) - 0.5F;
  if (!known) return best;
  return {row.at(rows.score), rows.classes[static_cast<std::size_t>(std::lround(number))]};
}

}  // namespace

HeadData head_of_rows(const Card& card, const std::string& origin) {
  const BoxLayout layout = card.head.layout;
  if (card.head.scores == ScoreKind::softmax2)
    refuse_card(origin, "head.scores: softmax2 is not supported in this family");
  check_names(card, origin);
  HeadData head{
      .kind = HeadKind::boxes, .layout = OutputLayout::cells, .strides = {1}, .outputs = {}};
  head.landmarks = false;
  BoxRows& rows = head.rows;
  rows.centred = layout == BoxLayout::cxcywh_classes;
  rows.logits = card.head.scores == ScoreKind::logit;
  if (has_scores_of_classes(layout)) rows.scores = static_cast<int>(card.classes.size());
  const bool split = !card.head.outputs.box.empty();
  split ? separate(rows, layout, head.outputs) : join(rows, layout, head.outputs);
  int wanted = 0;
  for (const CardClass& each : card.classes)
    rows.classes.push_back(each.kind == ClassKind::ignore ? -1 : wanted++);
  head.numbers.classes = wanted;
  return head;
}

std::vector<ModelOutput> find_row_outputs(const HeadData& head, const Card& card,
                                          const graph::Graph& graph, const ModelSource& source) {
  std::vector<std::string> names = names_of(card.head.outputs);
  names.resize(head.outputs.size());
  std::vector<ModelOutput> outputs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    outputs.push_back(
        rows_in(output_named(names[i], graph, source), head.outputs[i].channels, graph, source));
    if (outputs.back().rows() != outputs.front().rows())
      refuse_model(source.file, "its output " + shown_name(outputs.back().name) +
                                    " has another number of rows than " +
                                    shown_name(outputs.front().name));
  }
  return outputs;
}

Detections decode_rows(const HeadData& head, const NetworkOutputs& outputs, const NetworkFit& fit,
                       float score_threshold) {
  const std::size_t count =
      outputs.front().size() / static_cast<std::size_t>(head.outputs.front().channels);
  Detections found;
  for (std::size_t i = 0; i < count; ++i) {
    const Row row(head, outputs, i);
    ScoredClass best = class_of(row, head.rows);
    if (head.rows.logits) best.score = sigmoid(best.score);
    if (best.its_class < 0 || !(best.score > score_threshold) || !std::isfinite(best.score))
      continue;
    const std::optional<Box> visible = box_in_frame(fit, row.box());
    if (!visible) continue;
    found.push_back(*visible, best.score);
    found.set_class_of_last(static_cast<std::uint16_t>(best.its_class));
  }
  return found;
}

}  // namespace facepipe::detector
