// These tests check how the maps of an SCRFD become the outputs that the decoders read.
#include "detector/cnn/model/map_outputs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "detector/cnn/model/canonical/canonical.h"
#include "detector/cnn/model/graph/onnx_check.h"
#include "detector/cnn/model/head.h"
#include "tests/support/expect_error.h"
#include "tests/support/onnx_interpreter.h"
#include "tests/support/small_exports.h"

namespace facepipe::detector {
namespace {

constexpr Size kTrial{128, 64};

HeadData scrfd_head() {
  HeadData head;
  head.kind = HeadKind::scrfd;
  head.strides = {8, 16, 32};
  head.outputs = {{1}, {4}, {10}};
  head.anchors = 0;
  return head;
}

/// Holds a small SCRFD in canonical form.
struct Cut {
  onnx::ModelProto model;
  std::vector<LastMap> maps;
  graph::Graph graph;
};

Cut cut_scrfd() {
  Cut cut{test::small_scrfd().model(), {}, {}};
  cut.maps = make_canonical(cut.model, "test.onnx", {Tail::arrangement_cut, {}}).maps;
  cut.graph = graph::check_onnx(cut.model, "test.onnx", kTrial);
  return cut;
}

TEST(MapOutputs, ComeStrideByStride) {
  const Cut cut = cut_scrfd();
  HeadData head = scrfd_head();
  const auto outputs = find_map_outputs(head, cut.maps, cut.graph, kTrial, {"test.onnx"});
  EXPECT_EQ(head.anchors, 2);
  ASSERT_EQ(outputs.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(outputs[i].stride, head.strides[i / 3]);
    EXPECT_EQ(outputs[i].channels, head.outputs[i % 3].channels);
    EXPECT_EQ(outputs[i].anchors, 2);
    // In the file, the scores of all strides come first.
    EXPECT_EQ(outputs[i].name, cut.maps[i % 3 * 3 + i / 3].name);
  }
}

struct WrongMaps {
  const char* reason;
  std::function<void(Cut&, HeadData&)> make;
};

TEST(MapOutputs, ThatAreNotTheHeadsAreRefused) {
  const WrongMaps kWrong[] = {
      {"has 8 outputs, not 9", [](Cut& cut, HeadData&) { cut.maps.pop_back(); }},
      {"no output has rows of 1 at stride 4",
       [](Cut&, HeadData& head) {
         head.strides = {4, 8, 16};
       }},
      {"no output has rows of 6 at stride 8",
       [](Cut&, HeadData& head) { head.outputs[2].channels = 6; }},
      {"two outputs have rows of 1 at stride 8",
       [](Cut& cut, HeadData&) { cut.maps[8] = cut.maps[0]; }},
      {"has 2 anchors at a place, not 3", [](Cut&, HeadData& head) { head.anchors = 3; }},
      {"its outputs have different numbers of anchors",
       [](Cut& cut, HeadData& head) {
         for (std::size_t i = 3; i < 6; ++i) cut.maps[i].values = 2;
         head.outputs[1].channels = 2;
       }},
      {"has a shape that no head reads", [](Cut& cut, HeadData&) { cut.maps[4].values = 3; }},
      {"has a shape that no head reads", [](Cut& cut, HeadData&) { cut.maps[4].values = 3; }},
      {"nothing computes its output nowhere",
       [](Cut& cut, HeadData&) { cut.maps[4].name = "nowhere"; }},
  };
  for (const WrongMaps& wrong : kWrong) {
    Cut cut = cut_scrfd();
    HeadData head = scrfd_head();
    wrong.make(cut, head);
    test::expect_error(ErrorKind::device, wrong.reason, [&] {
      (void)find_map_outputs(head, cut.maps, cut.graph, kTrial, {"test.onnx"});
    });
  }
}

/// Decodes the rows of the exported file, as InsightFace's Python code does. The rows contain
/// distances from the place's corner, in units of the stride. Each place has two rows.
Detections decoded_rows(const std::map<std::string, test::OnnxValue>& values,
                        const onnx::ModelProto& file, Size frame, float threshold) {
  const auto rows = [&](int output) -> const std::vector<double>& {
    return values.at(file.graph().output(output).name()).numbers;
  };
  Detections found;
  for (int level = 0; level < 3; ++level) {
    const int stride = 8 << level;
    for (std::size_t row = 0; row < rows(level).size(); ++row) {
      const double score = rows(level)[row];
      if (!(score > threshold)) continue;
      const auto columns = static_cast<std::size_t>(frame.width / stride);
      const std::size_t cell = row / 2;
      const std::size_t line = cell / columns;
      const double x = static_cast<double>(cell % columns) * stride;
      const double y = static_cast<double>(line) * stride;
      const auto far = [&](std::size_t side) { return rows(3 + level)[4 * row + side] * stride; };
      const Box box{static_cast<float>(x - far(0)), static_cast<float>(y - far(1)),
                    static_cast<float>(x + far(2)), static_cast<float>(y + far(3))};
      Landmarks points;
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {static_cast<float>(x + rows(6 + level)[10 * row + 2 * i] * stride),
                     static_cast<float>(y + rows(6 + level)[10 * row + 2 * i + 1] * stride)};
      const Box visible = clipped(box, frame);
      if (visible.width() > 0 && visible.height() > 0)
        found.push_back(visible, static_cast<float>(score), points);
    }
  }
  return found;
}

TEST(MapOutputs, OfAnScrfdAreDecodedAsTheRowsOfItsFile) {
  const onnx::ModelProto file = test::small_scrfd().model();
  const Cut cut = cut_scrfd();
  HeadData head = scrfd_head();
  const auto outputs = find_map_outputs(head, cut.maps, cut.graph, kTrial, {"test.onnx"});
  constexpr Size kSize{test::kExportedSide, test::kExportedSide};
  // With a picture of 0..1, the numbers of the random network stay small.
  test::OnnxValue picture = test::noise_picture(kSize.height, kSize.width);
  for (double& number : picture.numbers) number /= 255;
  const auto values = interpret_onnx(cut.model, picture);
  std::vector<std::vector<float>> tensors;
  for (const ModelOutput& output : outputs) {
    const std::vector<double>& numbers = values.at(output.name).numbers;
    tensors.emplace_back(numbers.begin(), numbers.end());
  }
  const Detections found =
      decode_head(head, {tensors.begin(), tensors.end()}, {kSize, kSize, kSize}, 0.4F);
  const Detections expected = decoded_rows(interpret_onnx(file, picture), file, kSize, 0.4F);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_GE(found.size(), 3U);  // with random weights, most boxes have no size
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found.scores[i], expected.scores[i], 1e-4F);
    EXPECT_NEAR(found.boxes[i].x1, expected.boxes[i].x1, 1e-2F);
    EXPECT_NEAR(found.boxes[i].y2, expected.boxes[i].y2, 1e-2F);
    EXPECT_NEAR(found.landmarks[i][4].x, expected.landmarks[i][4].x, 1e-2F);
    EXPECT_NEAR(found.landmarks[i][4].y, expected.landmarks[i][4].y, 1e-2F);
  }
}

}  // namespace
}  // namespace facepipe::detector
