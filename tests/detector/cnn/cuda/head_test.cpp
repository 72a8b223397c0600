// These tests compare the head on the device with the CPU's head, which other tests check.
#include "detector/cnn/cuda/head.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "core/error.h"
#include "detector/cnn/model/head.h"
#include "detector/cnn/model/known_models.h"
#include "tests/detector/cnn/cuda/device_network.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

constexpr float kThreshold = 0.5F;
constexpr int kPitch = 96;  // memory for the channels of all outputs of a level, side by side

/// Holds made-up outputs of a network in two layouts: one for the CPU's head, and one for the head
/// on the device.
class Outputs {
 public:
  Outputs(HeadData head, const NetworkFit& fit) : head_(std::move(head)), fit_(fit) {
    std::size_t offset = 0;
    for (const int stride : head_.strides) {
      int channel = 0;
      for (const HeadOutput& output : head_.outputs) {
        engine::Placement place;
        place.element = engine::Element::f32;
        place.shape = {head_.anchors * output.channels, fit.network.height / stride,
                       fit.network.width / stride};
        place.pitch = kPitch;
        place.first_channel = channel;
        place.offset = offset;
        channel += place.shape.channels;
        places_.push_back({output.name, place});
        planes_.emplace_back(place.pixels() * static_cast<std::size_t>(place.shape.channels));
      }
      offset += places_.back().place.bytes();
    }
    memory_.resize(offset / sizeof(float));
  }

  /// Returns the value of a channel at a place. A place is a pixel of the output, with the channels
  /// of all cells of this pixel. Places are in raster order.
  float& at(std::size_t output, std::size_t channel, std::size_t place) {
    const bool planes = head_.layout == OutputLayout::planes;
    return planes_[output]
                  [planes ? channel * places(output) + place : place * channels(output) + channel];
  }
  [[nodiscard]] std::size_t places(std::size_t output) const {
    return places_[output].place.pixels();
  }
  [[nodiscard]] std::size_t channels(std::size_t output) const {
    return static_cast<std::size_t>(places_[output].place.shape.channels);
  }
  [[nodiscard]] std::size_t size() const { return planes_.size(); }

