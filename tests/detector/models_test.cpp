// These tests search frames with several models, and with some classes of a model.
#include "detector/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "detector/detector.h"
#include "detector/keeping_factory.h"
#include "tests/detector/detect.h"
#include "tests/detector/files.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_detector.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/small_exports.h"
#include "tests/support/small_yolo.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using nlohmann::json;
using test::expect_error;
using testing::ElementsAre;

class SeveralModels : public testing::Test {
 protected:
  SeveralModels() {
    (void)dir_.write("things.onnx", test::small_yolo_anchors(0, 3).model().SerializeAsString());
    json card = json::parse(test::yolo_anchors_card(0, 3));
    card["name"] = "things";
    card["classes"] = {{{"name", "face"}},
                       {{"name", "dog"}, {"as", "ignore"}},
                       {{"name", "plate"}, {"as", "plate"}, {"grow", 0.5}}};
    card["nms"] = 0.6;
    (void)dir_.write("things.onnx.json", card.dump());
  }

  [[nodiscard]] static DetectorOptions options(const std::filesystem::path& model,
                                               std::vector<std::filesystem::path> more = {}) {
    DetectorOptions options;
    options.model = model;
    options.more_models = std::move(more);
    options.library = Library::opencv;
    options.precision = Precision::f32;
    options.score_threshold = 0.2F;
    options.threads = 1;
    return options;
  }
  [[nodiscard]] Detections found(const DetectorOptions& options) const {
    return test::detect(*make_detector_factory({}, options)->detector(frame_.upright()), frame_);
  }

  const test::TemporaryFolder dir_;
  const std::filesystem::path faces_ = test::write_small_scrfd(dir_);
  const std::filesystem::path things_ = dir_ / "things.onnx";
  const Frame frame_ = test::make_noise_frame({.format = {}, .size = {160, 96}}, 40);
};

TEST_F(SeveralModels, FindWhatEachFindsByItself) {
  const Detections faces = found(options(faces_));
  const Detections things = found(options(things_));
  const Detections both = found(options(faces_, {things_}));
  ASSERT_GT(faces.size(), 0U);
  ASSERT_GT(things.size(), 0U);
  EXPECT_THAT(faces.classes, testing::IsEmpty());
  EXPECT_THAT(things.classes, testing::Contains(0));
  EXPECT_THAT(things.classes, testing::Contains(1));
  Detections expected = faces;
  append(expected, things, 1);
  EXPECT_EQ(both.boxes, expected.boxes);
  EXPECT_EQ(both.scores, expected.scores);
  EXPECT_EQ(both.classes, expected.classes);
  EXPECT_TRUE(both.has_landmarks(0));
  EXPECT_FALSE(both.has_landmarks(faces.size()));
}

TEST_F(SeveralModels, AreKnownTogether) {
  const auto factory = make_detector_factory({}, options(faces_, {things_}));
  ASSERT_EQ(factory->classes().size(), 3U);
  EXPECT_EQ(factory->classes()[0].model, factory->model_kind());
  EXPECT_EQ(factory->classes()[1].name, "face");
  EXPECT_EQ(factory->classes()[1].model, "things");
  EXPECT_EQ(factory->classes()[2].name, "plate");
  EXPECT_EQ(factory->classes()[2].grow, 0.5F);
  EXPECT_EQ(factory->classes()[2].overlap, 0.6F);
  EXPECT_TRUE(factory->finds_landmarks());
  ASSERT_EQ(factory->others().size(), 1U);
  EXPECT_EQ(factory->others()[0].about().file, things_);
  EXPECT_FALSE(factory->others()[0].finds_landmarks());
  EXPECT_EQ(factory->detector({64, 64}), factory->detector({64, 64}))
      << "all who use one size share its places";
}

TEST_F(SeveralModels, OfOneNameHaveTheNamesOfTheirFiles) {
  std::filesystem::create_directory(dir_ / "more");
  std::filesystem::copy(faces_, dir_ / "other.onnx");
  std::filesystem::copy(faces_, dir_ / "more/other.onnx");
  const auto factory =
      make_detector_factory({}, options(faces_, {dir_ / "other.onnx", dir_ / "more/other.onnx"}));
  std::vector<std::string> models;
  for (const FoundClass& each : factory->classes()) models.push_back(each.model);
  EXPECT_THAT(models, ElementsAre("small.onnx", dir_ / "other.onnx", dir_ / "more/other.onnx"));
}

