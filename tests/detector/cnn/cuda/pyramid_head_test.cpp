// These tests compare the fused head, which computes the network's last layers itself, with the
// generic head, which follows these layers.
#include "detector/cnn/cuda/pyramid_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "detector/cnn/cuda/preprocess.h"
#include "detector/cnn/model/graph/fuse_stem.h"
#include "detector/cnn/model/graph/onnx_import.h"
#include "detector/cnn/model/graph/passes.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/detector/cnn/cuda/device_network.h"
#include "tests/detector/files.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using graph::Activation;
using graph::ValueId;
using test::GraphBuilder;

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr int kStride = 4;

struct HeadSpec {
  int channels = 24;  ///< of the pyramid step's output, and of the output of the 3x3 convolution
                      ///< behind it
  int coarse = 24;
  int fine = 24;
};

/// Returns the graph of a pyramid step and CenterFace's head with random weights, as in a network
/// with the input size `network`. The graph's input is the coarse map.
graph::Graph head_graph(const Model& model, const HeadSpec& spec, Size network) {
  GraphBuilder builder(spec.coarse, {network.width / kStride / 2, network.height / kStride / 2}, 1);
  ValueId fine = builder.node(graph::Upsample{2}, {builder.input()});
  fine = builder.convolution(fine, {.outputs = spec.fine});
  ValueId x = builder.convolution(fine, {.outputs = spec.channels, .activation = Activation::relu});
  x = builder.transposed(builder.input(), spec.channels, Activation::relu, {x});
  x = builder.convolution(
      x, {.outputs = spec.channels, .kernel = 3, .pad = 1, .activation = Activation::relu});
  std::vector<int> channels;
  int all = 0;
  for (const ModelOutput& output : model.outputs()) {
    channels.push_back(output.channels);
    all += output.channels;
  }
  const std::vector<ValueId> parts =
      builder.split(builder.convolution(x, {.outputs = all}), channels);
  for (std::size_t i = 0; i < parts.size(); ++i)
    builder.output(
        i == 0 ? builder.node(graph::Activate{Activation::sigmoid}, {parts[i]}) : parts[i],
        model.outputs()[i].name);
  return builder.graph();
}

test::Tensor noise(std::size_t count) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> distribution(-1, 1);
  test::Tensor values(count);
  std::generate(values.begin(), values.end(), [&] { return distribution(random); });
  return values;
}

struct Found {
  std::uint32_t count = 0;
  Detections kept;
};

/// Returns the candidates that a head finds in the last values of a network.
Found found_by(const engine::CandidateHead& head, std::byte* activations,
               const cuda::Stream& stream, std::uint32_t capacity) {
  const cuda::DeviceBuffer<std::uint32_t> scratch(head.scratch_words());
  const cuda::DeviceBuffer<Box> boxes(capacity);
  const cuda::DeviceBuffer<float> scores(capacity);
  const cuda::DeviceBuffer<Landmarks> landmarks(capacity);
  const cuda::DeviceBuffer<std::uint32_t> count(1);
  cuda::fill(scratch.span(), 0xff, stream);
  const cuda::DeviceDetections to{boxes.data(), scores.data(), landmarks.data(), count.data(),
                                  capacity};
  head.enqueue(activations, scratch.span(), to, stream);
  Found found;
  found.kept = cuda::download(to, stream);
  cuda::copy(std::span<std::uint32_t>(&found.count, 1), count.span(), stream);
  stream.synchronize();
  return found;
}

/// Runs the network, and then the head.
Found run(test::DeviceNetwork& network, const engine::CandidateHead& head, std::uint32_t capacity) {
  network.run();
  return found_by(head, network.activations(), network.stream(), capacity);
}

engine::HeadKernels generic_head(const Model& model, const NetworkFit& fit,
                                 const test::DeviceNetwork& network, float threshold) {
  return {model.head(), fit, network.network().outputs(), threshold, model.file().string()};
}

constexpr std::uint32_t kRoom = 1 << 16;

/// Runs the fused and the generic head with the same layers and the same input.
class Heads {
 public:
  Heads(const Model& model, const HeadSpec& spec, Size frame)
      : model_(model), fit_(fit_network(frame, {})), graph_(head_graph(model, spec, fit_.network)) {
    const graph::MapShape input = graph_.map(graph_.input);
    input_ = noise(static_cast<std::size_t>(input.channels * input.height * input.width));
  }

