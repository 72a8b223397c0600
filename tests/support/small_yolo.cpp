#include "tests/support/small_yolo.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace facepipe::test {
namespace {

using Integers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

constexpr int kWidth = 16;  // channels of the maps before the heads
constexpr int kBins = 16;
constexpr std::array kStrides{8, 16, 32};
constexpr std::int64_t kAllCells = 64 + 16 + 4;  // cells of all strides together

/// Appends a convolution whose outputs are about as large as its inputs, so that no score is 0 or
/// 1.
std::string convolution(OnnxBuilder& build, const std::string& from, int inputs, int outputs,
                        int kernel = 1, int stride = 1) {
  std::string result = build.convolution(from, inputs, outputs, kernel, stride);
  onnx::GraphProto& graph = *build.model().mutable_graph();
  onnx::TensorProto& weights = *graph.mutable_initializer(graph.initializer_size() - 2);
  const float factor = 2 / std::sqrt(static_cast<float>(inputs * kernel * kernel));
  for (float& weight : *weights.mutable_float_data()) weight *= factor;
  return result;
}

std::string silu(OnnxBuilder& build, const std::string& from) {
  return build.node("Mul", {from, build.node("Sigmoid", {from})});
}

/// Appends a block of YOLO: one half of the channels goes through a convolution, and then all
/// channels are joined.
std::string split_block(OnnxBuilder& build, const std::string& from) {
  const Names halves = build.node_with_outputs(
      "Split", 2, {from, build.integers({kWidth / 2, kWidth / 2})}, {{"axis", 1L}});
  const std::string more = silu(build, convolution(build, halves[1], kWidth / 2, kWidth / 2, 3));
  const std::string sum = build.node("Add", {halves[1], more});
  const std::string all = build.node("Concat", {halves[0], halves[1], sum}, {{"axis", 1L}});
  return silu(build, convolution(build, all, kWidth / 2 * 3, kWidth));
}

/// Appends the layers before the heads, and returns their maps for the three strides.
Names body(OnnxBuilder& build) {
  std::string map = silu(build, convolution(build, build.picture(), 3, kWidth, 3, 2));
  map = silu(build, convolution(build, map, kWidth, kWidth, 3, 2));
  Names levels;
  for (std::size_t i = 0; i < kStrides.size(); ++i) {
    map = split_block(build, silu(build, convolution(build, map, kWidth, kWidth, 3, 2)));
    levels.push_back(map);
  }
  return levels;
}

std::string cut(OnnxBuilder& build, const std::string& from, std::int64_t first, std::int64_t end) {
  return build.node("Slice", {from, build.integers({first}), build.integers({end}),
                              build.integers({1}), build.integers({1})});
}

/// Adds weights: the centres of all cells, in units of each cell's stride (1 x 2 x cells), or the
/// strides (1 x 1 x cells).
std::string cell_numbers(OnnxBuilder& build, bool centres) {
  std::vector<float> x;
  std::vector<float> y;
  std::vector<float> strides;
  for (const int stride : kStrides)
    for (int row = 0; row < kYoloSide / stride; ++row)
      for (int column = 0; column < kYoloSide / stride; ++column) {
        x.push_back(static_cast<float>(column) + 0.5F);
        y.push_back(static_cast<float>(row) + 0.5F);
        strides.push_back(static_cast<float>(stride));
      }
  if (!centres) return build.floats({1, 1, kAllCells}, strides);
  x.insert(x.end(), y.begin(), y.end());
  return build.floats({1, 2, kAllCells}, x);
}

/// Appends the mean of each side's distribution: 1 x 4 x cells.
std::string distances(OnnxBuilder& build, const std::string& boxes) {
  const std::string sides =
      build.node("Reshape", {boxes, build.integers({1, 4, kBins, kAllCells})});
  const std::string softmax =
      build.node("Softmax", {build.node("Transpose", {sides}, {{"perm", Integers{0, 2, 1, 3}}})},
                 {{"axis", 1L}});
  std::vector<float> numbers;
  for (int i = 0; i < kBins; ++i) numbers.push_back(static_cast<float>(i));
  const std::string mean = build.node("Conv", {softmax, build.floats({1, kBins, 1, 1}, numbers)},
                                      {{"kernel_shape", Integers{1, 1}}});
  return build.node("Reshape", {mean, build.integers({1, 4, kAllCells})});
}

/// Appends centres and sizes of all boxes: 1 x 4 x cells.
std::string decoded_boxes(OnnxBuilder& build, const std::string& boxes) {
  const std::string sides = distances(build, boxes);
  const std::string centres = cell_numbers(build, true);
  const std::string low = build.node("Sub", {centres, cut(build, sides, 0, 2)});
  const std::string high = build.node("Add", {centres, cut(build, sides, 2, 4)});
  const std::string middle =
      build.node("Div", {build.node("Add", {low, high}), build.floats({}, {2})});
  const std::string size = build.node("Sub", {high, low});
  return build.node(
      "Mul", {build.node("Concat", {middle, size}, {{"axis", 1L}}), cell_numbers(build, false)});
}

/// Appends the landmarks of all cells: 1 x count * values x cells.
std::string decoded_points(OnnxBuilder& build, const std::string& maps, ExportedPoints points) {
  const std::string each =
      build.node("Reshape", {maps, build.integers({1, points.count, points.values, kAllCells})});
  const auto part = [&](std::int64_t first, std::int64_t end) {
    return build.node("Slice", {each, build.integers({first}), build.integers({end}),
                                build.integers({2}), build.integers({1})});
  };
  const std::string corners =
      build.node("Sub", {cell_numbers(build, true), build.floats({}, {0.5F})});
  const std::string doubled = build.node("Mul", {part(0, 2), build.floats({}, {2})});
  const std::string places =
      build.node("Mul", {build.node("Add", {doubled, corners}), cell_numbers(build, false)});
  std::string all = places;
  if (points.values == 3)
    all = build.node("Concat", {places, build.node("Sigmoid", {part(2, 3)})}, {{"axis", 2L}});
  return build.node("Reshape", {all, build.integers({1, points.count * points.values, kAllCells})});
}

void add_metadata(onnx::ModelProto& model, int classes, ExportedPoints points) {
  std::string names;
  for (int i = 0; i < classes; ++i)
    names += (i == 0 ? "" : ", ") + std::to_string(i) + ": '" +
             (i == 0 ? "face" : "thing " + std::to_string(i)) + "'";
  const std::pair<std::string, std::string> entries[] = {
      {"author", "Ultralytics"},
      {"task", points.count > 0 ? "pose" : "detect"},
      {"stride", "32"},
      {"names", "{" + names + "}"},
      {"kpt_shape",
       "[" + std::to_string(points.count) + ", " + std::to_string(points.values) + "]"}};
  for (const auto& [key, value] : entries) {
    auto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
}

/// Returns the card of a network whose inputs are in 0..1. `head` and `classes` are JSON.
std::string card(const std::string& head, const std::string& classes) {
  return R"({"facepipe_model": 1, "input": {"std": [255, 255, 255]}, "head": )" + head +
         R"(, "classes": )" + classes + "}";
}

/// Appends nodes that turn a map into one row of `values` numbers for each anchor: 1 x rows x
/// values.
std::string rows_of(OnnxBuilder& build, const std::string& map, int values) {
  const std::string cells = build.node("Transpose", {map}, {{"perm", Integers{0, 2, 3, 1}}});
  return build.node("Reshape", {cells, build.constant({1, -1, values})});
}

}  // namespace

OnnxBuilder small_yolo(int classes, ExportedPoints points) {
  OnnxBuilder build(kYoloSide, kYoloSide, 13);
  Names boxes_and_scores;
  Names all_points;
  for (const std::string& level : body(build)) {
    const std::string box = convolution(
        build, silu(build, convolution(build, level, kWidth, kWidth, 3)), kWidth, 4 * kBins);
    const std::string score = convolution(
        build, silu(build, convolution(build, level, kWidth, kWidth, 3)), kWidth, classes);
    const std::string both = build.node("Concat", {box, score}, {{"axis", 1L}});
    boxes_and_scores.push_back(
        build.node("Reshape", {both, build.integers({1, 4 * kBins + classes, -1})}));
    if (points.count == 0) continue;
    const int values = points.count * points.values;
    const std::string map = convolution(build, level, kWidth, values);
    all_points.push_back(build.node("Reshape", {map, build.integers({1, values, -1})}));
  }
  const std::string all = build.node("Concat", boxes_and_scores, {{"axis", 2L}});
  const Names parts = build.node_with_outputs(
      "Split", 2, {all, build.integers({4 * kBins, classes})}, {{"axis", 1L}});
  Names decoded{decoded_boxes(build, parts[0]), build.node("Sigmoid", {parts[1]})};
  if (points.count > 0)
    decoded.push_back(
        decoded_points(build, build.node("Concat", all_points, {{"axis", 2L}}), points));
  build.output(build.node("Concat", decoded, {{"axis", 1L}}),
               {1, 4 + classes + points.count * points.values, kAllCells});
  add_metadata(build.model(), classes, points);
  return build;
}

OnnxBuilder small_yolo_anchors(int points, int classes) {
  OnnxBuilder build(kYoloSide, kYoloSide, 12);
  constexpr int kAnchors = 3;
  const int values = 5 + 2 * points + classes;
  std::int64_t side = kYoloSide / kStrides.front();
  for (const std::string& level : body(build)) {
    const std::string map = convolution(build, level, kWidth, kAnchors * values);
    const std::string split =
        build.node("Reshape", {map, build.constant({1, kAnchors, values, side, side})});
    build.output(build.node("Transpose", {split}, {{"perm", Integers{0, 1, 3, 4, 2}}}),
                 {1, kAnchors, side, side, values});
    side /= 2;
  }
  return build;
}

std::string yolo_card(const std::vector<std::string>& classes) {
  std::string all;
  for (const std::string& name : classes)
    all += (all.empty() ? "" : ", ") + (R"({"name": ")" + name) + R"(", "as": ")" + name + "\"}";
  return card(R"({"family": "yolo-dfl"})", "[" + all + "]");
}

std::string yolo_anchors_card(int points, int classes) {
  std::string head = R"({"family": "yolo-anchors",
      "anchors": [[[4, 5], [8, 10], [13, 16]], [[23, 29], [43, 55], [73, 105]],
                  [[146, 217], [231, 300], [335, 433]]])";
  if (points > 0) head += R"(, "points": {"count": )" + std::to_string(points) + "}";
  std::string names = R"({"name": "face"})";
  for (int i = 1; i < classes; ++i)
    names += R"(, {"name": "thing )" + std::to_string(i) + R"(", "as": "ignore"})";
  return card(head + "}", "[" + names + "]");
}

