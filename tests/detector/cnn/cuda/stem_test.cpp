// These tests compare the stem's kernels with the interpreter. Inputs are a preprocessed picture or
// a frame.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "detector/cnn/cuda/preprocess.h"
#include "detector/cnn/model/graph/fuse_stem.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/detector/cnn/cuda/fused.h"
#include "tests/support/expect_error.h"
#include "tests/support/graph_builder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using graph::Activation;
using graph::ValueId;
using test::DeviceNetwork;
using test::GraphBuilder;

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr PixelFormat kP010{true, 1, 1, 10, 6, true};
constexpr PixelFormat kP016{true, 1, 1, 16, 0, true};

/// Describes a stem: the channels of the first layer, and those of the block behind it.
struct StemSpec {
  int channels = 32;
  int outputs = 16;  ///< 0: there is no block
  Activation last = Activation::none;
};

/// Returns the graph of a fused stem. Another node reads the stem's output.
graph::Graph stem_graph(const StemSpec& spec, Size size, unsigned seed) {
  GraphBuilder builder(3, size, seed);
  const bool block = spec.outputs > 0;
  ValueId x =
      builder.convolution(builder.input(), {.outputs = spec.channels,
                                            .kernel = 3,
                                            .stride = 2,
                                            .pad = 1,
                                            .activation = block ? Activation::relu : spec.last});
  if (block) {
    x = builder.convolution(
        x, {.kernel = 3, .pad = 1, .depthwise = true, .activation = Activation::relu});
    x = builder.convolution(x, {.outputs = spec.outputs, .activation = spec.last});
  }
  builder.output(builder.node(graph::Add{}, {x, x}));
  graph::Graph graph = builder.graph();
  graph::fuse_stem(graph);
  graph::infer_shapes(graph, size);
  EXPECT_EQ(std::get<graph::Stem>(graph.nodes[0].op).layers.size(), block ? 3U : 1U);
  return graph;
}

test::Tensor random_picture(Size size, unsigned seed) {
  std::mt19937 random(seed);
  test::Tensor picture(3U * static_cast<std::size_t>(size.width) *
                       static_cast<std::size_t>(size.height));
  for (float& value : picture) value = static_cast<float>(random() % 256);
  return picture;
}

void expect_stem_of(const StemSpec& spec, Size size, const test::Tensor& picture) {
  SCOPED_TRACE(testing::Message() << spec.channels << " to " << spec.outputs << " channels, "
                                  << size.width << "x" << size.height);
  const graph::Graph graph = stem_graph(spec, size, 1);
  DeviceNetwork device(graph);
  device.upload(picture);
  device.run();
  test::expect_fused(graph, graph.nodes[0], device);
}

TEST(CudaStem, ComputesAnyChannels) {
  for (const int channels : {5, 8, 16, 24, 32})
    for (const int outputs : {0, 3, 8, 16, 24, 40, 64})
      expect_stem_of({channels, outputs}, {70, 42}, random_picture({70, 42}, 2));
  for (const int channels : {40, 64, 100})
    expect_stem_of({channels, 0}, {70, 42}, random_picture({70, 42}, 2));
}

TEST(CudaStem, ComputesAnySize) {
  // The sizes lie around a thread block's areas of 60x32 and 64x32 pixels. Some sizes are odd, and
  // some are as small as possible.
  for (const Size size : {Size{1, 1}, Size{2, 2}, Size{3, 1}, Size{1, 5}, Size{7, 3}, Size{59, 31},
                          Size{60, 32}, Size{61, 33}, Size{62, 34}, Size{64, 32}, Size{65, 30},
                          Size{121, 65}, Size{160, 128}, Size{193, 7}, Size{9, 201}})
    for (const int outputs : {0, 16}) expect_stem_of({32, outputs}, size, random_picture(size, 3));
}

TEST(CudaStem, ComputesBothActivations) {
  for (const Activation last : {Activation::none, Activation::relu})
    for (const int outputs : {0, 16})
      expect_stem_of({32, outputs, last}, {70, 42}, random_picture({70, 42}, 4));
}

/// The picture is white, so errors in the padding of the picture or of the first layer's map would
/// be visible.
TEST(CudaStem, PadsWithZeros) {
  for (const Size size : {Size{64, 48}, Size{63, 47}}) {
    const test::Tensor white(
        3U * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height), 255.0F);
    expect_stem_of({32, 16}, size, white);
    expect_stem_of({16, 0}, size, white);
  }
}

/// Returns the network's input that the generic kernel makes of a frame.
test::Tensor preprocessed(const engine::PictureSource& picture, const test::DescribedFrame& frame,
                          const cuda::Stream& stream) {
  engine::Placement place;
  place.shape = {3, picture.fit.network.height, picture.fit.network.width};
  place.image = true;
  place.pitch = engine::Placement::kImagePitch;
  const cuda::DeviceBuffer<std::byte> memory(place.bytes());
  engine::PreprocessKernel(picture, place).enqueue(frame.descriptor(), memory.data(), stream);
  return test::download(place, memory.data(), stream);
}