  [[nodiscard]] Found generic(float threshold) const {
    test::DeviceNetwork network(graph_);
    network.upload(input_);
    return run(network, generic_head(model_, fit_, network, threshold), kRoom);
  }
  [[nodiscard]] Found fused(float threshold, std::uint32_t capacity = kRoom) const {
    graph::Graph graph = graph_;
    graph::fuse_pyramid(graph, 8 * engine::kMostPyramidTiles);
    const std::optional<graph::HeadTail> tail = graph::cut_head(graph);
    if (!tail || !engine::PyramidHead::fits(model_, *tail)) {
      ADD_FAILURE() << "not fused";
      return {};
    }
    test::DeviceNetwork network(graph);
    network.upload(input_);
    return run(network,
               engine::PyramidHead(model_, fit_, *tail, network.network().place(tail->coarse),
                                   network.network().place(tail->fine), threshold),
               capacity);
  }

 private:
  const Model& model_;
  NetworkFit fit_;
  graph::Graph graph_;
  test::Tensor input_;
};

class CudaPyramidHead : public testing::Test {
 protected:
  Model model_{test::centerface_file()};
};

double worst_of(const Box& a, const Box& b) {
  return std::max(
      {std::abs(a.x1 - b.x1), std::abs(a.y1 - b.y1), std::abs(a.x2 - b.x2), std::abs(a.y2 - b.y2)});
}

double worst_of(const Landmarks& a, const Landmarks& b) {
  double worst = 0;
  for (std::size_t p = 0; p < a.size(); ++p)
    worst = std::max({worst, std::abs(static_cast<double>(a[p].x) - b[p].x),
                      std::abs(static_cast<double>(a[p].y) - b[p].y)});
  return worst;
}

struct Errors {
  double score;
  double pixels;  ///< allowed error of a box's coordinate; that of a landmark also grows with the
                  ///< face
};

/// Expects the same candidates in the same order, except for slivers: narrow rests of faces that
/// are almost completely outside of the frame. Either head may drop a sliver.
void expect_same(const Detections& actual, const Detections& expected, const Errors& most) {
  const auto sliver = [&](const Detections& from, std::size_t i) {
    return std::min(from.boxes[i].width(), from.boxes[i].height()) <= most.pixels;
  };
  std::size_t matched = 0;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < actual.size() && k < expected.size()) {
    const bool same = worst_of(actual.boxes[i], expected.boxes[k]) <= most.pixels &&
                      std::abs(actual.scores[i] - expected.scores[k]) <= most.score;
    if (same) {
      EXPECT_LE(worst_of(actual.landmarks[i++], expected.landmarks[k++]), 4 * most.pixels);
      ++matched;
    } else if (sliver(actual, i)) {
      ++i;
    } else {
      ASSERT_TRUE(sliver(expected, k)) << "candidate " << k << " of " << expected.size();
      ++k;
    }
  }
  EXPECT_GE(static_cast<double>(matched), 0.99 * static_cast<double>(expected.size()));
}

TEST_F(CudaPyramidHead, FindsWhatTheGenericHeadFinds) {
  // The sizes lie around a thread block's area, which is 30 columns and up to 18 rows of cells. The
  // first size is the smallest possible one.
  for (const Size size :
       {Size{32, 32}, Size{64, 32}, Size{128, 96}, Size{96, 288}, Size{320, 64}, Size{480, 160}}) {
    SCOPED_TRACE(testing::Message() << size.width << "x" << size.height);
    const Heads heads(model_, {}, size);
    const Found found = heads.fused(0);
    EXPECT_GT(found.count, static_cast<unsigned>(size.width * size.height) / 32);
    expect_same(found.kept, heads.generic(0).kept, {2e-3, 0.5});
  }
}

TEST_F(CudaPyramidHead, ComputesAnyChannels) {
  for (const int channels : {9, 16, 20, 24, 32})
    for (const int coarse : {8, 40})
      for (const int fine : {16, 24}) {
        SCOPED_TRACE(testing::Message() << channels << " of " << coarse << " and " << fine);
        const Heads heads(model_, {channels, coarse, fine}, {128, 96});
        expect_same(heads.fused(0).kept, heads.generic(0).kept, {2e-3, 0.5});
      }
}

