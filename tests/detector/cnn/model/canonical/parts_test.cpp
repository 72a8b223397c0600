// These tests check passes on slices of channels, on pooling, and on the mean and deviation of
// pictures.
#include <gtest/gtest.h>

#include "core/error.h"
#include "detector/cnn/model/canonical/normalisation.h"
#include "detector/cnn/model/canonical/passes.h"
#include "tests/detector/cnn/model/canonical/same_outputs.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

using test::count_of;
using test::expect_same_outputs;
using test::OnnxBuilder;
using test::OnnxValue;
using test::rewritten;
using Integers = std::vector<std::int64_t>;

std::string channels_of(OnnxBuilder& build, const std::string& map, std::int64_t begin,
                        std::int64_t end) {
  return build.node("Slice", {map, build.integers({begin}), build.integers({end}),
                              build.integers({1}), build.integers({1})});
}

TEST(Slices, ThatCoverAllChannelsBecomeOneSplit) {
  for (const std::int64_t opset : {11, 13}) {
    OnnxBuilder build(-1, -1, opset);
    const std::string map = build.convolution(build.picture(), 3, 6, 3);
    // The order of the nodes differs from the order of the channels.
    build.output(channels_of(build, map, -2, INT64_MAX));
    build.output(channels_of(build, map, 0, 3));
    build.output(channels_of(build, map, 3, 4));
    const onnx::ModelProto after = rewritten(build.model(), make_slices_splits);
    EXPECT_EQ(after.graph().node_size(), 2);
    EXPECT_EQ(after.graph().node(1).op_type(), "Split");
    EXPECT_EQ(after.graph().node(1).input_size(), opset < 13 ? 1 : 2);
    expect_same_outputs(build.model(), after);
  }
}

/// Exports of ShuffleNet compute the end of the first half of the channels: (channels + 1) / 2.
TEST(Slices, WhoseEndsAreComputedBecomeASplit) {
  OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 6, 3);
  const std::string one = build.integers({1});
  const std::string count = build.node("Gather", {build.node("Shape", {map}), one}, {{"axis", 0L}});
  const std::string more = build.node("Add", {count, build.integers({1})});
  const std::string half = build.node("Div", {more, build.integers({2})});
  const std::string all = build.node("Mul", {half, build.integers({2})});
  build.output(build.node("Slice", {map, build.integers({0}), half, one}));
  build.output(build.node("Slice", {map, half, all, one}));
  onnx::ModelProto after = rewritten(build.model(), make_slices_splits);
  after = rewritten(after, drop_unread);
  EXPECT_EQ(after.graph().node_size(), 2);
  expect_same_outputs(build.model(), after);
}

TEST(Slices, ThatDontStay) {
  using Ends = std::vector<std::pair<std::int64_t, std::int64_t>>;
  for (const Ends& ends : {Ends{{0, 3}}, Ends{{0, 3}, {2, 6}}, Ends{{0, 3}, {3, 6}, {0, 3}}}) {
    OnnxBuilder build;
    const std::string map = build.convolution(build.picture(), 3, 6);
    for (const auto& [begin, end] : ends) build.output(channels_of(build, map, begin, end));
    const onnx::ModelProto after = rewritten(build.model(), make_slices_splits);
    EXPECT_EQ(count_of(after, "Split"), 0);
    expect_same_outputs(build.model(), after);
  }
}

TEST(Slices, OfRowsStay) {
  OnnxBuilder build;
  build.output(build.node(
      "Slice", {build.picture(), build.integers({0}), build.integers({16}), build.integers({2})}));
  EXPECT_EQ(count_of(rewritten(build.model(), make_slices_splits), "Slice"), 1);
}

TEST(Splits, GetConstantSizes) {
  OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 6);
  for (const std::string& part : build.node_with_outputs("Split", 3, {map}, {{"axis", -3L}}))
    build.output(part);
  const onnx::ModelProto after = rewritten(build.model(), make_slices_splits);
  EXPECT_EQ(after.graph().node(1).input_size(), 2);
  expect_same_outputs(build.model(), after);
}

TEST(Pooling, OfMeansBecomesADepthwiseConvolution) {
  struct Window {
    Integers kernel, strides, pads;
    std::int64_t padding_counts, rounds_up;
  };
  for (const Window& window :
       {Window{{2, 2}, {2, 2}, {0, 0, 0, 0}, 0, 1}, Window{{3, 3}, {1, 1}, {1, 1, 1, 1}, 1, 0},
        Window{{4, 2}, {4, 2}, {0, 0, 0, 0}, 0, 0}}) {
    OnnxBuilder build;
    const std::string map = build.convolution(build.picture(), 3, 4, 3, 2);
    build.output(build.node("AveragePool", {map},
                            {{"kernel_shape", window.kernel},
                             {"strides", window.strides},
                             {"pads", window.pads},
                             {"ceil_mode", window.rounds_up},
                             {"count_include_pad", window.padding_counts}}));
    const onnx::ModelProto after = rewritten(build.model(), simplify_pooling);
    EXPECT_EQ(count_of(after, "AveragePool"), 0);
    expect_same_outputs(build.model(), after);
  }
}

TEST(Pooling, StaysIfNoWeightsCanSayIt) {
  OnnxBuilder build;
  build.output(build.node("AveragePool", {build.picture()},
                          {{"kernel_shape", Integers{3, 3}}, {"pads", Integers{1, 1, 1, 1}}}));
  build.output(build.node("AveragePool", {build.picture()},
                          {{"kernel_shape", Integers{3, 3}},
                           {"strides", Integers{2, 2}},
                           {"pads", Integers{1, 1, 1, 1}},
                           {"ceil_mode", 1L}}));
  EXPECT_EQ(count_of(rewritten(build.model(), simplify_pooling), "AveragePool"), 2);
}

