#include "tests/support/small_yolo.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tests/support/small_exports.h"

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

/// Appends a depthwise convolution of 3x3.
std::string depthwise(OnnxBuilder& build, const std::string& from, int channels) {
  return build.node(
      "Conv", {from, build.random_floats({channels, 1, 3, 3}), build.random_floats({channels})},
      {{"group", std::int64_t{channels}},
       {"kernel_shape", Integers{3, 3}},
       {"pads", Integers{1, 1, 1, 1}}});
}

/// Appends YOLO 11's attention over all places of a map (Vaswani et al., "Attention Is All You
/// Need", 2017), with two heads. The exporter writes the extents of its own picture.
std::string attention(OnnxBuilder& build, const std::string& from, std::int64_t rows,
                      std::int64_t columns) {
  constexpr std::int64_t kHeads = 2;
  constexpr std::int64_t kValues = kWidth / kHeads;  // numbers of a place in each head
  constexpr std::int64_t kKeys = kValues / 2;
  constexpr std::int64_t kAll = 2 * kKeys + kValues;
  const std::vector<OnnxAttribute> turned{{"perm", Integers{0, 1, 3, 2}}};
  const std::string maps = convolution(build, from, kWidth, kHeads * kAll);
  const std::string heads =
      build.node("Reshape", {maps, build.integers({1, kHeads, kAll, rows * columns})});
  const Names parts = build.node_with_outputs(
      "Split", 3, {heads, build.integers({kKeys, kKeys, kValues})}, {{"axis", 2L}});
  const std::string products =
      build.node("MatMul", {build.node("Transpose", {parts[0]}, turned), parts[1]});
  const std::string scaled = build.node("Mul", {products, build.floats({}, {0.5F})});
  const std::string weights = build.node("Softmax", {scaled}, {{"axis", -1L}});
  const std::string seen =
      build.node("MatMul", {parts[2], build.node("Transpose", {weights}, turned)});
  const auto as_map = [&](const std::string& value) {
    return build.node("Reshape", {value, build.integers({1, kWidth, rows, columns})});
  };
  const std::string sum =
      build.node("Add", {as_map(seen), depthwise(build, as_map(parts[2]), kWidth)});
  return build.node("Add", {from, convolution(build, sum, kWidth, kWidth)});
}

