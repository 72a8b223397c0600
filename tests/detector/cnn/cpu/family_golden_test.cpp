// Compares what each engine finds with small networks of each family with
// tests/detector/golden/families.txt: the results of onnxruntime, which numpy decoded
// (bench/golden/make_family_golden.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/files/sha256.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/model/head.h"
#include "detector/cnn/model/model.h"
#include "tests/detector/files.h"
#include "tests/detector/golden.h"
#include "tests/support/small_yolo.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

constexpr Size kNetwork{test::kYoloSide, test::kYoloSide};

struct ListedBox {
  float score = 0;
  std::uint16_t its_class = 0;
  Box box{};
  std::vector<float> points;  ///< x and y of each landmark
};

struct ListedModel {
  std::string sha256;
  float least_score = 0;
  std::vector<ListedBox> boxes;
};

ListedBox read_box(std::istringstream& words, float score) {
  ListedBox listed{score, 0, {}, {}};
  words >> listed.its_class >> listed.box.x1 >> listed.box.y1 >> listed.box.x2 >> listed.box.y2;
  for (float number = 0; words >> number;) listed.points.push_back(number);
  return listed;
}

std::map<std::string, ListedModel> read_list() {
  std::map<std::string, ListedModel> models;
  ListedModel* model = nullptr;
  std::ifstream file(test::source_dir() / "tests/detector/golden/families.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (std::isdigit(static_cast<unsigned char>(first.front())) == 0) {
      model = &models[first];
      words >> model->sha256 >> model->least_score;
    } else {
      model->boxes.push_back(read_box(words, std::stof(first)));
    }
  }
  return models;
}

Detections run(const Model& model, Library library, float least_score) {
  const auto inference =
      make_engine(library, model, kNetwork, {Precision::f32, 1, 1})->make_inference();
  test::fill_pattern(inference->input(), kNetwork);
  inference->start();
  inference->wait();
  NetworkOutputs outputs;
  for (std::size_t i = 0; i < model.outputs().size(); ++i) outputs.push_back(inference->output(i));
  return decode_head(model.head(), outputs, {kNetwork, kNetwork, kNetwork}, least_score);
}

/// Returns the detection that is the listed box, or -1. The list isn't in the order of the
/// detections, because a file's TopK orders them by their score.
std::ptrdiff_t find(const Detections& found, const ListedBox& listed) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Box& box = found.boxes[i];
    const float off =
        std::max({std::abs(box.x1 - listed.box.x1), std::abs(box.y1 - listed.box.y1),
                  std::abs(box.x2 - listed.box.x2), std::abs(box.y2 - listed.box.y2)});
    // The file lists three digits of boxes, and five of scores. Libraries compute in floats.
    if (off < 0.02F && std::abs(found.scores[i] - listed.score) < 2e-4F &&
        found.class_of(i) == listed.its_class)
      return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

void expect_points(const Detections& found, std::size_t i, const ListedBox& listed) {
  ASSERT_EQ(found.has_landmarks(), !listed.points.empty());
  for (std::size_t k = 0; k < listed.points.size(); ++k) {
    const Point& point = found.landmarks[i][k / 2];
    EXPECT_NEAR(k % 2 == 0 ? point.x : point.y, listed.points[k], 0.05) << k;
  }
}

class FamilyGolden : public testing::TestWithParam<Library> {};

TEST_P(FamilyGolden, ListsWhatEachFamilyFinds) {
  const auto engines = supported_engines();
  if (std::ranges::none_of(engines, [](const auto& has) { return has.library == GetParam(); }))
    GTEST_SKIP() << "this build lacks the engine";
  const std::map<std::string, ListedModel> list = read_list();
  const test::TemporaryFolder folder;
  for (const test::FamilyModel& family : test::family_models()) {
    SCOPED_TRACE(family.name);
    const std::string bytes = family.file.model().SerializeAsString();
    const ListedModel& listed = list.at(family.name);
    ASSERT_EQ(listed.sha256, sha256_hex(bytes)) << "the list was made with another file";
    ASSERT_GE(listed.boxes.size(), 5U);
    // OpenCV 4.6 lacks TopK and GatherND.
    if (GetParam() == Library::opencv && family.name.starts_with("boxes")) continue;
    const auto file = folder.write(family.name + ".onnx", bytes);
    if (!family.card.empty()) (void)folder.write(family.name + ".onnx.json", family.card);
    const Model model(file);
    const Detections found = run(model, GetParam(), listed.least_score);
    // The file of one network suppresses boxes. facepipe's decoder gives all boxes of this file.
    if (family.name == "boxes-suppressed")
      EXPECT_GT(found.size(), listed.boxes.size());
    else
      EXPECT_EQ(found.size(), listed.boxes.size());
    for (const ListedBox& box : listed.boxes) {
      const std::ptrdiff_t i = find(found, box);
      EXPECT_GE(i, 0) << "lacks the box with the score " << box.score;
      if (i >= 0) expect_points(found, static_cast<std::size_t>(i), box);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, FamilyGolden, testing::Values(Library::openvino, Library::opencv),
                         [](const auto& test) {
                           return test.param == Library::opencv ? "Opencv" : "Openvino";
                         });

}  // namespace
}  // namespace facepipe::detector
