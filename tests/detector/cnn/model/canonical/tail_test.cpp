// These tests cut off the last nodes of networks: the nodes that arrange a map's channels in rows,
// and the nodes that decode boxes.
#include "detector/cnn/model/canonical/tail.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"
#include "detector/cnn/model/canonical/passes.h"
#include "tests/detector/cnn/model/canonical/same_outputs.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

using test::OnnxBuilder;
using test::OnnxValue;
using Integers = std::vector<std::int64_t>;

std::string rows_of(OnnxBuilder& build, const std::string& map, std::int64_t values,
                    const Integers& order = {0, 2, 3, 1}) {
  const std::string cells = build.node("Transpose", {map}, {{"perm", order}});
  return build.node("Reshape", {cells, build.integers({1, -1, values})});
}

/// Returns the channels of a map as rows, one row for each cell. Cells are in raster order.
std::vector<double> rows_of(const OnnxValue& map) {
  std::vector<double> rows;
  const auto plane = static_cast<std::size_t>(map.dims[2] * map.dims[3]);
  for (std::size_t cell = 0; cell < plane; ++cell)
    for (std::size_t c = 0; c < static_cast<std::size_t>(map.dims[1]); ++c)
      rows.push_back(map.numbers[c * plane + cell]);
  return rows;
}

std::vector<LastMap> cut(onnx::ModelProto& model, std::vector<LastMap> (*how)(Rewriting&)) {
  Rewriting to(model, "test.onnx");
  std::vector<LastMap> maps = how(to);
  drop_unread(to);
  return maps;
}

TEST(Arrangement, IsCutOffBehindTheConvolutions) {
  OnnxBuilder build;
  const std::string score = build.convolution(build.picture(), 3, 2, 3, 2);
  const std::string box = build.convolution(build.picture(), 3, 8, 3, 2);
  build.output(build.node("Sigmoid", {rows_of(build, score, 1)}));
  build.output(rows_of(build, box, 4, {2, 3, 0, 1}));
  onnx::ModelProto after = build.model();
  EXPECT_EQ(cut(after, cut_arrangement), (std::vector<LastMap>{{score, 1, true}, {box, 4, false}}));
  EXPECT_EQ(after.graph().node_size(), 2);
  EXPECT_EQ(after.graph().output(0).name(), score);
  const OnnxValue picture = test::noise_picture(32, 64);
  const auto before = interpret_onnx(build.model(), picture);
  const auto values = interpret_onnx(after, picture);
  EXPECT_EQ(rows_of(values.at(box)), before.at(build.model().graph().output(1).name()).numbers);
  const std::string rows = build.model().graph().node(3).output(0);  // input of the Sigmoid
  EXPECT_EQ(rows_of(values.at(score)), before.at(rows).numbers);
}

/// Exports can join the outputs of the strides, and then boxes and scores.
TEST(Arrangement, OfJoinedOutputsIsCutOff) {
  OnnxBuilder build;
  std::vector<std::string> boxes;
  std::vector<std::string> scores;
  std::vector<LastMap> expected_boxes;
  std::vector<LastMap> expected_scores;
  for (const int stride : {1, 2}) {
    const std::string box = build.convolution(build.picture(), 3, 8, 3, stride);
    const std::string score = build.convolution(build.picture(), 3, 4, 3, stride);
    boxes.push_back(rows_of(build, box, 4));
    scores.push_back(rows_of(build, score, 2));
    expected_boxes.push_back({box, 4, false});
    expected_scores.push_back({score, 2, true});
  }
  const std::string all = build.node("Concat", scores, {{"axis", 1L}});
  build.output(build.node(
      "Concat", {build.node("Concat", boxes, {{"axis", 1L}}), build.node("Sigmoid", {all})},
      {{"axis", -1L}}));
  onnx::ModelProto after = build.model();
  std::vector<LastMap> expected = expected_boxes;
  expected.insert(expected.end(), expected_scores.begin(), expected_scores.end());
  EXPECT_EQ(cut(after, cut_arrangement), expected);
  EXPECT_EQ(after.graph().node_size(), 4);
}

TEST(Arrangement, MayBeNone) {
  OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 2);
  build.output(build.node("Sigmoid", {map}));
  onnx::ModelProto after = build.model();
  EXPECT_EQ(cut(after, cut_arrangement), (std::vector<LastMap>{{map, 0, true}}));
}

struct RefusedTail {
  const char* reason;
  std::function<void(OnnxBuilder&, const std::string& map)> build;
};

