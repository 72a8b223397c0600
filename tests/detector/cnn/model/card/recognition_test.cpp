// These tests make the cards of files that facepipe recognises by their content.
#include "detector/cnn/model/card/recognition.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <map>

#include "detector/cnn/model/card/python_literal.h"
#include "tests/support/expect_error.h"
#include "tests/support/onnx_builder.h"

namespace facepipe::detector {
namespace {

using test::OnnxBuilder;

/// Returns a model with one output for each number in `values`. The rows of this output have as
/// many values as the number says. Exports have rows with and without a leading extent of 1.
onnx::ModelProto with_rows_of(const std::vector<std::int64_t>& values, bool batch = true) {
  OnnxBuilder build;
  for (const std::int64_t count : values)
    build.output(
        "out" + std::to_string(build.model().graph().output_size()),
        batch ? std::vector<std::int64_t>{1, -1, count} : std::vector<std::int64_t>{12800, count});
  return build.model();
}

TEST(RecognisedScrfd, HasThreeRowsOfEachKind) {
  for (const bool batch : {false, true}) {
    const auto card = recognised_scrfd(with_rows_of({1, 1, 1, 4, 4, 4, 10, 10, 10}, batch));
    ASSERT_TRUE(card);
    EXPECT_EQ(card->head.family, HeadFamily::scrfd);
    EXPECT_EQ(card->head.points, 5);
    EXPECT_EQ(card->input.normalisation.mean[1], 127.5F);
    EXPECT_EQ(card->input.looks.size(), 2U);
    EXPECT_TRUE(card->reference_score);
  }
  const auto without_points = recognised_scrfd(with_rows_of({1, 4, 1, 4, 1, 4}));
  ASSERT_TRUE(without_points);
  EXPECT_EQ(without_points->head.points, 0);
}

TEST(RecognisedScrfd, IsNotTakenForOthers) {
  EXPECT_FALSE(recognised_scrfd(with_rows_of({1, 1, 1, 4, 4, 4, 10, 10})));
  EXPECT_FALSE(recognised_scrfd(with_rows_of({1, 1, 1, 4, 4, 4, 10, 10, 8})));
  EXPECT_FALSE(recognised_scrfd(with_rows_of({1, 1, 4, 4, 4, 4})));
  EXPECT_FALSE(recognised_scrfd(with_rows_of({2, 2, 2, 4, 4, 4, 10, 10, 10})));
  EXPECT_FALSE(recognised_scrfd(onnx::ModelProto()));
  OnnxBuilder maps;
  for (const std::int64_t channels : {1, 1, 1, 4, 4, 4}) maps.output("map", {1, channels, 80, 80});
  EXPECT_FALSE(recognised_scrfd(maps.model()));
  onnx::ModelProto integers = with_rows_of({1, 1, 1, 4, 4, 4});
  integers.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::INT64);
  EXPECT_FALSE(recognised_scrfd(integers));
}

using Entries = std::map<std::string, std::string>;

const Entries kFaces{{"author", "Ultralytics"},
                     {"task", "detect"},
                     {"stride", "32"},
                     {"imgsz", "[640, 640]"},
                     {"license", "AGPL-3.0"},
                     {"names", "{0: 'face'}"},
                     {"args", "{'batch': 1, 'nms': False}"}};

onnx::ModelProto with_metadata(const Entries& entries, const Entries& changes = {}) {
  Entries all = changes;
  all.insert(entries.begin(), entries.end());
  onnx::ModelProto model;
  for (const auto& [key, value] : all) {
    auto& entry = *model.add_metadata_props();
    entry.set_key(key);
    entry.set_value(value);
  }
  return model;
}

std::optional<Card> recognised(const Entries& changes) {
  return recognised_ultralytics(with_metadata(kFaces, changes), "m.onnx");
}

TEST(RecognisedUltralytics, IsReadFromItsMetadata) {
  const auto card = recognised({});
  ASSERT_TRUE(card);
  EXPECT_EQ(card->head.family, HeadFamily::yolo_dfl);
  EXPECT_EQ(card->head.points, 0);
  EXPECT_EQ(card->input.normalisation, (InputNormalisation{{0, 0, 0}, {255, 255, 255}}));
  EXPECT_EQ(card->input.pad, 114);
  EXPECT_EQ(card->licence.weights, "AGPL-3.0");
  EXPECT_EQ(card->classes,
            (std::vector<CardClass>{{"face", ClassKind::face, std::nullopt, std::nullopt}}));
}

TEST(RecognisedUltralytics, IsAlsoAPose) {
  const auto card = recognised({{"task", "pose"}, {"kpt_shape", "[5, 3]"}});
  ASSERT_TRUE(card);
  EXPECT_EQ(card->head.points, 5);
  EXPECT_EQ(card->head.point_values, 3);
}

TEST(RecognisedUltralytics, MayHaveSuppressionWithin) {
  for (const Entries& changes :
       {Entries{{"args", "{'nms': True}"}}, Entries{{"end2end", "True"}}}) {
    const auto card = recognised(changes);
    ASSERT_TRUE(card);
    EXPECT_EQ(card->head.family, HeadFamily::yolo_dfl);
  }
}

TEST(RecognisedUltralytics, ClassesAreWhatTheirNamesSay) {
  const auto card = recognised(
      {{"names",
        R"({0: 'person', 1: 'Licence_Plate', 2: "driver's face", 3: 'airplane', 4: 'heads'})"}});
  ASSERT_TRUE(card);
  std::vector<ClassKind> kinds;
  for (const CardClass& entry : card->classes) kinds.push_back(entry.kind);
  EXPECT_EQ(kinds, (std::vector{ClassKind::person, ClassKind::plate, ClassKind::face,
                                ClassKind::ignore, ClassKind::head}));
  EXPECT_EQ(recognised({{"names", "{0: 'visage'}"}})->classes.front().kind, ClassKind::face);
}

TEST(RecognisedUltralytics, NamesMakeAValidCard) {
  const auto card = recognised({{"names", "{0: 'face', 1: 'face', 2: '', 3: '\x1b[2J', 4: '" +
                                              std::string(200, 'x') + "', 5: '\xff'}"}});
  ASSERT_TRUE(card);
  EXPECT_EQ(card->classes[3].name, "?[2J");
  EXPECT_EQ(parse_card(to_json(*card), "c.json", ""), card);
}

/// Cards cut off names after 64 bytes, so the names 1 to 999 become equal. Name 0 is equal to the
/// first new name that name 2 could get.
TEST(RecognisedUltralytics, NamesThatAreCutOffStayDifferent) {
  const std::string face = "face " + std::string(59, 'x');
  std::string names = "{0: '" + face.substr(0, 62) + "+3'";
  for (int i = 1; i < 1000; ++i) names += ", " + std::to_string(i) + ": '" + face + "y'";
  const auto card = recognised({{"names", names + "}"}});
  ASSERT_TRUE(card);
  EXPECT_EQ(card->classes[1].name, face);
  EXPECT_EQ(card->classes[2].name, face.substr(0, 62) + "+4");
  EXPECT_EQ(parse_card(to_json(*card), "c.json", ""), card);
}

TEST(RecognisedUltralytics, IsNotTakenForOthers) {
  EXPECT_FALSE(recognised_ultralytics(onnx::ModelProto(), "m.onnx"));
  EXPECT_FALSE(recognised({{"author", "somebody"}}));
  EXPECT_FALSE(recognised({{"task", ""}}));
}

TEST(RecognisedUltralytics, ThatContradictsItselfIsRefused) {
  const std::pair<Entries, const char*> kWrong[] = {
      {{{"task", "segment\n"}}, "metadata task: only detect and pose are supported, not segment?"},
      {{{"stride", "64"}}, "metadata stride: only 32 is supported, not 64"},
      {{{"names", "{}"}}, "metadata names: not a list of class names"},
      {{{"names", "['face']"}}, "metadata names: not a list of class names"},
      {{{"names", "{1: 'face'}"}}, "metadata names: not a list of class names"},
      {{{"names", "{0: 'cat', 1: 'dog'}"}},
       "metadata names: no class is a face, a head, a person or a plate"},
      {{{"task", "pose"}}, "metadata kpt_shape: not the number of points"},
      {{{"task", "pose"}, {"kpt_shape", "[5, 4]"}}, "metadata kpt_shape"},
      {{{"task", "pose"}, {"kpt_shape", "[500, 3]"}}, "metadata kpt_shape"},
  };
  for (const auto& [changes, reason] : kWrong)
    test::expect_error(ErrorKind::device, "model m.onnx: " + std::string(reason),
                       [&, changes = changes] { (void)recognised(changes); });
}

TEST(RecognisedCard, IsThatOfEitherKind) {
  EXPECT_EQ(recognised_card(with_metadata(kFaces), "m.onnx")->name, "yolo");
  EXPECT_EQ(recognised_card(with_rows_of({1, 1, 1, 4, 4, 4}), "m.onnx")->name, "scrfd");
  EXPECT_FALSE(recognised_card(onnx::ModelProto(), "m.onnx"));
}

TEST(KnownWeights, HaveTheReferenceScoreThatWasMeasured) {
  // YOLOv8n of faceghost 0.1.5, whose content doesn't tell it
  EXPECT_EQ(reference_score_of_known_weights(
                "f4450fcd6f475c30149d232199d03bdcbfe56974403ecd4939e359a41b81322b"),
            0.10F);
  EXPECT_EQ(reference_score_of_known_weights(std::string(64, '0')), std::nullopt);
  EXPECT_EQ(reference_score_of_known_weights(""), std::nullopt);
}

TEST(PythonLiteral, ReadsListsOfIntegers) {
  EXPECT_EQ(python_integers("[640, 480]", 2), (std::vector{640, 480}));
  EXPECT_EQ(python_integers("[]", 2), std::vector<int>());
  EXPECT_EQ(python_integers(" [ 7 ] ", 2), std::vector{7});
  for (const char* const wrong : {"", "[", "[1", "[1,]", "[,1]", "[1, 2, 3]", "[-1]", "[1.5]",
                                  "[1] 2", "(1)", "[99999999999999999999]"})
    EXPECT_EQ(python_integers(wrong, 2), std::nullopt) << wrong;
}

TEST(PythonLiteral, ReadsNames) {
  EXPECT_EQ(python_names(R"({0: 'a', 1: "b's", 2: 'it\'s \\'})", 3),
            (std::vector<std::string>{"a", "b's", R"(it's \)"}));
  for (const char* const wrong :
       {"", "{", "{0: 'a'", "{0: a}", "{0 'a'}", "{0: 'a' 1: 'b'}", "{1: 'a'}", "{0: 'a', 0: 'b'}",
        "{0: 'a}", "{0: 'a\\", "{0: 'a'} x", "{0: 'a', 1: 'b', 2: 'c', 3: 'd'}"})
    EXPECT_EQ(python_names(wrong, 3), std::nullopt) << wrong;
}

}  // namespace
}  // namespace facepipe::detector
