// These tests run small networks of each family with every engine. The oracle runs the exported
// file with ONNX's operators as plain loops. Files of YOLO 8 decode their boxes themselves. For the
// other families, this file decodes the boxes in double precision, by the authors' formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/model/head.h"
#include "detector/cnn/model/model.h"
#include "tests/support/expect_error.h"
#include "tests/support/onnx_interpreter.h"
#include "tests/support/small_exports.h"
#include "tests/support/small_yolo.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

using test::OnnxValue;

constexpr int kSide = test::kYoloSide;
constexpr Size kNetwork{kSide, kSide};
constexpr double kLevels = 255;
constexpr float kLeastScore = 1e-6F;  // floats make 0 of some lower scores

using Values = std::map<std::string, OnnxValue>;

/// Holds what a network finds in one cell.
struct Found {
  double score = 0;
  double centre_x = 0;
  double centre_y = 0;
  double width = 0;
  double height = 0;
  std::vector<double> points{};  ///< x and y of each landmark
  std::uint16_t its_class = 0;   ///< among those that facepipe looks for
};

/// Reads what a network finds in each cell, in the order in which facepipe's decoders return it.
using Finder = std::function<std::vector<Found>(const onnx::GraphProto&, const Values&)>;

/// Describes a family: a file, its card if the file needs one, and the function that reads its
/// results.
struct ExportedFamily {
  const char* name;
  std::function<test::OnnxBuilder()> file;
  std::string card;
  Finder find;

  friend void PrintTo(const ExportedFamily& family, std::ostream* to) { *to << family.name; }
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Holds the scores of a cell's classes that facepipe looks for.
struct ClassScores {
  double best = 0;
  std::uint16_t its_class = 0;
};

ClassScores best_of(const std::vector<double>& scores) {
  const auto best = std::ranges::max_element(scores);
  return {*best, static_cast<std::uint16_t>(best - scores.begin())};
}

/// Reads the rows of YOLO 8: centre, size, scores and landmarks.
/// @param wanted  facepipe looks for the first `wanted` classes, and ignores the others
std::vector<Found> read_yolo(const OnnxValue& rows, std::size_t classes, std::size_t point_values,
                             std::size_t wanted) {
  const auto cells = static_cast<std::size_t>(rows.dims[2]);
  const auto at = [&](std::size_t row, std::size_t cell) {
    return rows.numbers[row * cells + cell];
  };
  std::vector<Found> all;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::vector<double> scores;
    for (std::size_t i = 0; i < wanted; ++i) scores.push_back(at(4 + i, cell));
    const ClassScores best = best_of(scores);
    Found found{best.best, at(0, cell), at(1, cell), at(2, cell), at(3, cell)};
    found.its_class = best.its_class;
    for (std::size_t row = 4 + classes; row + 1 < static_cast<std::size_t>(rows.dims[1]);
         row += point_values) {
      found.points.push_back(at(row, cell));
      found.points.push_back(at(row + 1, cell));
    }
    all.push_back(found);
  }
  return all;
}

Finder yolo_of(std::size_t classes, std::size_t point_values = 2, std::size_t wanted = 1) {
  return [=](const onnx::GraphProto& graph, const Values& values) {
    return read_yolo(values.at(graph.output(0).name()), classes, point_values, wanted);
  };
}

/// Returns what rows with corners, a score and a class say.
Found found_in(const double* box, double score, double its_class) {
  return {score,
          (box[0] + box[2]) / 2,
          (box[1] + box[3]) / 2,
          box[2] - box[0],
          box[3] - box[1],
          {},
          static_cast<std::uint16_t>(its_class)};
}