const RefusedTail kRefusedTails[] = {
    {"(Exp): stands between",
     [](OnnxBuilder& b, const std::string& map) { b.output(b.node("Exp", {rows_of(b, map, 4)})); }},
    {"nothing computes its output picture",
     [](OnnxBuilder& b, const std::string&) { b.output(b.picture()); }},
    {"(Transpose): its outputs are not rows",
     [](OnnxBuilder& b, const std::string& map) {
       b.output(rows_of(b, map, 4, {0, 1, 2, 3}));
     }},
    {"(Conv): its outputs are not rows",
     [](OnnxBuilder& b, const std::string& map) {
       b.output(b.node("Reshape", {map, b.integers({1, -1, 4})}));
     }},
    {"(Sigmoid): isn't the only activation",
     [](OnnxBuilder& b, const std::string& map) {
       b.output(b.node("Sigmoid", {b.node("Sigmoid", {map})}));
     }},
    {"(Softmax): stands between",
     [](OnnxBuilder& b, const std::string& map) {
       b.output(b.node("Softmax", {rows_of(b, map, 4)}, {{"axis", -1L}}));
     }},
    {"its outputs hold it twice",
     [](OnnxBuilder& b, const std::string& map) {
       const std::string rows = rows_of(b, map, 4);
       b.output(b.node("Concat", {rows, rows}, {{"axis", 1L}}));
     }},
    {"it isn't known how many values",
     [](OnnxBuilder& b, const std::string& map) {
       const std::string rows = rows_of(b, map, 4);
       b.output(b.node("Reshape", {rows, b.node("NonZero", {rows})}));
     }},
};

TEST(Arrangement, ThatIsMoreIsRefused) {
  for (const RefusedTail& refused : kRefusedTails) {
    OnnxBuilder build;
    refused.build(build, build.convolution(build.picture(), 3, 8));
    test::expect_error(ErrorKind::device, refused.reason,
                       [&] { (void)cut(build.model(), cut_arrangement); });
  }
}

/// Each Concat reads the previous Concat twice, so the number of paths to the output doubles with
/// each node.
TEST(Arrangement, IsFollowedOnce) {
  OnnxBuilder build;
  std::string rows = rows_of(build, build.convolution(build.picture(), 3, 8), 4);
  for (int i = 0; i < 60; ++i) rows = build.node("Concat", {rows, rows}, {{"axis", 1L}});
  build.output(rows);
  test::expect_error(ErrorKind::device, "twice",
                     [&] { (void)cut(build.model(), cut_arrangement); });
}

/// YOLOv8 computes the mean of each side's distribution: a convolution reads the softmax.
TEST(Decoding, IsCutOffBehindTheLastConvolutionsOfTheBody) {
  OnnxBuilder build;
  const std::string body = build.node("Relu", {build.convolution(build.picture(), 3, 4, 3, 2)});
  const std::string sides = build.convolution(body, 4, 64);
  const std::string kind = build.convolution(body, 4, 2);
  const std::string rows = build.node("Reshape", {sides, build.integers({1, 4, 16, -1})});
  const std::string turned = build.node("Transpose", {rows}, {{"perm", Integers{0, 2, 1, 3}}});
  const std::string means = build.node("Conv", {build.node("Softmax", {turned}, {{"axis", 1L}}),
                                                build.random_floats({1, 16, 1, 1})});
  // Nodes compute the cells' corners from the shape of `body`, which isn't an output.
  const std::string corners = build.node("Range", {build.node("Shape", {body})});
  build.output(build.node("Concat",
                          {build.node("Add", {means, corners}), build.node("Sigmoid", {kind})},
                          {{"axis", 1L}}));
  onnx::ModelProto after = build.model();
  EXPECT_EQ(cut(after, cut_decoding), (std::vector<LastMap>{{sides, 0, false}, {kind, 0, false}}));
  EXPECT_EQ(after.graph().node_size(), 4);
  EXPECT_EQ(after.graph().output_size(), 2);
}

TEST(Decoding, NeedsAConvolution) {
  OnnxBuilder build;
  build.output(build.node("Relu", {build.picture()}));
  test::expect_error(ErrorKind::device, "no convolution leads to its outputs",
                     [&] { (void)cut(build.model(), cut_decoding); });
}

TEST(Decoding, HasAFewMaps) {
  OnnxBuilder build;
  for (int i = 0; i < 33; ++i) build.output(build.convolution(build.picture(), 3, 1));
  test::expect_error(ErrorKind::device, "too many outputs",
                     [&] { (void)cut(build.model(), cut_decoding); });
}

}  // namespace
}  // namespace facepipe::detector