/// Expects that the stem computes the same values from a frame as from preprocessed pixels.
void expect_reads(const Frame& frame, ChannelOrder order = ChannelOrder::rgb, int outputs = 16) {
  const cuda::Stream stream;
  const test::DescribedFrame on_device(frame, stream);
  const engine::PictureSource picture{fit_network(frame.upright(), {}), test::layout_of(frame),
                                      order};
  const graph::Graph graph = stem_graph({32, outputs}, picture.fit.network, 5);
  const engine::Network network(graph, engine::Network::Reuse::nothing, &picture);
  ASSERT_TRUE(network.reads_picture());
  const cuda::DeviceBuffer<std::byte> activations(network.activation_bytes());
  cuda::fill(activations.span(), 0xff, stream);
  network.enqueue(activations.data(), stream, on_device.descriptor());
  const graph::Node& stem = graph.nodes[0];
  const test::Tensor actual =
      test::download(network.place(stem.outputs[0]), activations.data(), stream);
  const test::Tensor input = preprocessed(picture, on_device, stream);
  const test::Tensor expected = test::interpret_node(graph, stem, {&input})[0];
  test::expect_close(actual, expected);
}

TEST(CudaStem, ReadsFramesOfAnyFormatAndSize) {
  for (const PixelFormat& format : {kNv12, kP010, kP016})
    for (const Size size :
         {Size{64, 48}, Size{50, 34}, Size{37, 23}, Size{96, 33}, Size{1, 1}, Size{201, 131}})
      for (const bool full_range : {false, true}) {
        test::FrameSpec spec{format, size};
        spec.color.full_range = full_range;
        SCOPED_TRACE(testing::Message() << format.bits << " bits, " << size.width << "x"
                                        << size.height << " full " << full_range);
        expect_reads(test::make_noise_frame(spec, 6));
        expect_reads(test::make_noise_frame(spec, 6), ChannelOrder::rgb, 0);
      }
}

TEST(CudaStem, ReadsFramesOfAnyMatrix) {
  for (const int matrix : {0, 1, 4, 5, 6, 7, 9, 10})
    for (const bool full_range : {false, true}) {
      test::FrameSpec spec{kNv12, {96, 64}};
      spec.color.matrix = matrix;
      spec.color.full_range = full_range;
      SCOPED_TRACE(testing::Message() << "matrix " << matrix << " full " << full_range);
      expect_reads(test::make_noise_frame(spec, 7));
    }
}

/// Every luma occurs together with the smallest and the largest chroma, which give the values that
/// need clamping.
TEST(CudaStem, ClampsColours) {
  for (const unsigned u : {0U, 128U, 255U})
    for (const unsigned v : {0U, 128U, 255U})
      for (const int matrix : {1, 6, 9}) {
        test::FrameSpec spec{kNv12, {64, 32}};
        spec.color.matrix = matrix;
        Frame frame = test::make_noise_frame(spec, 8);
        for (int y = 0; y < 16; ++y)
          for (int x = 0; x < 32; ++x) {
            test::set_raw_sample(frame, 1, 2 * x, y, u);
            test::set_raw_sample(frame, 1, 2 * x + 1, y, v);
          }
        for (int y = 0; y < 32; ++y)
          for (int x = 0; x < 64; ++x)
            test::set_raw_sample(frame, 0, x, y, static_cast<unsigned>(y * 64 + x) % 256);
        expect_reads(frame);
      }
}

TEST(CudaStem, ReadsTurnedFrames) {
  for (const PixelFormat& format : {kNv12, kP010})
    for (const Orientation orientation : test::all_orientations())
      for (const Size size : {Size{70, 46}, Size{69, 47}}) {
        SCOPED_TRACE(testing::Message()
                     << orientation.quarter_turns << " " << orientation.mirrored);
        expect_reads(test::make_noise_frame({format, size, orientation}, 9));
      }
}

TEST(CudaStem, ReadsFramesForBothOrdersOfChannels) {
  const Frame frame = test::make_noise_frame({kNv12, {96, 64}}, 10);
  expect_reads(frame, ChannelOrder::bgr);
  expect_reads(frame, ChannelOrder::bgr, 0);
}

TEST(CudaStem, TakesScaledPicturesPrepared) {
  const Frame frame = test::make_noise_frame({kNv12, {96, 64}}, 11);
  const engine::PictureSource picture{fit_network(frame.upright(), Size{48, 48}),
                                      test::layout_of(frame), ChannelOrder::rgb};
  const engine::Network network(stem_graph({32, 16}, picture.fit.network, 12),
                                engine::Network::Reuse::memory, &picture);
  EXPECT_FALSE(network.reads_picture());
}

TEST(CudaStem, RefusesAFrameThatIsNone) {
  const Frame frame = test::make_noise_frame({kNv12, {96, 64}}, 13);
  const engine::PictureSource picture{fit_network(frame.upright(), {}), test::layout_of(frame),
                                      ChannelOrder::rgb};
  const engine::Network network(stem_graph({32, 16}, picture.fit.network, 14),
                                engine::Network::Reuse::memory, &picture);
  const cuda::Stream stream;
  const cuda::DeviceBuffer<std::byte> activations(network.activation_bytes());
  test::expect_error(ErrorKind::internal, "the frame is null",
                     [&] { network.enqueue(activations.data(), stream); });
}

}  // namespace
}  // namespace facepipe::detector
