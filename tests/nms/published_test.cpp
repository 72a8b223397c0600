// These tests repeat cases from the test suites of other libraries, made from their published
// definitions. They leave out cases with several classes or images in one call, which facepipe
// doesn't have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/nms/on_cpu.h"
#include "tests/support/nms_oracle.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

// ONNX: the node tests of the operator NonMaxSuppression
// (onnx/backend/test/case/node/nonmaxsuppression.py). In facepipe, the caller applies the score
// threshold, limits the number of outputs and converts the boxes, so the following helpers do this.
struct OnnxOptions {
  float iou = 0.5F;
  float score = 0;
  std::size_t most = 3;
};

// Converts the corners y1 x1 y2 x2, which the operator accepts in any order.
Box from_onnx(float y1, float x1, float y2, float x2) {
  return {std::min(x1, x2), std::min(y1, y2), std::max(x1, x2), std::max(y1, y2)};
}

std::vector<std::uint32_t> as_onnx(const std::vector<Box>& boxes, const std::vector<float>& scores,
                                   const OnnxOptions& options = {}) {
  std::vector<std::uint32_t> kept = greedy_on_cpu({"ONNX", boxes, scores}, options.iou);
  std::erase_if(kept, [&](auto i) { return scores[i] <= options.score; });
  kept.resize(std::min(kept.size(), options.most));
  return kept;
}

const std::vector<float>& onnx_scores() {
  static const std::vector<float> scores{0.9F, 0.75F, 0.6F, 0.95F, 0.5F, 0.3F};
  return scores;
}

std::vector<Box> onnx_boxes() {
  return {from_onnx(0, 0, 1, 1),   from_onnx(0, 0.1F, 1, 1.1F),   from_onnx(0, -0.1F, 1, 0.9F),
          from_onnx(0, 10, 1, 11), from_onnx(0, 10.1F, 1, 11.1F), from_onnx(0, 100, 1, 101)};
}

TEST(OnnxNodeTest, SuppressByIou) {
  EXPECT_THAT(as_onnx(onnx_boxes(), onnx_scores()), ElementsAre(3, 0, 5));
}

TEST(OnnxNodeTest, SuppressByIouAndScores) {
  EXPECT_THAT(as_onnx(onnx_boxes(), onnx_scores(), {0.5F, 0.4F, 3}), ElementsAre(3, 0));
}

TEST(OnnxNodeTest, FlippedCoordinates) {
  const std::vector<Box> boxes{from_onnx(1, 1, 0, 0),         from_onnx(0, 0.1F, 1, 1.1F),
                               from_onnx(0, 0.9F, 1, -0.1F),  from_onnx(0, 10, 1, 11),
                               from_onnx(1, 10.1F, 0, 11.1F), from_onnx(1, 101, 0, 100)};
  EXPECT_THAT(as_onnx(boxes, onnx_scores()), ElementsAre(3, 0, 5));
}

TEST(OnnxNodeTest, LimitOutputSize) {
  EXPECT_THAT(as_onnx(onnx_boxes(), onnx_scores(), {0.5F, 0, 2}), ElementsAre(3, 0));
}

TEST(OnnxNodeTest, IouThresholdBoundary) {
  const std::vector<Box> boxes{from_onnx(0, 0, 1, 1), from_onnx(0.5F, 0.5F, 1.5F, 1.5F)};
  const auto iou = static_cast<float>(0.25 / 1.75);
  EXPECT_THAT(as_onnx(boxes, {0.9F, 0.8F}, {iou, 0, 3}), ElementsAre(0, 1));
}

TEST(OnnxNodeTest, SingleBox) {
  EXPECT_THAT(as_onnx({from_onnx(0, 0, 1, 1)}, {0.9F}), ElementsAre(0));
}

TEST(OnnxNodeTest, IdenticalBoxes) {
  EXPECT_THAT(as_onnx(std::vector<Box>(10, from_onnx(0, 0, 1, 1)), std::vector<float>(10, 0.9F)),
              ElementsAre(0));
}

TEST(OnnxNodeTest, CenterPointBoxFormat) {
  std::vector<Box> boxes;
  for (const auto& [x, y] : std::vector<std::pair<float, float>>{
           {0.5F, 0.5F}, {0.5F, 0.6F}, {0.5F, 0.4F}, {0.5F, 10.5F}, {0.5F, 10.6F}, {0.5F, 100.5F}})
    boxes.push_back({x - 0.5F, y - 0.5F, x + 0.5F, y + 0.5F});
  EXPECT_THAT(as_onnx(boxes, onnx_scores()), ElementsAre(3, 0, 5));
}