TEST_F(SeveralModels, ClassesAreChosenByName) {
  DetectorOptions wanted = options(faces_, {things_});
  EXPECT_THAT(class_names(wanted), ElementsAre("face", "plate"));
  wanted.classes = {"plate"};
  const auto factory = make_detector_factory({}, wanted);
  ASSERT_EQ(factory->classes().size(), 1U);
  EXPECT_EQ(factory->classes()[0].name, "plate");
  EXPECT_EQ(factory->model_kind(), "things") << "the other model finds no plates";
  // The same with a card that ignores all others.
  json card = json::parse(test::yolo_anchors_card(0, 3));
  card["classes"] = {{{"name", "face"}, {"as", "ignore"}},
                     {{"name", "dog"}, {"as", "ignore"}},
                     {{"name", "plate"}, {"as", "plate"}}};
  DetectorOptions only = options(things_);
  only.card = dir_.write("only.json", card.dump());
  const Detections expected = found(only);
  ASSERT_GT(expected.size(), 0U);
  EXPECT_EQ(found(wanted).boxes, expected.boxes);
  EXPECT_EQ(found(wanted).scores, expected.scores);
  wanted.classes = {"plate", "face"};
  EXPECT_EQ(make_detector_factory({}, wanted)->classes().size(), 3U);
}

TEST_F(SeveralModels, UnknownClassesAreRefused) {
  DetectorOptions wanted = options(faces_, {things_});
  for (const std::string name : {"dog", "Face", "", "number"}) {
    wanted.classes = {"face", name};
    expect_error(ErrorKind::usage,
                 "--classes: no model finds \"" + name + "\"; the classes are face, plate",
                 [&] { (void)models_of(wanted); });
  }
}

TEST_F(SeveralModels, WhatMakesNoSenseIsRefused) {
  expect_error(ErrorKind::usage, "is named twice", [&] {
    (void)models_of(options(faces_, {things_, faces_}));
  });
  const std::filesystem::path again = dir_ / "more/../things.onnx";
  expect_error(ErrorKind::usage, "--model: " + again.string() + " is named twice",
               [&] { (void)models_of(options(things_, {again})); });
  DetectorOptions with_card = options(faces_, {things_});
  with_card.card = dir_ / "things.onnx.json";
  expect_error(ErrorKind::usage, "--card works only with one --model",
               [&] { (void)models_of(with_card); });
  std::vector<std::filesystem::path> many;
  for (std::size_t i = 0; i < kMostModels; ++i) many.push_back(dir_ / std::to_string(i));
  expect_error(ErrorKind::usage, "at most 8 models",
               [&] { (void)models_of(options(faces_, many)); });
  expect_error(ErrorKind::device, "none.onnx",
               [&] { (void)make_detector_factory({}, options(faces_, {dir_ / "none.onnx"})); });
}

TEST_F(SeveralModels, ShareTheirMemory) {
  const std::vector<DetectorOptions> models = models_of(options(faces_, {things_}));
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].models, 2);
  EXPECT_EQ(models[0].requests, DetectorOptions{}.requests);
  EXPECT_EQ(models[1].requests, 1);
}

/// Makes detectors that need as much memory as their frames have pixels.
class CountingFactory final : public KeepingFactory {
 public:
  explicit CountingFactory(int models)
      : KeepingFactory({}, "fake", "", false, with_models(models)) {}

 private:
  static DetectorOptions with_models(int models) {
    DetectorOptions options;
    options.models = models;
    return options;
  }
  [[nodiscard]] std::int64_t pixels_for(Size frame, float /*scale*/) const override {
    return std::int64_t{frame.width} * frame.height;
  }
  [[nodiscard]] std::shared_ptr<Detector> make(Size frame, float /*scale*/,
                                               int /*requests*/) override {
    return std::make_shared<test::FakeDetector>(behaviour_, frame);
  }

  test::FakeBehaviour behaviour_;
};

TEST(KeepingFactory, KeepsLessIfOtherModelsKeepDetectorsToo) {
  const auto kept = [](int models) {
    CountingFactory factory(models);
    std::vector<std::weak_ptr<Detector>> made;
    // Each has a third of the pixels that all kept detectors may have.
    for (const int width : {4096, 4095, 4094}) made.push_back(factory.detector({width, 1024}));
    return std::ranges::count_if(made, [](const auto& each) { return !each.expired(); });
  };
  EXPECT_EQ(kept(1), 3);
  EXPECT_EQ(kept(3), 1);
}

}  // namespace
}  // namespace facepipe::detector