  /// Fills the outputs with values near 0, so that boxes are about as large as the stride. One of
  /// about `one_in` cells gets a score above the threshold.
  void fill(unsigned seed, unsigned one_in) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> noise(-1, 1);
    for (std::size_t o = 0; o < size(); ++o) {
      for (std::size_t place = 0; place < places(o); ++place)
        for (std::size_t c = 0; c < channels(o); ++c) {
          const float value = noise(random);
          at(o, c, place) = is_score(o, c) ? stored(random() % one_in == 0 ? 0.8F + 0.19F * value
                                                                           : 0.2F + 0.1F * value)
                                           : value;
        }
    }
  }
  /// Returns whether a channel is a score, or a factor of one.
  [[nodiscard]] bool is_score(std::size_t output, std::size_t channel) const {
    const std::size_t tensor = output % head_.outputs.size();
    const auto of_cell = static_cast<int>(channel) % head_.outputs[tensor].channels;
    switch (head_.kind) {
      case HeadKind::centerface:
      case HeadKind::scrfd:
        return tensor == 0;
      case HeadKind::yunet:
        return tensor <= 1;
      case HeadKind::yolo_dfl:
        return tensor == 1;
      case HeadKind::yolo_anchors:
        return of_cell == 4 || of_cell >= 5 + 2 * head_.numbers.points;
      case HeadKind::retinaface:
        return tensor == 0 && of_cell == 1;
      case HeadKind::boxes:
        break;  // CUDA doesn't decode it
    }
    return false;
  }
  [[nodiscard]] bool has_sigmoids() const {
    return head_.kind != HeadKind::centerface && head_.kind != HeadKind::yunet;
  }

  /// Returns the value that a channel must have for this score.
  [[nodiscard]] float stored(float score) const {
    if (!has_sigmoids()) return score;
    // Here, the score is the product of two sigmoids.
    if (head_.kind == HeadKind::yolo_anchors) score = std::sqrt(score);
    return std::log(score / (1 - score));
  }

  /// Sets the scores of an output, if the output has any, to value(number of the cell).
  template <class Value>
  void set_scores(std::size_t output, const Value& value) {
    const auto anchors = static_cast<std::size_t>(head_.anchors);
    for (std::size_t place = 0; place < places(output); ++place)
      for (std::size_t c = 0; c < channels(output); ++c) {
        const std::size_t anchor = c / (channels(output) / anchors);
        if (is_score(output, c)) at(output, c, place) = stored(value(place * anchors + anchor));
        if (head_.kind == HeadKind::retinaface && output % head_.outputs.size() == 0 &&
            !is_score(output, c))
          at(output, c, place) = 0;  // score of the background
      }
  }

  /// Makes boxes larger than 0 if they are stored as the distances from a cell to the box's four
  /// sides: all distances become positive.
  void open_boxes() {
    if (head_.kind != HeadKind::scrfd) return;
    for (std::size_t o = 1; o < size(); o += head_.outputs.size())
      for (std::size_t place = 0; place < places(o); ++place)
        for (std::size_t c = 0; c < channels(o); ++c)
          at(o, c, place) = 0.5F + std::abs(at(o, c, place));
  }

  [[nodiscard]] Detections on_cpu() const {
    const NetworkOutputs views(planes_.begin(), planes_.end());
    return decode_head(head_, views, fit_, kThreshold);
  }

  struct Result {
    Detections stored;
    std::uint32_t count = 0;
  };
  [[nodiscard]] Result on_device(std::uint32_t capacity) {
    for (std::size_t o = 0; o < size(); ++o)
      for (std::size_t place = 0; place < places(o); ++place)
        for (std::size_t c = 0; c < channels(o); ++c) {
          const engine::Placement& map = places_[o].place;
          memory_[map.offset / sizeof(float) + place * kPitch +
                  static_cast<std::size_t>(map.first_channel) + c] = at(o, c, place);
        }
    return run(kernels(), capacity);
  }

  void enqueue(const cuda::DeviceDetections& to, const cuda::Stream& stream) const {
    const engine::HeadKernels head = kernels();
    const cuda::DeviceBuffer<std::byte> memory(memory_.size() * sizeof(float));
    const cuda::DeviceBuffer<std::uint32_t> scratch(head.scratch_words());
    head.enqueue(memory.data(), scratch.span(), to, stream);
  }

 private:
  [[nodiscard]] engine::HeadKernels kernels() const {
    return {head_, fit_, places_, kThreshold, "a test"};
  }

  [[nodiscard]] Result run(const engine::HeadKernels& head, std::uint32_t capacity) const {
    const cuda::Stream stream;
    const cuda::DeviceBuffer<std::byte> memory(memory_.size() * sizeof(float));
    const cuda::DeviceBuffer<std::uint32_t> scratch(head.scratch_words());
    const cuda::DeviceBuffer<Box> boxes(capacity + 1);
    const cuda::DeviceBuffer<float> scores(capacity + 1);
    const cuda::DeviceBuffer<Landmarks> landmarks(head_.landmarks ? capacity + 1 : 0);
    const cuda::DeviceBuffer<std::uint32_t> count(1);
    const cuda::DeviceBuffer<std::uint16_t> classes(capacity + 1);
    cuda::copy(memory.span(), std::as_bytes(std::span(memory_)), stream);
    // If the kernels don't write a value, it keeps these bytes, and the test fails.
    cuda::fill(scratch.span(), 0xff, stream);
    cuda::fill(scores.span(), 0xff, stream);
    cuda::fill(classes.span(), 0xff, stream);
    head.enqueue(memory.data(), scratch.span(),
                 {boxes.data(), scores.data(), head_.landmarks ? landmarks.data() : nullptr,
                  count.data(), capacity, classes.data()},
                 stream);
    Result result;
    std::vector<float> last(1);
    cuda::copy(std::span<std::uint32_t>(&result.count, 1), count.span(), stream);
    cuda::copy(std::span<float>(last), cuda::DeviceSpan<const float>{scores.data() + capacity, 1},
               stream);
    stream.synchronize();
    EXPECT_TRUE(std::isnan(last[0])) << "written beyond the capacity";
    const std::uint32_t stored = std::min(result.count, capacity);
    result.stored.boxes.resize(stored);
    result.stored.scores.resize(stored);
    result.stored.classes.resize(stored);
    if (head_.landmarks) result.stored.landmarks.resize(stored);
    cuda::copy(std::span<Box>(result.stored.boxes), boxes.span(), stream);
    cuda::copy(std::span<float>(result.stored.scores), scores.span(), stream);
    cuda::copy(std::span<std::uint16_t>(result.stored.classes), classes.span(), stream);
    if (head_.landmarks)
      cuda::copy(std::span<Landmarks>(result.stored.landmarks), landmarks.span(), stream);
    stream.synchronize();
    return result;
  }

  HeadData head_;
  NetworkFit fit_;
  std::vector<engine::NetworkOutput> places_;
  std::vector<std::vector<float>> planes_;
  std::vector<float> memory_;
};

