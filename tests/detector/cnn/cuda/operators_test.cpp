// These tests compare every operator of the CUDA engine with the interpreter, with random weights.
#include <gtest/gtest.h>

#include "core/cuda/graph.h"
#include "core/error.h"
#include "detector/cnn/model/graph/passes.h"
#include "tests/detector/cnn/cuda/layers.h"
#include "tests/support/graph_builder.h"

namespace facepipe::detector {
namespace {

using graph::Activation;
using graph::ValueId;
using test::ConvolutionSpec;
using test::DeviceNetwork;
using test::GraphBuilder;

/// Adds a node that reads `value`, so that `value` isn't an output and is stored in halves.
void go_on_with(GraphBuilder& builder, ValueId value) {
  builder.output(builder.node(graph::Add{}, {value, value}));
}

void expect_layers_of(const GraphBuilder& builder, const test::Tensor& input) {
  DeviceNetwork device(builder.graph());
  device.upload(input);
  device.run();
  test::expect_layers(builder.graph(), device);
}

/// Checks one operator, first with an output in halves. If the operator is a convolution, also
/// checks it as the network's last node, with an output in floats.
template <class Add>
void expect_operator(int channels, Size size, unsigned seed, const Add& add) {
  for (const bool last : {false, true}) {
    GraphBuilder builder(channels, size, seed);
    const test::Tensor noise = builder.noise();
    const ValueId result = add(builder, builder.input());
    const bool convolution =
        std::holds_alternative<graph::Convolution>(builder.graph().nodes.back().op);
    if (last && !convolution) return;
    if (last)
      builder.output(result);
    else
      go_on_with(builder, result);
    SCOPED_TRACE(testing::Message() << channels << " channels of " << size.width << "x"
                                    << size.height << (last ? ", floats" : ", halves"));
    expect_layers_of(builder, noise);
  }
}

TEST(CudaOperators, Pointwise) {
  // Some numbers of channels are multiples of 8, 16 or 32, and others aren't. Some are small, and
  // some are large.
  const int channels[][2] = {{8, 8},    {16, 96},  {24, 144}, {144, 24}, {32, 16},  {40, 200},
                             {3, 5},    {1, 1},    {17, 31},  {96, 576}, {960, 24}, {72, 80},
                             {320, 64}, {33, 960}, {64, 64},  {10, 20}};
  unsigned seed = 1;
  for (const auto& [in, out] : channels)
    for (const Size size : {Size{16, 8}, Size{13, 7}, Size{1, 1}, Size{67, 35}})
      expect_operator(in, size, ++seed, [out = out](GraphBuilder& b, ValueId x) {
        return b.convolution(x, {.outputs = out, .activation = Activation::relu});
      });
}

TEST(CudaOperators, PointwiseOfManyPixels) {
  for (const int out : {16, 24, 96, 144})
    expect_operator(24, {322, 161}, 3, [out](GraphBuilder& b, ValueId x) {
      return b.convolution(x, {.outputs = out});
    });
}

TEST(CudaOperators, Windows) {
  unsigned seed = 100;
  for (const int kernel : {1, 2, 3, 5})
    for (const int stride : {1, 2, 3})
      for (const int in : {5, 24, 64})
        for (const Size size : {Size{19, 11}, Size{32, 16}})
          expect_operator(in, size, ++seed, [=](GraphBuilder& b, ValueId x) {
            return b.convolution(x, {.outputs = 20,
                                     .kernel = kernel,
                                     .stride = stride,
                                     .pad = kernel / 2,
                                     .activation = Activation::relu});
          });
}

TEST(CudaOperators, WindowsWithoutSymmetry) {
  GraphBuilder builder(16, {23, 17}, 4);
  graph::Convolution op;
  op.window = {2, 3, 1, 2, 1, 0, 0, 2};
  op.inputs = 16;
  op.outputs = 8;
  for (int i = 0; i < 8 * 16 * 6; ++i)
    op.weights.push_back(0.01F * static_cast<float>(i % 37) - 0.2F);
  op.bias.assign(8, 0.25F);
  const test::Tensor noise = builder.noise();
  go_on_with(builder, builder.node(op, {builder.input()}));
  expect_layers_of(builder, noise);
}

TEST(CudaOperators, Stem) {
  for (const int outputs : {16, 32, 20})
    for (const Size size : {Size{32, 32}, Size{64, 33}, Size{2, 1}, Size{130, 70}}) {
      GraphBuilder builder(3, size, 5);
      test::Tensor picture = builder.noise();
      for (float& value : picture) value = 255 * std::abs(value);
      go_on_with(builder, builder.convolution(builder.input(), {.outputs = outputs,
                                                                .kernel = 3,
                                                                .stride = 2,
                                                                .pad = 1,
                                                                .activation = Activation::relu}));
      DeviceNetwork device(builder.graph());
      EXPECT_TRUE(device.network().input().image);
      expect_layers_of(builder, picture);
    }
}

TEST(CudaOperators, PicturesOfOddWidthAndOtherFirstLayers) {
  expect_operator(3, {33, 20}, 6, [](GraphBuilder& b, ValueId x) {
    return b.convolution(x, {.outputs = 16, .kernel = 3, .stride = 2, .pad = 1});
  });
  expect_operator(3, {32, 20}, 7, [](GraphBuilder& b, ValueId x) {
    return b.convolution(x, {.outputs = 16, .kernel = 3, .stride = 1, .pad = 1});
  });
}

TEST(CudaOperators, Depthwise) {
  unsigned seed = 200;
  for (const int channels : {1, 4, 8, 10, 24, 96, 144})
    for (const int kernel : {1, 3, 5})
      for (const int stride : {1, 2})
        for (const Size size : {Size{1, 1}, Size{5, 3}, Size{24, 16}, Size{37, 29}})
          expect_operator(channels, size, ++seed, [=](GraphBuilder& b, ValueId x) {
            return b.convolution(x, {.kernel = kernel,
                                     .stride = stride,
                                     .pad = kernel / 2,
                                     .depthwise = true,
                                     .activation = Activation::relu});
          });
}

TEST(CudaOperators, DepthwiseOfManyPixels) {
  for (const int stride : {1, 2})
    expect_operator(144, {501, 303}, 9, [stride](GraphBuilder& b, ValueId x) {
      return b.convolution(x, {.kernel = 3, .stride = stride, .pad = 1, .depthwise = true});
    });
}

TEST(CudaOperators, SumsOfResiduals) {
  for (const int kernel : {1, 3})
    for (const bool depthwise : {false, true})
      expect_operator(24, {21, 14}, 8, [=](GraphBuilder& b, ValueId x) {
        const ConvolutionSpec spec{.outputs = 24,
                                   .kernel = kernel,
                                   .pad = kernel / 2,
                                   .depthwise = depthwise,
                                   .activation = Activation::relu};
        return b.convolution(x, spec, {x});
      });
}

TEST(CudaOperators, Transposed) {
  for (const int in : {8, 24, 40})
    for (const int out : {24, 5, 64})
      for (const Size size : {Size{17, 9}, Size{32, 8}})
        for (const bool residual : {false, true})
          expect_operator(in, size, 9, [=](GraphBuilder& b, ValueId x) {
            std::vector<ValueId> add;
            if (residual) add = {b.convolution(b.node(graph::Upsample{2}, {x}), {.outputs = out})};
            return b.transposed(x, out, Activation::relu, add);
          });
}

TEST(CudaOperators, WithoutWeights) {
  for (const int channels : {8, 20})
    for (const Size size : {Size{32, 16}, Size{19, 13}}) {
      const auto expect = [&](auto add) { expect_operator(channels, size, 10, add); };
      expect([](GraphBuilder& b, ValueId x) {
        return b.node(graph::MaxPool{{2, 2, 2, 2, 0, 0, 0, 0}}, {x});
      });
      expect([](GraphBuilder& b, ValueId x) {
        return b.node(graph::MaxPool{{3, 3, 2, 2, 1, 1, 1, 1}}, {x});
      });
      for (const int factor : {1, 2, 3})
        expect([=](GraphBuilder& b, ValueId x) { return b.node(graph::Upsample{factor}, {x}); });
      expect([](GraphBuilder& b, ValueId x) {
        const ValueId up = b.node(graph::Upsample{2}, {x});
        return b.node(graph::Upsample{2}, {x, up});
      });
      for (const Activation function : {Activation::relu, Activation::sigmoid, Activation::silu})
        expect([=](GraphBuilder& b, ValueId x) { return b.node(graph::Activate{function}, {x}); });
      expect([](GraphBuilder& b, ValueId x) { return b.node(graph::Add{}, {x, x}); });
      expect([](GraphBuilder& b, ValueId x) { return b.node(graph::Multiply{}, {x, x}); });
      expect([](GraphBuilder& b, ValueId x) { return b.node(graph::LeakyRelu{0.1F}, {x}); });
    }
}

TEST(CudaOperators, JoinedMaps) {
  for (const int channels : {8, 24, 5, 12})
    for (const Size size : {Size{32, 16}, Size{19, 13}})
      expect_operator(channels, size, 20, [](GraphBuilder& b, ValueId x) {
        const ValueId eight = b.convolution(x, {.outputs = 8});
        const ValueId three = b.convolution(x, {.outputs = 3});
        return b.node(graph::Concat{}, {x, eight, three, x});
      });
}

/// Convolutions write a part of a joined map directly into the map's memory, if they can.
TEST(CudaOperators, JoinedResultsOfConvolutions) {
  for (const Size size : {Size{32, 16}, Size{19, 13}}) {
    GraphBuilder builder(16, size, 23);
    const test::Tensor noise = builder.noise();
    const ValueId first =
        builder.convolution(builder.input(), {.outputs = 16, .activation = Activation::silu});
    const std::vector<ValueId> halves = builder.split(first, {8, 8});
    const ValueId second = builder.convolution(halves[1], {.outputs = 8, .kernel = 3, .pad = 1});
    const ValueId third = builder.convolution(
        second, {.outputs = 8, .kernel = 3, .pad = 1, .depthwise = true}, {halves[1]});
    const ValueId small = builder.convolution(third, {.outputs = 5});
    const ValueId all = builder.node(graph::Concat{}, {first, second, third, small, first});
    go_on_with(builder, builder.convolution(all, {.outputs = 12}));
    DeviceNetwork apart(builder.graph());
    DeviceNetwork shared(builder.graph(), engine::Network::Reuse::memory);
    for (DeviceNetwork* const device : {&apart, &shared}) {
      device->upload(noise);
      device->run();
    }
    test::expect_layers(builder.graph(), apart);
    const ValueId output = builder.graph().outputs[0].value;
    EXPECT_EQ(shared.value(output), apart.value(output));
    const engine::Network& network = apart.network();
    for (const ValueId part : {first, second, third})
      EXPECT_EQ(network.place(part).offset, network.place(all).offset);
    EXPECT_NE(network.place(small).offset, network.place(all).offset);
    EXPECT_EQ(network.place(third).first_channel, 24);
  }
}

TEST(CudaOperators, ShuffledChannels) {
  for (const auto& [channels, groups] : {std::pair{16, 2}, {24, 3}, {12, 4}, {10, 2}, {8, 1}})
    for (const Size size : {Size{32, 16}, Size{19, 13}})
      expect_operator(channels, size, 21, [groups = groups](GraphBuilder& b, ValueId x) {
        return b.node(graph::Shuffle{groups}, {x});
      });
}

/// Many operators read a part of a map from the map's memory.
TEST(CudaOperators, PartsOfAMap) {
  for (const Size size : {Size{32, 16}, Size{19, 13}}) {
    const auto expect = [&](auto add) {
      GraphBuilder builder(24, size, 22);
      const test::Tensor noise = builder.noise();
      const std::vector<ValueId> parts = builder.split(builder.input(), {8, 12, 4});
      go_on_with(builder, add(builder, parts));
      expect_layers_of(builder, noise);
    };
    using Parts = std::vector<ValueId>;
    for (const std::size_t i : {0U, 1U}) {
      expect([=](GraphBuilder& b, const Parts& parts) {
        return b.convolution(parts[i], {.outputs = 16});
      });
      expect([=](GraphBuilder& b, const Parts& parts) {
        return b.convolution(parts[i], {.outputs = 16, .kernel = 3, .stride = 2, .pad = 1});
      });
      expect([=](GraphBuilder& b, const Parts& parts) {
        return b.convolution(parts[i], {.kernel = 3, .pad = 1, .depthwise = true});
      });
      expect([=](GraphBuilder& b, const Parts& parts) {
        return b.node(graph::Activate{Activation::silu}, {parts[i]});
      });
      expect([=](GraphBuilder& b, const Parts& parts) {
        return b.node(graph::Multiply{}, {parts[i], parts[i]});
      });
    }
    expect([](GraphBuilder& b, const Parts& parts) {
      const ValueId x = b.convolution(parts[0], {.outputs = 12});
      return b.convolution(x, {.outputs = 12, .activation = Activation::silu}, {parts[1]});
    });
    // Concat accepts parts that begin at any channel.
    expect([](GraphBuilder& b, const Parts& parts) {
      return b.node(graph::Concat{}, {parts[2], parts[1], parts[0]});
    });
  }
}

TEST(CudaOperators, SigmoidAndSiluOfAConvolution) {
  for (const Activation activation : {Activation::sigmoid, Activation::silu}) {
    expect_operator(16, {15, 10}, 11, [=](GraphBuilder& b, ValueId x) {
      return b.convolution(x, {.outputs = 9, .activation = activation});
    });
    expect_operator(16, {15, 10}, 11, [=](GraphBuilder& b, ValueId x) {
      return b.convolution(x, {.kernel = 3, .pad = 1, .depthwise = true, .activation = activation});
    });
  }
}

TEST(CudaOperators, LargeValuesStayFinite) {
  GraphBuilder builder(8, {8, 8}, 12);
  test::Tensor input = builder.noise();
  for (float& value : input) value *= 60000;
  ValueId x = builder.convolution(builder.input(), {.outputs = 8});
  x = builder.convolution(x, {.outputs = 8});
  go_on_with(builder, builder.node(graph::Add{}, {x, x}));
  DeviceNetwork device(builder.graph());
  device.upload(input);
  device.run();
  for (const float value : device.value(builder.graph().outputs[0].value))
    ASSERT_TRUE(std::isfinite(value));
}

/// Builds a network with several heads at each of two levels: heads like YuNet's, and heads like
/// CenterFace's. graph::optimise() merges the heads of a level.
GraphBuilder headed_builder() {
  GraphBuilder builder(3, {64, 32}, 13);
  const ValueId stem = builder.convolution(
      builder.input(),
      {.outputs = 16, .kernel = 3, .stride = 2, .pad = 1, .activation = Activation::relu});
  for (const int channels : {1, 2, 10}) {
    const ValueId first = builder.convolution(stem, {.outputs = channels});
    const ValueId second = builder.convolution(first, {.kernel = 3, .pad = 1, .depthwise = true});
    builder.output(channels == 1 ? builder.node(graph::Activate{Activation::sigmoid}, {second})
                                 : second);
  }
  const ValueId low = builder.node(graph::MaxPool{{2, 2, 2, 2, 0, 0, 0, 0}}, {stem});
  const ValueId heat = builder.convolution(low, {.outputs = 1});
  builder.output(builder.node(graph::Activate{Activation::sigmoid}, {heat}));
  builder.output(builder.convolution(low, {.outputs = 4}));
  return builder;
}

TEST(CudaNetwork, ComputesMergedHeads) {
  GraphBuilder builder = headed_builder();
  graph::Graph graph = builder.graph();
  graph::optimise(graph, builder.size());
  DeviceNetwork device(graph);
  device.upload(builder.noise());
  device.run();
  test::expect_layers(graph, device);
  for (const engine::NetworkOutput& output : device.network().outputs())
    EXPECT_EQ(output.place.element, engine::Element::f32);
}

TEST(CudaNetwork, SharesMemoryWithoutLoss) {
  GraphBuilder builder = headed_builder();
  graph::Graph graph = builder.graph();
  graph::optimise(graph, builder.size());
  DeviceNetwork apart(graph);
  DeviceNetwork shared(graph, engine::Network::Reuse::memory);
  EXPECT_LT(shared.network().activation_bytes(), apart.network().activation_bytes());
  const test::Tensor noise = builder.noise();
  for (DeviceNetwork* const device : {&apart, &shared}) {
    device->upload(noise);
    device->run();
  }
  for (const graph::Output& output : graph.outputs)
    EXPECT_EQ(shared.value(output.value), apart.value(output.value)) << output.name;
}

TEST(CudaNetwork, IsTheSameInEveryReplay) {
  GraphBuilder builder = headed_builder();
  DeviceNetwork device(builder.graph());
  device.upload(builder.noise());
  const cuda::GraphExec exec(cuda::capture(
      device.stream(), [&] { device.network().enqueue(device.activations(), device.stream()); }));
  std::vector<test::Tensor> first;
  for (int replay = 0; replay < 100; ++replay) {
    exec.launch(device.stream());
    for (std::size_t i = 0; i < builder.graph().outputs.size(); ++i) {
      test::Tensor output = device.value(builder.graph().outputs[i].value);
      if (replay == 0) first.push_back(output);
      ASSERT_EQ(output, first[i]) << replay;
    }
  }
}

void expect_refused(const GraphBuilder& builder, const std::string& reason) {
  try {
    const engine::Network network(builder.graph());
    ADD_FAILURE() << "accepted: " << reason;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_NE(std::string(error.what()).find("model built: node node0"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("--device cpu computes it"), std::string::npos)
        << error.what();
  }
}

TEST(CudaNetwork, NamesTheNodeThatItCanNotCompute) {
  GraphBuilder grouped(8, {8, 8}, 14);
  graph::Convolution op;
  op.inputs = op.outputs = 8;
  op.groups = 2;
  op.weights.assign(32, 0.5F);
  op.bias.assign(8, 0);
  grouped.output(grouped.node(op, {grouped.input()}));
  expect_refused(grouped, "two groups");
  GraphBuilder transposed(8, {8, 8}, 15);
  transposed.output(transposed.node(graph::Transpose{{0, 2, 3, 1}}, {transposed.input()}));
  expect_refused(transposed, "an order that no output takes away");
  GraphBuilder tripled(8, {8, 8}, 16);
  graph::TransposedConvolution triple;
  triple.factor = 3;
  triple.inputs = triple.outputs = 8;
  triple.weights.assign(8 * 8 * 9, 0.5F);
  triple.bias.assign(8, 0);
  tripled.output(tripled.node(triple, {tripled.input()}));
  expect_refused(tripled, "a factor of three");
}

}  // namespace
}  // namespace facepipe::detector