TEST(Pooling, RoundsNothingUpIfThereIsNothingToRound) {
  const auto pooled = [](std::int64_t kernel) {
    OnnxBuilder build;
    const std::string map = build.convolution(build.picture(), 3, 4, 3, 2);
    build.output(build.node("MaxPool", {map},
                            {{"kernel_shape", Integers{kernel, kernel}},
                             {"strides", Integers{2, 2}},
                             {"ceil_mode", 1L}}));
    return build.model();
  };
  const onnx::ModelProto after = rewritten(pooled(2), simplify_pooling);
  EXPECT_EQ(after.graph().node(1).attribute_size(), 2);
  expect_same_outputs(pooled(2), after);
  EXPECT_EQ(rewritten(pooled(3), simplify_pooling).SerializeAsString(),
            pooled(3).SerializeAsString())
      << "a window of 3 reaches over the edge when its places are rounded up";
}

/// Subtracts the means from a picture, and divides the result by the deviations.
OnnxValue normalised(OnnxValue picture, const InputNormalisation& by) {
  const std::size_t plane = picture.numbers.size() / 3;
  for (std::size_t i = 0; i < picture.numbers.size(); ++i)
    picture.numbers[i] =
        (picture.numbers[i] - static_cast<double>(by.mean[i / plane])) / by.deviation[i / plane];
  return picture;
}

/// Compares the outputs of two files, but leaves out `edge` pixels at all edges.
void expect_same_inside(const OnnxValue& actual, const OnnxValue& expected, std::int64_t edge) {
  ASSERT_EQ(actual.dims, expected.dims);
  const std::int64_t rows = actual.dims[2];
  const std::int64_t columns = actual.dims[3];
  for (std::size_t i = 0; i < actual.numbers.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const std::int64_t y = place / columns % rows;
    const std::int64_t x = place % columns;
    if (std::min(y, x) < edge || y >= rows - edge || x >= columns - edge) continue;
    ASSERT_NEAR(actual.numbers[i], expected.numbers[i], 2e-4) << x << "," << y;
  }
}

const InputNormalisation kMeanAndDeviation{{127.5F, 100, 90}, {128, 64, 32}};

TEST(Normalisation, IsAPartOfTheFirstConvolution) {
  const OnnxValue picture = test::noise_picture(32, 64);
  struct Case {
    const char* name;
    int kernel;
    InputNormalisation by;
    std::int64_t edge;  ///< width of the edge that padding changes, in pixels
  };
  for (const Case& c : {Case{"no padding", 1, kMeanAndDeviation, 0},
                        Case{"padding of 0, which is the mean", 3, {{0, 0, 0}, {255, 255, 255}}, 0},
                        Case{"padding that was the mean", 3, kMeanAndDeviation, 1}}) {
    OnnxBuilder build;
    build.output(build.convolution(build.picture(), 3, 4, c.kernel));
    const std::string name = build.model().graph().output(0).name();
    const onnx::ModelProto after =
        rewritten(build.model(), [&](Rewriting& to) { fold_normalisation(to, c.by); });
    SCOPED_TRACE(c.name);
    expect_same_inside(interpret_onnx(after, picture).at(name),
                       interpret_onnx(build.model(), normalised(picture, c.by)).at(name), c.edge);
  }
}

TEST(Normalisation, ReachesAllConvolutionsThatReadThePicture) {
  OnnxBuilder build;
  const std::string weights = build.random_floats({4, 3, 1, 1});  // both convolutions read these
  build.output(build.node("Conv", {build.picture(), weights}));
  build.output(build.node("Conv", {build.picture(), weights, build.random_floats({4})}));
  const onnx::ModelProto after =
      rewritten(build.model(), [&](Rewriting& to) { fold_normalisation(to, kMeanAndDeviation); });
  const OnnxValue picture = test::noise_picture(32, 32);
  const auto actual = interpret_onnx(after, picture);
  const auto expected = interpret_onnx(build.model(), normalised(picture, kMeanAndDeviation));
  for (const auto& output : build.model().graph().output())
    expect_same_inside(actual.at(output.name()), expected.at(output.name()), 0);
}

TEST(Normalisation, OfAPictureThatIsTakenAsItIsChangesNothing) {
  OnnxBuilder build;
  build.output(build.node("Relu", {build.picture()}));
  EXPECT_EQ(rewritten(build.model(), [](Rewriting& to) { fold_normalisation(to, {}); })
                .SerializeAsString(),
            build.model().SerializeAsString());
}

TEST(Normalisation, NeedsAConvolution) {
  const auto fold = [](const OnnxBuilder& build) {
    return [model = build.model()] {
      (void)rewritten(model, [](Rewriting& to) { fold_normalisation(to, kMeanAndDeviation); });
    };
  };
  OnnxBuilder pooled;
  pooled.output(pooled.node("MaxPool", {pooled.picture()}, {{"kernel_shape", Integers{2, 2}}}));
  test::expect_error(ErrorKind::device, "test.onnx: node MaxPool_0 (MaxPool): reads the picture",
                     fold(pooled));
  OnnxBuilder depthwise;
  depthwise.output(depthwise.node(
      "Conv", {depthwise.picture(), depthwise.random_floats({3, 1, 1, 1})}, {{"group", 3L}}));
  test::expect_error(ErrorKind::device, "convolution of three planes", fold(depthwise));
}

}  // namespace
}  // namespace facepipe::detector