/// Reads the rows that a file has selected, in one output or in three.
std::vector<Found> selected_rows(const onnx::GraphProto& graph, const Values& values) {
  const std::vector<double>& rows = values.at(graph.output(0).name()).numbers;
  std::vector<Found> all;
  for (std::size_t i = 0; i + 6 <= rows.size(); i += 6)
    all.push_back(found_in(&rows[i], rows[i + 4], rows[i + 5]));
  return all;
}
std::vector<Found> separate_rows(const onnx::GraphProto& /*graph*/, const Values& values) {
  std::vector<Found> all;
  for (std::size_t i = 0; i < values.at("scores").numbers.size(); ++i)
    all.push_back(found_in(&values.at("boxes").numbers[4 * i], values.at("scores").numbers[i],
                           values.at("labels").numbers[i]));
  return all;
}

/// Reads the rows of `without_end`, which is the same network without the selection of boxes:
/// facepipe reads the boxes of all cells before the file selects some.
Finder same_without_end(const test::OnnxBuilder& without_end, const Finder& find) {
  return [=, file = without_end.model()](const onnx::GraphProto& graph, const Values& values) {
    return find(file.graph(), interpret_onnx(file, values.at(graph.input(0).name())));
  };
}

constexpr double kYoloAnchors[3][3][2] = {{{4, 5}, {8, 10}, {13, 16}},
                                          {{23, 29}, {43, 55}, {73, 105}},
                                          {{146, 217}, {231, 300}, {335, 433}}};

/// Says which classes of a YOLO 5 facepipe looks for.
struct WantedClasses {
  std::size_t first = 0;
  std::size_t count = 1;
};

/// Decodes the values of one anchor, like detect() of YOLO5Face's authors.
Found yolo5_cell(const std::vector<double>& v, double x, double y, double stride,
                 const double (&anchor)[2], std::size_t points, const WantedClasses& wanted) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < wanted.count; ++i)
    scores.push_back(sigmoid(v[4]) * sigmoid(v[5 + 2 * points + wanted.first + i]));
  const ClassScores best = best_of(scores);
  Found found{best.best, (sigmoid(v[0]) * 2 - 0.5 + x) * stride,
              (sigmoid(v[1]) * 2 - 0.5 + y) * stride, std::pow(sigmoid(v[2]) * 2, 2) * anchor[0],
              std::pow(sigmoid(v[3]) * 2, 2) * anchor[1]};
  found.its_class = best.its_class;
  for (std::size_t i = 0; i < points; ++i) {
    found.points.push_back(v[5 + 2 * i] * anchor[0] + x * stride);
    found.points.push_back(v[6 + 2 * i] * anchor[1] + y * stride);
  }
  return found;
}

Finder yolo5_of(std::size_t points, const WantedClasses& wanted = {}) {
  return [=](const onnx::GraphProto& graph, const Values& values) {
    std::vector<Found> all;
    for (int level = 0; level < 3; ++level) {
      const OnnxValue& map = values.at(graph.output(level).name());
      const auto side = static_cast<std::size_t>(map.dims[2]);
      const auto size = static_cast<std::size_t>(map.dims[4]);
      for (std::size_t place = 0; place < side * side; ++place)
        for (std::size_t anchor = 0; anchor < 3; ++anchor) {
          const auto first = map.numbers.begin() +
                             static_cast<std::ptrdiff_t>((anchor * side * side + place) * size);
          const std::size_t row = place / side;
          all.push_back(yolo5_cell({first, first + static_cast<std::ptrdiff_t>(size)},
                                   static_cast<double>(place % side), static_cast<double>(row),
                                   8 << level, kYoloAnchors[level][anchor], points, wanted));
        }
    }
    return all;
  };
}

/// Decodes a row of RetinaFace: box, two scores before the softmax, landmarks.
Found retina_cell(const double* v, double x, double y, double side) {
  Found found{std::exp(v[5]) / (std::exp(v[4]) + std::exp(v[5])), x + v[0] * 0.1 * side,
              y + v[1] * 0.1 * side, side * std::exp(v[2] * 0.2), side * std::exp(v[3] * 0.2)};
  for (int i = 0; i < 5; ++i) {
    found.points.push_back(x + v[6 + 2 * i] * 0.1 * side);
    found.points.push_back(y + v[7 + 2 * i] * 0.1 * side);
  }
  return found;
}