/// Holds the allowed difference of a coordinate, which is pixels + relative * |coordinate|. A
/// coordinate is computed from two exponentials, with sums and products.
struct Tolerance {
  double pixels = 1e-4;
  double relative = 2e-6;
  double score = 0;
};

void expect_near(float actual, float expected, const Tolerance& allowed) {
  EXPECT_NEAR(actual, expected,
              allowed.pixels + allowed.relative * std::abs(static_cast<double>(expected)));
}

void expect_same(const Detections& actual, const Detections& all, std::size_t count,
                 const Tolerance& allowed) {
  ASSERT_EQ(actual.size(), count);
  ASSERT_EQ(actual.has_landmarks(), all.has_landmarks() && count > 0);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_NEAR(actual.scores[i], all.scores[i], allowed.score) << i;
    EXPECT_EQ(actual.class_of(i), all.class_of(i)) << i;
    expect_near(actual.boxes[i].x1, all.boxes[i].x1, allowed);
    expect_near(actual.boxes[i].y1, all.boxes[i].y1, allowed);
    expect_near(actual.boxes[i].x2, all.boxes[i].x2, allowed);
    expect_near(actual.boxes[i].y2, all.boxes[i].y2, allowed);
    for (std::size_t k = 0; all.has_landmarks() && k < all.landmarks[i].size(); ++k) {
      expect_near(actual.landmarks[i][k].x, all.landmarks[i][k].x, allowed);
      expect_near(actual.landmarks[i][k].y, all.landmarks[i][k].y, allowed);
    }
  }
}

/// Compares results with capacity for all candidates, and with capacity for only some of them.
void expect_as_on_cpu(Outputs& outputs, Tolerance allowed = {}) {
  // The device's exp() rounds differently. A distribution is the quotient of two sums of
  // exponentials, and boxes are some hundred pixels large.
  if (outputs.has_sigmoids()) {
    allowed.score = 1e-6;
    allowed.pixels = std::max(allowed.pixels, 4e-3);
  }
  const Detections expected = outputs.on_cpu();
  const auto all = static_cast<std::uint32_t>(expected.size());
  for (const std::uint32_t capacity : {all + 1, all / 2 + 1, 1U}) {
    const Outputs::Result actual = outputs.on_device(capacity);
    EXPECT_EQ(actual.count, all);
    expect_same(actual.stored, expected, std::min(all, capacity), allowed);
  }
}

struct Case {
  const char* name;
  HeadData head;
};

HeadData with_anchors(HeadData head, int anchors) {
  head.anchors = anchors;
  return head;
}

HeadData without_landmarks(HeadData head) {
  head.landmarks = false;
  head.outputs.pop_back();  // in both models, the landmarks are the last output
  return head;
}

class CudaHead : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] const HeadData& head() const { return GetParam().head; }
};

TEST_P(CudaHead, FindsWhatTheCpuFinds) {
  const NetworkFit fits[] = {
      fit_network({320, 256}, {}),
      fit_network({317, 250}, {}),              // with padding
      fit_network({640, 500}, Size{320, 320}),  // with scaling
      fit_network({40, 30}, {}),
  };
  unsigned seed = 1;
  for (const NetworkFit& fit : fits)
    for (const unsigned one_in : {2U, 7U, 300U}) {
      Outputs outputs(head(), fit);
      outputs.fill(++seed, one_in);
      if (one_in == 2) {
        EXPECT_GT(outputs.on_cpu().size(), 0U);
      }
      expect_as_on_cpu(outputs);
    }
}

TEST_P(CudaHead, FindsNothing) {
  Outputs outputs(head(), fit_network({320, 256}, {}));
  EXPECT_EQ(outputs.on_cpu().size(), 0U);
  expect_as_on_cpu(outputs);
}

TEST_P(CudaHead, FindsACandidateInEveryCell) {
  Outputs outputs(head(), fit_network({320, 256}, {}));
  outputs.fill(3, 1);
  outputs.open_boxes();
  std::size_t cells = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (o % head().outputs.size() == 0)
      cells += outputs.places(o) * static_cast<std::size_t>(head().anchors);
    outputs.set_scores(o, [](std::size_t /*cell*/) { return 0.75F; });
  }
  EXPECT_GT(outputs.on_cpu().size(), cells * 9 / 10);
  expect_as_on_cpu(outputs);
}