// TensorFlow: tensorflow/core/kernels/image/non_max_suppression_op_test.cc,
// NonMaxSuppressionV5OpTest. Its boxes and scores are those of the ONNX node tests. TensorFlow's
// sigma of 0.5 is 1 here, because TensorFlow computes exp(-IoU^2 / (2 sigma)). TensorFlow drops
// scores that equal its least score of 0.
TEST(TensorflowOpTest, SelectFromThreeClustersWithSoftNms) {
  nms::NmsOptions options = by_rule(nms::NmsRule::soft, 0.5F);
  options.soft.sigma = 1;
  options.soft.min_score = 1e-6F;
  const NmsAnswer answer = on_cpu(options, NmsCase{"TensorFlow", onnx_boxes(), onnx_scores()});
  EXPECT_THAT(answer.indices, ElementsAre(3, 0, 1, 5, 4, 2));
  EXPECT_THAT(answer.scores,
              Pointwise(FloatNear(1e-2F), {0.95F, 0.9F, 0.384F, 0.3F, 0.256F, 0.197F}));
}

// torchvision: test/test_ops.py, TestNMS. Cases with 8-bit tensors and with wrong shapes are left
// out, because facepipe has no such inputs. The random numbers are different.

// test_nms_ref: 1,000 random boxes, and one box whose IoU with the first box is just above the
// threshold. There are ten seeds. The reference keeps boxes with IoU <= threshold.
class TorchvisionTestNms : public testing::TestWithParam<float> {};

TEST_P(TorchvisionTestNms, EqualsTheReference) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const NmsCase all = torchvision_random(1000, GetParam(), seed);
    EXPECT_EQ(greedy_on_cpu(all, GetParam()), nms_oracle(all.boxes, all.scores, GetParam()));
  }
}

TEST_P(TorchvisionTestNms, TheLastFallsToTheFirstOrTheFirstToIt) {
  const NmsCase all = torchvision_random(1000, GetParam(), 70);
  const NmsCase pair{"", {all.boxes.front(), all.boxes.back()}, {0.5F, 0.4F}};
  EXPECT_THAT(greedy_on_cpu(pair, GetParam()), ElementsAre(0));
}

INSTANTIATE_TEST_SUITE_P(Thresholds, TorchvisionTestNms, testing::Values(0.2F, 0.5F, 0.8F));

// test_nms_float16: of three boxes only one is kept, even if all numbers are rounded to half
// precision.
TEST(TorchvisionTestNmsCases, ThreeBoxes) {
  const NmsCase all{"float32",
                    {{285.3538F, 185.5758F, 1193.5110F, 851.4551F},
                     {285.1472F, 188.7374F, 1192.4984F, 851.0669F},
                     {279.2440F, 197.9812F, 1189.4746F, 849.2019F}},
                    {0.6370F, 0.7569F, 0.3966F}};
  const NmsCase half{
      "float16",
      {{285.25F, 185.625F, 1194, 851.5F}, {285.25F, 188.75F, 1192, 851}, {279.25F, 198, 1189, 849}},
      {0.63720703F, 0.75683594F, 0.39648438F}};
  EXPECT_THAT(greedy_on_cpu(all, 0.2F), ElementsAre(1));
  EXPECT_THAT(greedy_on_cpu(half, 0.2F), ElementsAre(1));
}

// OpenCV: modules/dnn/test/test_nms.cpp. Its boxes, scores and results were made with TensorFlow
// and are in YAML files of opencv_extra; they aren't copied here. Instead, these are random cases
// of the same kind and size with the same thresholds: 38 rectangles in clusters with whole-number
// corners, some with equal scores. The expected results come from the definition. NMSBoxes first
// drops candidates whose scores don't exceed its score threshold; here the test does this.
constexpr unsigned kOpencvSeeds = 20;

NmsCase opencv_case(unsigned seed) { return whole_clusters(38, 600 + seed, 100); }

NmsCase with_scores_above(const NmsCase& all, float least) {
  NmsCase out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all.scores[i] > least) out.add(all.boxes[i], all.scores[i]);
  return out;
}

TEST(OpencvTestNms, Nms) {
  for (unsigned seed = 0; seed < kOpencvSeeds; ++seed) {
    const NmsCase all = with_scores_above(opencv_case(seed), 0.01F);
    EXPECT_EQ(greedy_on_cpu(all, 0.5F), nms_oracle(all.boxes, all.scores, 0.5)) << seed;
  }
}

// OpenCV's sigma is defined like facepipe's. Both are twice TensorFlow's sigma.
nms::NmsOptions opencv_soft() {
  nms::NmsOptions options = by_rule(nms::NmsRule::soft, 0.5F);
  options.soft.sigma = 1;
  options.soft.min_score = 0.01F;
  return options;
}

TEST(OpencvTestNms, SoftNms) {
  for (unsigned seed = 0; seed < kOpencvSeeds; ++seed) {
    const NmsCase all = opencv_case(seed);
    const NmsAnswer answer = on_cpu(opencv_soft(), all);
    EXPECT_EQ(
        wrong_in_soft_nms(opencv_soft(), all.boxes, all.scores, answer.indices, answer.scores), "")
        << seed;
  }
}

TEST(OpencvTestNms, SoftNmsTieGoesToTheLowerIndex) {
  // The second and the third box overlap the first equally, so their scores stay equal.
  const NmsCase all{"", {{0, 0, 10, 10}, {2, 0, 12, 10}, {-2, 0, 8, 10}}, {0.9F, 0.8F, 0.8F}};
  EXPECT_THAT(on_cpu(opencv_soft(), all).indices, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace facepipe::test
