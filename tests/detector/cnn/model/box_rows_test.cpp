// Tests how rows of boxes are decoded, and which networks of the family boxes are refused.
#include "detector/cnn/model/box_rows.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "detector/cnn/model/model.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_yolo.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr NetworkFit kFit{{200, 100}, {100, 50}, {128, 64}};  // two pixels of the frame for each

Card card_with(BoxLayout layout, const std::vector<ClassKind>& kinds = {ClassKind::face}) {
  Card card;
  card.head.family = HeadFamily::boxes;
  card.head.layout = layout;
  card.classes.clear();
  for (const ClassKind kind : kinds)
    card.classes.push_back(
        {"class " + std::to_string(card.classes.size()), kind, std::nullopt, std::nullopt});
  return card;
}

Detections decoded(const Card& card, const std::vector<std::vector<float>>& outputs) {
  return decode_head(head_of_rows(card, "c.json"), {outputs.begin(), outputs.end()}, kFit, 0.25F);
}

void expect_box(const Detections& found, std::size_t i, const Box& box, float score,
                int its_class) {
  ASSERT_LT(i, found.size());
  EXPECT_EQ(found.boxes[i].x1, box.x1);
  EXPECT_EQ(found.boxes[i].y1, box.y1);
  EXPECT_EQ(found.boxes[i].x2, box.x2);
  EXPECT_EQ(found.boxes[i].y2, box.y2);
  EXPECT_FLOAT_EQ(found.scores[i], score);
  EXPECT_EQ(found.class_of(i), its_class);
}

TEST(BoxRows, AreReadInEachLayout) {
  using enum BoxLayout;
  constexpr Box kBox{20, 40, 60, 80};  // in the frame
  const std::pair<BoxLayout, std::vector<float>> kRows[] = {
      {xyxy_score, {10, 20, 30, 40, 0.5F}},
      {xyxy_score_class, {10, 20, 30, 40, 0.5F, 0}},
      {xyxy_classes, {10, 20, 30, 40, 0.5F}},
      {cxcywh_classes, {20, 30, 20, 20, 0.5F}},
      {batch_xyxy_class_score, {0, 10, 20, 30, 40, 0, 0.5F}},
  };
  for (const auto& [layout, row] : kRows) {
    const Detections found = decoded(card_with(layout), {row});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_FALSE(found.has_landmarks());
    expect_box(found, 0, kBox, 0.5F, 0);
  }
}

TEST(BoxRows, MayBeSeparateOutputs) {
  Card card = card_with(BoxLayout::xyxy_score_class, {ClassKind::ignore, ClassKind::plate});
  card.head.outputs = {
      .score = {"s"}, .object = {}, .box = {"b"}, .points = {}, .all = {}, .its_class = {"c"}};
  const Detections found = decoded(card, {{0, 0, 10, 10, 10, 10, 20, 20}, {0.9F, 0.8F}, {0, 1}});
  ASSERT_EQ(found.size(), 1U);
  expect_box(found, 0, {20, 20, 40, 40}, 0.8F, 0);
}

TEST(BoxRows, HaveTheBestClassThatIsNotIgnored) {
  const Card card =
      card_with(BoxLayout::xyxy_classes, {ClassKind::face, ClassKind::ignore, ClassKind::plate});
  const Detections found = decoded(card, {{0, 0, 10, 10, 0.3F, 0.9F, 0.5F,  //
                                           0, 0, 10, 10, 0.4F, 0.9F, 0.3F,  //
                                           0, 0, 10, 10, 0.1F, 0.9F, 0.2F}});
  ASSERT_EQ(found.size(), 2U);
  expect_box(found, 0, {0, 0, 20, 20}, 0.5F, 1);
  expect_box(found, 1, {0, 0, 20, 20}, 0.4F, 0);
}

TEST(BoxRows, ThatAreNoBoxesAreDropped) {
  const Card card = card_with(BoxLayout::xyxy_score_class);
  const Detections found = decoded(card, {{0,    0, 10,    10, 0.25F, 0,   // not over the score
                                           0,    0, 10,    10, kNan,  0,   //
                                           kNan, 0, 10,    10, 0.9F,  0,   //
                                           0,    0, 3e38F, 10, 0.9F,  0,   // infinite in the frame
                                           0,    0, 10,    10, 0.9F,  1,   // no such class
                                           0,    0, 10,    10, 0.9F,  -1,  //
                                           0,    0, 10,    10, 0.9F,  kNan,  //
                                           10,   0, 0,     10, 0.9F,  0,     // turned round
                                           -9,   0, -5,    10, 0.9F,  0,     // outside
                                           90,   0, 500,   10, 0.9F,  0}});  // clipped
  ASSERT_EQ(found.size(), 1U);
  expect_box(found, 0, {180, 0, 200, 20}, 0.9F, 0);
}

TEST(BoxRows, MayHaveLogits) {
  Card card = card_with(BoxLayout::xyxy_score);
  card.head.scores = ScoreKind::logit;
  const Detections found = decoded(card, {{0, 0, 10, 10, 0, 0, 0, 10, 10, -2}});
  ASSERT_EQ(found.size(), 1U);
  expect_box(found, 0, {0, 0, 20, 20}, 0.5F, 0);
}