/// Results with different thresholds must be exactly equal: the threshold changes which candidates
/// are stored and where, but not their values.
TEST_F(CudaPyramidHead, KeepsScoresAboveTheThresholdInOrder) {
  const Heads heads(model_, {}, {480, 320});
  const Found all = heads.fused(0);
  ASSERT_GT(all.count, 1000U);
  for (const float threshold : {0.3F, 0.5F, 0.9F, 0.999F, 1.0F}) {
    const Found some = heads.fused(threshold);
    std::size_t at = 0;
    for (std::size_t i = 0; i < all.kept.size(); ++i) {
      if (!(all.kept.scores[i] > threshold)) continue;
      ASSERT_LT(at, some.kept.size());
      ASSERT_EQ(some.kept.scores[at], all.kept.scores[i]);
      ASSERT_EQ(some.kept.boxes[at], all.kept.boxes[i]);
      ASSERT_EQ(some.kept.landmarks[at], all.kept.landmarks[i]);
      ++at;
    }
    EXPECT_EQ(some.count, at) << threshold;
  }
}

TEST_F(CudaPyramidHead, TellsHowManyThereWouldBe) {
  const Heads heads(model_, {}, {480, 320});
  const Found all = heads.fused(0.4F);
  for (const std::uint32_t capacity : {1U, 31U, 500U}) {
    ASSERT_GT(all.count, capacity);
    const Found some = heads.fused(0.4F, capacity);
    EXPECT_EQ(some.count, all.count);
    ASSERT_EQ(some.kept.size(), capacity);
    EXPECT_TRUE(std::equal(some.kept.boxes.begin(), some.kept.boxes.end(), all.kept.boxes.begin()));
  }
}

TEST_F(CudaPyramidHead, RefusesAnotherHead) {
  graph::Graph graph = head_graph(model_, {}, {64, 64});
  graph::fuse_pyramid(graph, 64);
  const std::optional<graph::HeadTail> tail = graph::cut_head(graph);
  ASSERT_TRUE(tail);
  EXPECT_TRUE(engine::PyramidHead::fits(model_, *tail));
  graph::HeadTail narrow = *tail;
  narrow.window.inputs = narrow.window.outputs = 8;
  EXPECT_FALSE(engine::PyramidHead::fits(model_, narrow));
  graph::HeadTail renamed = *tail;
  renamed.parts[0].name = "another";
  EXPECT_FALSE(engine::PyramidHead::fits(model_, renamed));
  EXPECT_THROW(engine::PyramidHead(model_, fit_network({64, 64}, {}), renamed, {}, {}, 0.5F),
               Error);
}

/// Runs the model with fused stem, pyramid and head. All other nodes run one by one. Returns the
/// candidates.
Found found_fused(const Model& model, const graph::Graph& optimised,
                  const engine::PictureSource& picture, const test::DescribedFrame& frame,
                  const cuda::Stream& stream) {
  graph::Graph graph = optimised;
  graph::fuse_stem(graph);
  graph::fuse_pyramid(graph, 8 * engine::kMostPyramidTiles);
  const std::optional<graph::HeadTail> tail = graph::cut_head(graph);
  if (!tail || !engine::PyramidHead::fits(model, *tail)) {
    ADD_FAILURE() << "not fused";
    return {};
  }
  const engine::Network network(graph, engine::Network::Reuse::memory, &picture);
  EXPECT_TRUE(network.reads_picture());
  const cuda::DeviceBuffer<std::byte> activations(network.activation_bytes());
  network.enqueue(activations.data(), stream, frame.descriptor());
  const engine::PyramidHead head(model, picture.fit, *tail, network.place(tail->coarse),
                                 network.place(tail->fine), 0);
  return found_by(head, activations.data(), stream, kRoom);
}

TEST_F(CudaPyramidHead, FindsWithTheModelWhatTheGenericEngineFinds) {
  for (const Size size : {Size{350, 210}, Size{1280, 720}}) {
    const Frame frame = test::make_noise_frame({kNv12, size}, 3);
    const NetworkFit fit = fit_network(frame.upright(), {});
    const engine::PictureSource picture{fit, test::layout_of(frame), model_.channel_order()};
    graph::Graph graph = model_.graph(fit.network);
    graph::optimise(graph, fit.network);
    test::DeviceNetwork generic(graph, engine::Network::Reuse::memory);
    const test::DescribedFrame on_device(frame, generic.stream());
    engine::PreprocessKernel(picture, generic.network().input())
        .enqueue(on_device.descriptor(), generic.activations(), generic.stream());
    const Found expected = run(generic, generic_head(model_, fit, generic, 0), kRoom);
    const Found actual = found_fused(model_, graph, picture, on_device, generic.stream());
    expect_same(actual.kept, expected.kept, {5e-3, 2});
  }
}

}  // namespace
}  // namespace facepipe::detector