std::vector<Found> retinaface(const onnx::GraphProto& graph, const Values& values) {
  const OnnxValue& rows = values.at(graph.output(0).name());
  constexpr double kSides[3][2] = {{16, 32}, {64, 128}, {256, 512}};
  std::vector<Found> all;
  for (int level = 0; level < 3; ++level) {
    const int stride = 8 << level;
    for (int row = 0; row < kSide / stride; ++row)
      for (int column = 0; column < kSide / stride; ++column)
        for (const double side : kSides[level])
          all.push_back(retina_cell(&rows.numbers[16 * all.size()], (column + 0.5) * stride,
                                    (row + 0.5) * stride, side));
  }
  return all;
}

/// Joins the rows of three outputs. If the file computes a softmax, logarithms undo its
/// exponentials.
Finder retinaface_of_three(bool softmax) {
  return [=](const onnx::GraphProto& graph, const Values& values) {
    Values joined;
    OnnxValue& rows = joined[graph.output(0).name()];
    const OnnxValue& boxes = values.at(graph.output(0).name());
    for (std::size_t cell = 0; cell < static_cast<std::size_t>(boxes.dims[1]); ++cell)
      for (int output = 0; output < 3; ++output) {
        const OnnxValue& part = values.at(graph.output(output).name());
        const auto size = static_cast<std::size_t>(part.dims[2]);
        for (std::size_t i = 0; i < size; ++i) {
          const double number = part.numbers[cell * size + i];
          rows.numbers.push_back(softmax && output == 1 ? std::log(number) : number);
        }
      }
    return retinaface(graph, joined);
  };
}

/// Decodes SCRFD like its authors (distance2bbox() and distance2kps()). A place has two anchors,
/// and the distances are in strides. The first three outputs are the scores of each stride, the
/// next three the boxes, and the last three the landmarks, if there are any.
std::vector<Found> scrfd(const onnx::GraphProto& graph, const Values& values) {
  std::vector<Found> all;
  for (int level = 0; level < 3; ++level) {
    const double stride = 8 << level;
    const std::size_t side = kSide / (8U << level);
    const auto of_kind = [&](int kind) -> const std::vector<double>& {
      return values.at(graph.output(3 * kind + level).name()).numbers;
    };
    for (std::size_t cell = 0; cell < 2 * side * side; ++cell) {
      const std::size_t place = cell / 2;
      const std::size_t row = place / side;
      const double x = static_cast<double>(place % side) * stride;
      const double y = static_cast<double>(row) * stride;
      const double* const sides = &of_kind(1)[4 * cell];
      Found found{of_kind(0)[cell], x + (sides[2] - sides[0]) * stride / 2,
                  y + (sides[3] - sides[1]) * stride / 2, (sides[0] + sides[2]) * stride,
                  (sides[1] + sides[3]) * stride};
      for (std::size_t i = 0; i < 10 && graph.output_size() == 9; ++i)
        found.points.push_back((i % 2 == 0 ? x : y) + of_kind(2)[10 * cell + i] * stride);
      all.push_back(found);
    }
  }
  return all;
}

/// Returns a card without a mean. SCRFD's own mean is a part of the first convolution, whose
/// padding is black, so cells near the picture's edges would differ (docs/models.md).
std::string scrfd_card(const std::string& points) {
  return R"({"facepipe_model": 1, "input": {"std": [255, 255, 255]},
      "head": {"family": "scrfd", "strides": [8, 16, 32], "anchors": 2)" +
         points + "}}";
}