std::string things_card() {
  nlohmann::json card = nlohmann::json::parse(yolo_anchors_card(0, 3));
  card["name"] = "things";
  // With these random weights, the second and the third class have enough boxes over these scores.
  card["classes"] = {{{"name", "dog"}, {"as", "ignore"}},
                     {{"name", "face"}},
                     {{"name", "plate"}, {"as", "plate"}, {"score", 0.18}, {"grow", 0.5}}};
  card["score"] = 0.27;
  card["nms"] = 0.6;
  card["licence"] = {{"weights", "research only"}, {"commercial", false}};
  return card.dump();
}

OnnxBuilder small_retinaface(bool joined, bool softmax) {
  OnnxBuilder build(kYoloSide, kYoloSide, 11);
  constexpr int kAnchors = 2;
  const std::vector<OnnxAttribute> slope{{"alpha", 0.1F}};
  std::string map =
      build.node("LeakyRelu", {convolution(build, build.picture(), 3, kWidth, 3, 2)}, slope);
  map = build.node("LeakyRelu", {convolution(build, map, kWidth, kWidth, 3, 2)}, slope);
  Names parts[3];
  constexpr int kValues[] = {4, 2, 10};
  for (std::size_t i = 0; i < kStrides.size(); ++i) {
    map = build.node("LeakyRelu", {convolution(build, map, kWidth, kWidth, 3, 2)}, slope);
    for (std::size_t k = 0; k < std::size(parts); ++k)
      parts[k].push_back(
          rows_of(build, convolution(build, map, kWidth, kAnchors * kValues[k]), kValues[k]));
  }
  Names outputs;
  for (const Names& rows : parts) outputs.push_back(build.node("Concat", rows, {{"axis", 1L}}));
  if (softmax) outputs[1] = build.node("Softmax", {outputs[1]}, {{"axis", 2L}});
  if (joined) {
    build.output(build.node("Concat", outputs, {{"axis", -1L}}), {1, kAnchors * kAllCells, 16});
    return build;
  }
  for (std::size_t k = 0; k < std::size(parts); ++k)
    build.output(outputs[k], {1, kAnchors * kAllCells, kValues[k]});
  return build;
}

std::string retinaface_card() {
  return card(R"({"family": "retinaface", "anchors": [[16, 32], [64, 128], [256, 512]],
                  "points": {"count": 5}})",
              R"([{"name": "face"}])");
}

}  // namespace facepipe::test