/// Appends the layers before the heads, and returns their maps for the three strides.
Names body(OnnxBuilder& build, YoloVersion version = YoloVersion::v8) {
  std::string map = silu(build, convolution(build, build.picture(), 3, kWidth, 3, 2));
  map = silu(build, convolution(build, map, kWidth, kWidth, 3, 2));
  Names levels;
  for (std::size_t i = 0; i < kStrides.size(); ++i) {
    map = split_block(build, silu(build, convolution(build, map, kWidth, kWidth, 3, 2)));
    if (version == YoloVersion::v11 && i + 1 == kStrides.size())
      map = attention(build, map, kYoloSide / kStrides[i], kYoloSide / kStrides[i]);
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

/// Appends the top left and the bottom right corners of all boxes, in strides: 1 x 2 x cells each.
std::pair<std::string, std::string> corners_of(OnnxBuilder& build, const std::string& boxes) {
  const std::string sides = distances(build, boxes);
  const std::string centres = cell_numbers(build, true);
  return {build.node("Sub", {centres, cut(build, sides, 0, 2)}),
          build.node("Add", {centres, cut(build, sides, 2, 4)})};
}

/// Appends the corners of all boxes: 1 x 4 x cells.
std::string decoded_corners(OnnxBuilder& build, const std::string& boxes) {
  const auto [low, high] = corners_of(build, boxes);
  return build.node(
      "Mul", {build.node("Concat", {low, high}, {{"axis", 1L}}), cell_numbers(build, false)});
}

/// Appends centres and sizes of all boxes: 1 x 4 x cells.
std::string decoded_boxes(OnnxBuilder& build, const std::string& boxes) {
  const auto [low, high] = corners_of(build, boxes);
  const std::string middle =
      build.node("Div", {build.node("Add", {low, high}), build.floats({}, {2})});
  const std::string size = build.node("Sub", {high, low});
  return build.node(
      "Mul", {build.node("Concat", {middle, size}, {{"axis", 1L}}), cell_numbers(build, false)});
}

/// Appends the maps from which the scores of a level are computed.
std::string scores(OnnxBuilder& build, const std::string& level, int classes, YoloVersion version) {
  std::string map = level;
  if (version == YoloVersion::v8) map = silu(build, convolution(build, map, kWidth, kWidth, 3));
  for (int i = 0; i < 2 && version == YoloVersion::v11; ++i) {
    map = silu(build, depthwise(build, map, kWidth));
    map = silu(build, convolution(build, map, kWidth, kWidth));
  }
  return convolution(build, map, kWidth, classes);
}

/// Appends the best boxes by TopK, like the authors of YOLOv10 (postprocess()): first the boxes
/// with the best class, then the best pairs of a box and a class.
std::string best_rows(OnnxBuilder& build, const std::string& corners, const std::string& scores,
                      std::int64_t classes) {
  const std::vector<OnnxAttribute> last{{"axis", -1L}};
  const std::string rows = build.node("Transpose", {scores}, {{"perm", Integers{0, 2, 1}}});
  const std::string best =
      build.node("ReduceMax", {rows}, {{"axes", Integers{-1}}, {"keepdims", 0L}});
  const std::string boxes =
      build.node_with_outputs("TopK", 2, {best, build.integers({kBest})}, last)[1];
  const std::string index = build.node("Unsqueeze", {boxes, build.integers({-1})});
  const auto of_boxes = [&](const std::string& values, std::int64_t count) {
    const std::string each = build.node("Tile", {index, build.integers({1, 1, count})});
    return build.node("GatherElements", {values, each}, {{"axis", 1L}});
  };
  const std::string flat = build.node("Flatten", {of_boxes(rows, classes)});
  const Names pairs = build.node_with_outputs("TopK", 2, {flat, build.integers({kBest})}, last);
  const std::string count = build.integer(classes);
  const std::string its_class = build.node("Mod", {pairs[1], count});
  const std::string box = build.node("Div", {pairs[1], count});
  const std::string place = build.node(
      "Tile", {build.node("Unsqueeze", {box, build.integers({-1})}), build.integers({1, 1, 4})});
  const auto column = [&](const std::string& values) {
    return build.node("Unsqueeze", {values, build.integers({-1})});
  };
  return build.node(
      "Concat",
      {build.node("GatherElements", {of_boxes(corners, 4), place}, {{"axis", 1L}}),
       column(pairs[0]),
       column(build.node("Cast", {its_class}, {{"to", std::int64_t{onnx::TensorProto::FLOAT}}}))},
      last);
}

/// Appends the boxes that ONNX's suppression keeps, with their scores and classes, like the authors
/// of YOLOv7 (ONNX_ORT): rows x (x1, y1, x2, y2, score, class).
std::string kept_rows(OnnxBuilder& build, const std::string& corners, const std::string& scores) {
  const std::string kept =
      build.node("NonMaxSuppression", {corners, scores, build.integers({kBest}),
                                       build.floats({1}, {0.5F}), build.floats({1}, {0.05F})});
  const auto columns = [&](const Integers& which) {
    return build.node("Gather", {kept, build.integers(which)}, {{"axis", 1L}});
  };
  const std::string score = build.node("GatherND", {scores, kept});
  const std::string box = build.node("GatherND", {corners, columns({0, 2})});
  const std::string its_class =
      build.node("Cast", {columns({1})}, {{"to", std::int64_t{onnx::TensorProto::FLOAT}}});
  return build.node("Concat",
                    {box, build.node("Unsqueeze", {score, build.integers({-1})}), its_class},
                    {{"axis", -1L}});
}

/// Appends the first `count` numbers of each row.
std::string cut_last(OnnxBuilder& build, const std::string& rows, std::int64_t count) {
  return build.node("Slice", {rows, build.integers({0}), build.integers({count}),
                              build.integers({-1}), build.integers({1})});
}

/// Makes the selected boxes the output.
void append_selection(OnnxBuilder& build, const std::string& corners, const std::string& scores,
                      int classes, YoloEnd end) {
  if (end == YoloEnd::largest)
    build.output(best_rows(build, corners, scores, classes), {1, kBest, 6});
  else
    build.output(kept_rows(build, corners, scores), {-1, 6});
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

void add_metadata(onnx::ModelProto& model, int classes, ExportedPoints points, YoloEnd end) {
  std::string names;
  for (int i = 0; i < classes; ++i)
    names += (i == 0 ? "" : ", ") + std::to_string(i) + ": '" +
             (i == 0 ? "face" : "thing " + std::to_string(i)) + "'";
  const std::pair<std::string, std::string> entries[] = {
      {"author", "Ultralytics"},
      {"task", points.count > 0 ? "pose" : "detect"},
      {"stride", "32"},
      {"end2end", end == YoloEnd::largest ? "True" : "False"},
      {"args", end == YoloEnd::suppressed ? "{'batch': 1, 'nms': True}" : "{'nms': False}"},
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

/// Returns a card of a pose with five landmarks and two classes.
std::string pose_card() {
  return card(R"({"family": "yolo-dfl", "points": {"count": 5, "values": 3}})",
              R"([{"name": "face"}, {"name": "plate", "as": "plate"}])");
}

}  // namespace

OnnxBuilder small_yolo(int classes, ExportedPoints points, YoloVersion version, YoloEnd end) {
  OnnxBuilder build(kYoloSide, kYoloSide, 13);
  Names boxes_and_scores;
  Names all_points;
  for (const std::string& level : body(build, version)) {
    const std::string box = convolution(
        build, silu(build, convolution(build, level, kWidth, kWidth, 3)), kWidth, 4 * kBins);
    const std::string score = scores(build, level, classes, version);
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
  const std::string probabilities = build.node("Sigmoid", {parts[1]});
  add_metadata(build.model(), classes, points, end);
  if (end != YoloEnd::rows) {
    const std::string corners =
        build.node("Transpose", {decoded_corners(build, parts[0])}, {{"perm", Integers{0, 2, 1}}});
    append_selection(build, corners, probabilities, classes, end);
    return build;
  }
  Names decoded{decoded_boxes(build, parts[0]), probabilities};
  if (points.count > 0)
    decoded.push_back(
        decoded_points(build, build.node("Concat", all_points, {{"axis", 2L}}), points));
  build.output(build.node("Concat", decoded, {{"axis", 1L}}),
               {1, 4 + classes + points.count * points.values, kAllCells});
  return build;
}

OnnxBuilder small_attention(int height, int width) {
  OnnxBuilder build(height, width, 13);
  constexpr int kStride = 32;
  std::string map = build.picture();
  for (int stride = 1; stride < kStride; stride *= 2)
    map = silu(build, convolution(build, map, stride == 1 ? 3 : kWidth, kWidth, 3, 2));
  map = attention(build, map, height / kStride, width / kStride);
  build.output(map, {1, kWidth, height / kStride, width / kStride});
  return build;
}

OnnxBuilder small_yolo_anchors(int points, int classes) {
  OnnxBuilder build(kYoloSide, kYoloSide, 13);
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

std::string boxes_card(const std::vector<std::string>& classes, const std::string& layout,
                       const std::string& outputs) {
  nlohmann::json card = nlohmann::json::parse(yolo_card(classes));
  card["head"] = {{"family", "boxes"}, {"layout", layout}};
  if (!outputs.empty()) card["head"]["outputs"] = nlohmann::json::parse(outputs);
  return card.dump();
}

void separate_outputs(OnnxBuilder& build) {
  onnx::GraphProto& graph = *build.model().mutable_graph();
  const std::string rows = graph.output(0).name();
  graph.clear_output();
  const Names parts =
      build.node_with_outputs("Split", 3, {rows, build.integers({4, 1, 1})}, {{"axis", -1L}});
  build.output(parts[0], {1, kBest, 4});
  build.output(build.node("Squeeze", {parts[1], build.integers({-1})}), {1, kBest});
  const std::string numbers =
      build.node("Cast", {parts[2]}, {{"to", std::int64_t{onnx::TensorProto::INT64}}});
  build.output(build.node("Reshape", {numbers, build.integers({-1})}), {kBest});
  graph.mutable_output(2)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::INT64);
  const std::string names[] = {"boxes", "scores", "labels"};
  for (int i = 0; i < graph.output_size(); ++i) {
    for (onnx::NodeProto& node : *graph.mutable_node())
      for (std::string& output : *node.mutable_output())
        if (output == graph.output(i).name()) output = names[i];
    graph.mutable_output(i)->set_name(names[i]);
  }
}

OnnxBuilder small_boxes(bool suppresses) {
  OnnxBuilder build(kYoloSide, kYoloSide, 13);
  const std::string map = build.node("Conv", {build.picture(), build.random_floats({6, 3, 1, 1})},
                                     {{"strides", Integers{32, 32}}});
  const std::string rows =
      build.node("Transpose", {build.node("Reshape", {map, build.integers({1, 6, 4})})},
                 {{"perm", Integers{0, 2, 1}}});
  const Names parts =
      build.node_with_outputs("Split", 2, {rows, build.integers({4, 2})}, {{"axis", -1L}});
  if (suppresses) {
    const std::string scores =
        build.node("Transpose", {cut_last(build, parts[1], 1)}, {{"perm", Integers{0, 2, 1}}});
    build.output(kept_rows(build, parts[0], scores), {-1, 6});
    return build;
  }
  const std::string places = build.node_with_outputs(
      "TopK", 2, {cut_last(build, parts[1], 1), build.integers({2})}, {{"axis", 1L}})[1];
  const std::string each = build.node("Tile", {places, build.integers({1, 1, 6})});
  build.output(build.node("GatherElements", {rows, each}, {{"axis", 1L}}), {1, 2, 6});
  return build;
}

namespace {

/// Makes the outputs of each convolution about as large as its inputs, as convolution() does.
OnnxBuilder calmed(OnnxBuilder build) {
  onnx::GraphProto& graph = *build.model().mutable_graph();
  std::set<std::string> kernels;
  for (const onnx::NodeProto& node : graph.node())
    if (node.op_type() == "Conv") kernels.insert(node.input(1));
  for (onnx::TensorProto& weights : *graph.mutable_initializer()) {
    if (!kernels.contains(weights.name())) continue;
    const auto taps = static_cast<float>(weights.dims(1) * weights.dims(2) * weights.dims(3));
    for (float& weight : *weights.mutable_float_data()) weight *= 2 / std::sqrt(taps);
  }
  return build;
}

}  // namespace

std::vector<FamilyModel> family_models() {
  using enum YoloVersion;
  const std::string scrfd = R"({"facepipe_model": 1, "input": {"std": [255, 255, 255]},
      "head": {"family": "scrfd", "anchors": 2, "points": {"count": 5}}})";
  return {{"scrfd", calmed(small_scrfd()), scrfd},
          {"yolo8", small_yolo(2), yolo_card({"face", "plate"})},
          {"yolo8-pose", small_yolo(1, {5, 3}), ""},
          {"yolo11", small_yolo(1, {}, v11), ""},
          {"yolo11-pose", small_yolo(2, {5, 3}, v11), pose_card()},
          {"yolo-anchors", small_yolo_anchors(), yolo_anchors_card()},
          {"yolo-anchors-classes", small_yolo_anchors(0, 3), things_card()},
          {"retinaface", small_retinaface(), retinaface_card()},
          {"boxes-best", small_yolo(2, {}, v11, YoloEnd::largest), boxes_card({"face", "plate"})},
          {"boxes-suppressed", small_yolo(1, {}, v8, YoloEnd::suppressed), boxes_card({"face"})}};
}

}  // namespace facepipe::test