const ExportedFamily kFamilies[] = {
    {"Yolo", [] { return test::small_yolo(); }, "", yolo_of(1)},
    {"YoloWithLandmarks",
     [] {
       return test::small_yolo(1, {5, 3});
     },
     "", yolo_of(1, 3)},
    {"YoloWithLandmarksOfTwoValues",
     [] {
       return test::small_yolo(1, {5, 2});
     },
     "", yolo_of(1)},
    {"YoloWithOtherLandmarks",
     [] {
       return test::small_yolo(1, {3, 3});
     },
     "", yolo_of(1, 3)},
    {"YoloOfManyClasses",
     [] {
       return test::small_yolo(6, {5, 3});
     },
     "", yolo_of(6, 3)},
    {"Yolo11", [] { return test::small_yolo(1, {}, test::YoloVersion::v11); }, "", yolo_of(1)},
    {"Yolo11WithLandmarks",
     [] {
       return test::small_yolo(2, {5, 3}, test::YoloVersion::v11);
     },
     "", yolo_of(2, 3)},
    {"YoloThatTakesTheBest",
     [] { return test::small_yolo(2, {}, test::YoloVersion::v11, test::YoloEnd::largest); }, "",
     same_without_end(test::small_yolo(2, {}, test::YoloVersion::v11), yolo_of(2))},
    {"YoloThatSuppresses",
     [] { return test::small_yolo(1, {}, test::YoloVersion::v8, test::YoloEnd::suppressed); }, "",
     same_without_end(test::small_yolo(), yolo_of(1))},
    {"BoxesOfTheBest",
     [] { return test::small_yolo(2, {}, test::YoloVersion::v11, test::YoloEnd::largest); },
     test::boxes_card({"face", "plate"}), selected_rows},
    {"BoxesInSeparateOutputs",
     [] {
       test::OnnxBuilder file =
           test::small_yolo(2, {}, test::YoloVersion::v8, test::YoloEnd::largest);
       test::separate_outputs(file);
       return file;
     },
     test::boxes_card({"face", "plate"}, "xyxy-score-class",
                      R"({"box": ["boxes"], "score": ["scores"], "class": ["labels"]})"),
     separate_rows},
    {"BoxesThatTheFileSuppresses",
     [] { return test::small_yolo(1, {}, test::YoloVersion::v8, test::YoloEnd::suppressed); },
     test::boxes_card({"face"}), same_without_end(test::small_yolo(), yolo_of(1))},
    {"YoloAnchors", [] { return test::small_yolo_anchors(); }, test::yolo_anchors_card(),
     yolo5_of(5)},
    {"YoloAnchorsWithoutLandmarks", [] { return test::small_yolo_anchors(0); },
     test::yolo_anchors_card(0), yolo5_of(0)},
    {"YoloAnchorsOfTwoClasses", [] { return test::small_yolo_anchors(5, 2); },
     test::yolo_anchors_card(5, 2), yolo5_of(5)},
    {"YoloOfThreeClasses", [] { return test::small_yolo(3); },
     test::yolo_card({"face", "head", "plate"}), yolo_of(3, 2, 3)},
    {"YoloAnchorsOfTwoClassesAndOneThatIsIgnored", [] { return test::small_yolo_anchors(0, 3); },
     test::things_card(), yolo5_of(0, {1, 2})},
    {"Scrfd", [] { return test::small_scrfd(); }, scrfd_card(R"(, "points": {"count": 5})"), scrfd},
    {"ScrfdWithoutLandmarks", [] { return test::small_scrfd(false); }, scrfd_card(""), scrfd},
    {"Retinaface", [] { return test::small_retinaface(); }, test::retinaface_card(), retinaface},
    {"RetinafaceOfThreeOutputs", [] { return test::small_retinaface(false); },
     test::retinaface_card(), retinaface_of_three(false)},
    {"RetinafaceWithSoftmax", [] { return test::small_retinaface(false, true); },
     test::retinaface_card(), retinaface_of_three(true)},
};

class HeadOfFamily : public testing::TestWithParam<std::tuple<ExportedFamily, Library>> {
 protected:
  [[nodiscard]] static const ExportedFamily& family() { return std::get<0>(GetParam()); }