/// Reads a small network with a card of the family boxes.
Model read_boxes(const test::OnnxBuilder& file, const std::string& card) {
  const test::TemporaryFolder folder;
  (void)folder.write("m.onnx.json", card);
  return Model(folder.write("m.onnx", file.model().SerializeAsString()));
}

test::OnnxBuilder best_boxes() {
  return test::small_yolo(2, {}, test::YoloVersion::v8, test::YoloEnd::largest);
}

constexpr const char* kSeparate = R"({"box": ["boxes"], "score": ["scores"], "class": ["labels"]})";

TEST(ModelOfBoxes, HasOneSize) {
  const Model model = read_boxes(best_boxes(), test::boxes_card({"face", "plate"}));
  EXPECT_EQ(model.data().input.size, (Size{test::kYoloSide, test::kYoloSide}));
  ASSERT_EQ(model.outputs().size(), 1U);
  EXPECT_EQ(model.outputs()[0].rows(), static_cast<std::size_t>(test::kBest));
  EXPECT_FALSE(model.head().landmarks);
  test::expect_error(ErrorKind::device, "m.onnx: takes only pictures of 64x64, not of 96x64", [&] {
    (void)model.onnx({96, 64});
  });
}

TEST(ModelOfBoxes, GivesAllBoxesInsteadOfSuppressingSome) {
  const Model model =
      read_boxes(test::small_yolo(3, {}, test::YoloVersion::v8, test::YoloEnd::suppressed),
                 test::boxes_card({"face", "head", "plate"}));
  constexpr std::size_t kCells = 64 + 16 + 4;
  EXPECT_EQ(model.outputs().at(0).rows(), 3 * kCells);
  onnx::ModelProto file;
  ASSERT_TRUE(file.ParseFromString(model.onnx({64, 64})));
  EXPECT_EQ(test::count_of(file, "NonMaxSuppression"), 0);
}

TEST(ModelOfBoxes, HasSeparateOutputs) {
  test::OnnxBuilder file = best_boxes();
  test::separate_outputs(file);
  const Model model =
      read_boxes(file, test::boxes_card({"face", "plate"}, "xyxy-score-class", kSeparate));
  ASSERT_EQ(model.outputs().size(), 3U);
  for (const ModelOutput& output : model.outputs())
    EXPECT_EQ(output.rows(), static_cast<std::size_t>(test::kBest)) << output.name;
}

TEST(ModelOfBoxes, ThatItsCardDescribesWronglyIsRefused) {
  test::OnnxBuilder separate = best_boxes();
  test::separate_outputs(separate);
  const auto card = [](const std::string& layout, const std::string& outputs = "") {
    return test::boxes_card({"face", "plate"}, layout, outputs);
  };
  const auto sized = [&](const std::string& size) {
    std::string json = card("xyxy-score-class");
    json.replace(json.find("\"std\""), 0, "\"size\": " + size + ", ");
    return json;
  };
  struct Refused {
    const char* reason;
    test::OnnxBuilder file;
    std::string card;
  };
  const Refused kRefused[] = {
      {"has no rows of 5 numbers; see head in its card", best_boxes(), card("xyxy-score")},
      {"has 3 outputs, so head.outputs in its card must name", separate, card("xyxy-score-class")},
      {"has no output nothing, which its card names", best_boxes(),
       card("xyxy-score-class", R"({"all": ["nothing"]})")},
      {"its output labels has no rows of 4 numbers", separate,
       card("xyxy-score-class", R"({"box": ["labels"], "score": ["scores"], "class": ["boxes"]})")},
      {"input.size: the model's input is 64x64", best_boxes(), sized("[128, 64]")},
  };
  for (const Refused& refused : kRefused)
    test::expect_error(ErrorKind::device, refused.reason,
                       [&] { (void)read_boxes(refused.file, refused.card); });
}

/// Lets the boxes of the best pairs be looked up by an index of all cells.
void look_up_by_an_index_of_all_cells(onnx::ModelProto& model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  std::string best;  // indices of the best cells
  std::string among_best;
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.op_type() == "TopK" && best.empty()) best = node.output(1);
    if (node.op_type() == "Div") among_best = node.output(0);
  }
  for (onnx::NodeProto& node : *graph.mutable_node())
    if (node.op_type() == "Unsqueeze" && node.input(0) == among_best) node.set_input(0, best);
}

TEST(ModelOfBoxes, ThatIsHostileIsRefused) {
  const std::pair<const char*, std::function<void(onnx::ModelProto&)>> kHostile[] = {
      {"(GatherElements): has indices from 0 to 83, but only 20 values",
       look_up_by_an_index_of_all_cells},
      {"(TopK): takes 85 of 84 values",
       [](onnx::ModelProto& model) {
         for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
           if (tensor.dims_size() == 1 && tensor.int64_data_size() == 1 &&
               tensor.int64_data(0) == test::kBest)
             tensor.set_int64_data(0, 85);
       }},
      {"(NonZero): this operator is not supported",
       [](onnx::ModelProto& model) {
         for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node())
           if (node.op_type() == "Flatten") node.set_op_type("NonZero");
       }},
  };
  for (const auto& [reason, apply] : kHostile) {
    test::OnnxBuilder file = best_boxes();
    apply(file.model());
    test::expect_error(ErrorKind::device, reason, [&, &file = file] {
      (void)read_boxes(file, test::boxes_card({"face", "plate"}));
    });
  }
}

}  // namespace
}  // namespace facepipe::detector