TEST_P(CudaHead, DropsWhatIsNotFiniteAndWhatLiesOutside) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Outputs outputs(head(), fit_network({317, 250}, {}));
  outputs.fill(4, 1);
  const float odd[] = {kNan, kInfinity, -kInfinity, 200.0F, -200.0F, 1e30F};
  std::mt19937 random(5);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    for (std::size_t place = 0; place < outputs.places(o); ++place)
      if (random() % 8 == 0)
        outputs.at(o, random() % outputs.channels(o), place) = odd[random() % std::size(odd)];
  // Far outside of the picture, a coordinate is the small difference of two large numbers.
  expect_as_on_cpu(outputs, {.pixels = 0.05, .relative = 1e-5});
}

TEST_P(CudaHead, TakesScoresAboveTheThresholdOnly) {
  Outputs outputs(head(), fit_network({64, 64}, {}));
  // The sigmoid is rounded, so the threshold doesn't belong to a single float.
  const bool sigmoids = outputs.has_sigmoids();
  const float above = sigmoids ? kThreshold + 1e-5F : std::nextafter(kThreshold, 1.0F);
  const float highest = sigmoids ? kThreshold - 1e-5F : kThreshold;
  const float scores[] = {highest, above, 0.49F, 0.99F};
  for (std::size_t o = 0; o < outputs.size(); ++o)
    outputs.set_scores(o, [&](std::size_t cell) { return scores[cell % std::size(scores)]; });
  expect_as_on_cpu(outputs);
}

TEST_P(CudaHead, RefusesWhatHasOtherLandmarks) {
  Outputs outputs(head(), fit_network({64, 64}, {}));
  const cuda::DetectionBuffers to(4, !head().landmarks);
  test::expect_error(ErrorKind::internal, "landmarks",
                     [&] { outputs.enqueue(to.view(), cuda::Stream()); });
}

HeadData scrfd_head() {
  return {.kind = HeadKind::scrfd,
          .layout = OutputLayout::planes,
          .strides = {8, 16, 32},
          .outputs = {{1}, {4}, {10}},
          .anchors = 2};
}

HeadData yolo_head(int classes, int points, int point_values) {
  HeadData head{.kind = HeadKind::yolo_dfl,
                .strides = {8, 16, 32},
                .outputs = {{64}, {classes}, {points * point_values}},
                .numbers = {.classes = classes, .points = points, .point_values = point_values},
                .landmarks = points == 5};
  if (points == 0) head.outputs.pop_back();
  return head;
}

HeadData yolo_anchors_head(int points, int classes = 1) {
  return {.kind = HeadKind::yolo_anchors,
          .strides = {8, 16, 32},
          .outputs = {{5 + 2 * points + classes}},
          .anchors = 3,
          .anchor_sizes = {{{4, 5}, {8, 10}, {13, 16}},
                           {{23, 29}, {43, 55}, {73, 105}},
                           {{146, 217}, {231, 300}, {335, 433}}},
          .numbers = {.classes = classes, .points = points},
          .landmarks = points == 5};
}

HeadData retinaface_head() {
  return {.kind = HeadKind::retinaface,
          .strides = {8, 16, 32},
          .outputs = {{2}, {4}, {10}},
          .anchors = 2,
          .anchor_sizes = {{{16, 16}, {32, 32}}, {{64, 64}, {128, 128}}, {{256, 256}, {512, 512}}}};
}

INSTANTIATE_TEST_SUITE_P(
    Heads, CudaHead,
    testing::Values(Case{"centerface", centerface().head}, Case{"yunet", yunet().head},
                    Case{"scrfd", scrfd_head()},
                    Case{"scrfd_without_landmarks", without_landmarks(scrfd_head())},
                    Case{"yolo", yolo_head(1, 0, 2)},
                    Case{"yolo_with_landmarks", yolo_head(1, 5, 3)},
                    Case{"yolo_with_three_landmarks", yolo_head(2, 3, 2)},
                    Case{"yolo_anchors", yolo_anchors_head(5)},
                    Case{"yolo_anchors_without_landmarks", yolo_anchors_head(0)},
                    Case{"yolo_of_many_classes", yolo_head(12, 0, 2)},
                    Case{"yolo_anchors_of_three_classes", yolo_anchors_head(5, 3)},
                    Case{"retinaface", retinaface_head()},
                    Case{"retinaface_without_landmarks", without_landmarks(retinaface_head())},
                    Case{"yunet_of_two_anchors", with_anchors(yunet().head, 2)},
                    Case{"centerface_of_two_anchors", with_anchors(centerface().head, 2)},
                    Case{"yunet_without_landmarks", without_landmarks(yunet().head)},
                    Case{"centerface_without_landmarks", without_landmarks(centerface().head)}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace facepipe::detector