  [[nodiscard]] std::vector<Found> expected(const OnnxValue& picture) const {
    OnnxValue normalised = picture;
    for (double& number : normalised.numbers) number /= kLevels;
    const onnx::ModelProto file = family().file().model();
    return family().find(file.graph(), interpret_onnx(file, normalised));
  }

  [[nodiscard]] Detections actual(const OnnxValue& picture) const {
    const test::TemporaryFolder folder;
    const auto file = folder.write("model.onnx", family().file().model().SerializeAsString());
    if (!family().card.empty()) (void)folder.write("model.onnx.json", family().card);
    const Model model(file);
    const auto inference =
        make_engine(std::get<1>(GetParam()), model, kNetwork, {Precision::f32, 1, 1})
            ->make_inference();
    std::ranges::transform(picture.numbers, inference->input().begin(),
                           [](double number) { return static_cast<std::uint8_t>(number); });
    inference->start();
    inference->wait();
    NetworkOutputs outputs;
    for (std::size_t i = 0; i < model.outputs().size(); ++i)
      outputs.push_back(inference->output(i));
    return decode_head(model.head(), outputs, {kNetwork, kNetwork, kNetwork}, kLeastScore);
  }
};

Box visible_box(const Found& found) {
  const auto side = [](double middle, double half) { return static_cast<float>(middle + half); };
  return clipped({side(found.centre_x, -found.width / 2), side(found.centre_y, -found.height / 2),
                  side(found.centre_x, found.width / 2), side(found.centre_y, found.height / 2)},
                 kNetwork);
}

void expect_near(const Box& actual, const Box& expected) {
  constexpr float kPixels = 0.01F;  // floats have this error in boxes of some hundred pixels
  EXPECT_NEAR(actual.x1, expected.x1, kPixels);
  EXPECT_NEAR(actual.y1, expected.y1, kPixels);
  EXPECT_NEAR(actual.x2, expected.x2, kPixels);
  EXPECT_NEAR(actual.y2, expected.y2, kPixels);
}

TEST_P(HeadOfFamily, FindsWhatTheFileSays) {
  const auto engines = supported_engines();
  const Library library = std::get<1>(GetParam());
  if (std::ranges::none_of(engines, [&](const auto& has) { return has.library == library; }))
    GTEST_SKIP() << "this build lacks the engine";
  const OnnxValue picture = test::noise_picture(kSide, kSide);
  if (library == Library::opencv && std::string_view(family().name).starts_with("Boxes")) {
    // OpenCV 4.6 lacks TopK and GatherND.
    test::expect_error(ErrorKind::device, "OpenCV:", [&] { (void)actual(picture); });
    return;
  }
  std::vector<Found> wanted = expected(picture);
  std::erase_if(wanted, [](const Found& found) {
    const Box box = visible_box(found);
    return box.width() <= 0 || box.height() <= 0 || found.score <= kLeastScore;
  });
  const Detections found = actual(picture);
  ASSERT_EQ(found.size(), wanted.size());
  ASSERT_GT(found.size(), 5U);
  ASSERT_EQ(found.has_landmarks(), wanted.front().points.size() == 10);
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_NEAR(found.scores[i], wanted[i].score, 1e-4);
    EXPECT_EQ(found.class_of(i), wanted[i].its_class);
    expect_near(found.boxes[i], visible_box(wanted[i]));
    for (std::size_t k = 0; found.has_landmarks() && k < 5; ++k) {
      EXPECT_NEAR(found.landmarks[i][k].x, wanted[i].points[2 * k], 0.02);
      EXPECT_NEAR(found.landmarks[i][k].y, wanted[i].points[2 * k + 1], 0.02);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, HeadOfFamily,
                         testing::Combine(testing::ValuesIn(kFamilies),
                                          testing::Values(Library::openvino, Library::opencv)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name +
                                  std::string(std::get<1>(test.param) == Library::opencv
                                                  ? "ByOpencv"
                                                  : "ByOpenvino");
                         });

}  // namespace
}  // namespace facepipe::detector
