// These tests compare the imported graph with OpenCV's engine, and check that files with wrong
// contents are refused.
#include "detector/cnn/model/graph/onnx_import.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cmath>
#include <functional>
#include <span>

#include "core/error.h"
#include "detector/cnn/cpu/engine.h"
#include "detector/cnn/model/graph/passes.h"
#include "tests/detector/golden.h"
#include "tests/support/expect_error.h"
#include "tests/support/graph_interpreter.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/onnx_interpreter.h"

namespace facepipe::detector::graph {
namespace {

constexpr Size kNetwork{96, 64};

Graph import_model(const Model& model, Size network) { return model.graph(network); }

void expect_near(const std::vector<float>& actual, std::span<const float> expected,
                 const std::string& name) {
  ASSERT_EQ(actual.size(), expected.size()) << name;
  double worst = 0;
  for (std::size_t i = 0; i < actual.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(actual[i]) - expected[i]) /
                                (1 + std::abs(static_cast<double>(expected[i]))));
  EXPECT_LE(worst, 5e-4) << name;
}

/// Compares the imported graph and its optimised form with OpenCV, on a picture of noise.
void expect_as_opencv(const std::filesystem::path& file) {
  const Model model(file);
  const auto inference =
      make_engine(Library::opencv, model, kNetwork, {Precision::f32, 2, 1})->make_inference();
  test::fill_pattern(inference->input(), kNetwork);
  inference->start();
  inference->wait();
  const test::Tensor input(inference->input().begin(), inference->input().end());
  Graph graph = import_model(model, kNetwork);
  for (const bool optimised : {false, true}) {
    if (optimised)
      optimise(graph, kNetwork);
    else
      infer_shapes(graph, kNetwork);
    const std::vector<test::Tensor> outputs = test::interpret_outputs(graph, input);
    for (std::size_t i = 0; i < model.outputs().size(); ++i)
      for (std::size_t o = 0; o < outputs.size(); ++o)
        if (graph.outputs[o].name == model.outputs()[i].name)
          expect_near(outputs[o], inference->output(i), graph.outputs[o].name);
  }
}

TEST(OnnxImport, OfCenterfaceComputesWhatOpencvComputes) {
  expect_as_opencv(test::centerface_file());
}

TEST(OnnxImport, OfYunetComputesWhatOpencvComputes) {
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  expect_as_opencv(test::yunet_file());
}

TEST(OnnxImport, LeavesFewNodesOfTheModels) {
  Graph centerface = import_model(Model(test::centerface_file()), kNetwork);
  optimise(centerface, kNetwork);
  EXPECT_EQ(centerface.nodes.size(), 61U);  // the file has 122 nodes
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  Graph yunet = import_model(Model(test::yunet_file()), kNetwork);
  optimise(yunet, kNetwork);
  EXPECT_EQ(yunet.nodes.size(), 56U);
}

/// Returns the model input -> Conv 3x3 with 2 channels -> output.
onnx::ModelProto small_model() {
  onnx::ModelProto model;
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.add_input()->set_name("in");
  graph.add_output()->set_name("out");
  onnx::TensorProto& weights = *graph.add_initializer();
  weights.set_name("weights");
  weights.set_data_type(onnx::TensorProto::FLOAT);
  for (const int extent : {2, 3, 3, 3}) weights.add_dims(extent);
  for (int i = 0; i < 54; ++i) weights.add_float_data(0.5F);
  onnx::NodeProto& node = *graph.add_node();
  node.set_name("conv1");
  node.set_op_type("Conv");
  node.add_input("in");
  node.add_input("weights");
  node.add_output("out");
  return model;
}

void add_ints(onnx::NodeProto& node, const char* name, std::initializer_list<int> values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const int value : values) attribute.add_ints(value);
}

void add_int(onnx::NodeProto& node, const char* name, int value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

TEST(OnnxImport, ReadsASmallModel) {
  Graph graph = import_onnx(small_model().SerializeAsString(), "small.onnx");
  infer_shapes(graph, {8, 6});
  EXPECT_EQ(graph.map(graph.outputs.at(0).value), (MapShape{2, 4, 6}));
  EXPECT_EQ(graph.nodes.at(0).name, "conv1");
}

/// Returns a network with the operators that CenterFace and YuNet don't have.
test::OnnxBuilder network_of_other_operators() {
  test::OnnxBuilder build;
  const std::string map = build.convolution(build.picture(), 3, 6, 3, 2);
  const std::string silu = build.node("Mul", {map, build.node("Sigmoid", {map})});
  const auto parts = build.node_with_outputs("Split", 2, {silu, build.integers({2, 4})},
                                             {{"axis", std::int64_t{1}}});
  const std::string leaky = build.node("LeakyRelu", {parts[1]}, {{"alpha", 0.25F}});
  build.output(build.node("Concat", {leaky, parts[0], map}, {{"axis", std::int64_t{1}}}));
  build.output(parts[0]);
  return build;
}

TEST(OnnxImport, OfOtherOperatorsComputesWhatOnnxSays) {
  const test::OnnxBuilder build = network_of_other_operators();
  Graph graph = import_onnx(build.model().SerializeAsString(), "test.onnx");
  infer_shapes(graph, {16, 8});
  EXPECT_EQ(graph.map(graph.outputs[0].value), (MapShape{12, 4, 8}));
  const test::OnnxValue picture = test::noise_picture(8, 16);
  const auto expected = interpret_onnx(build.model(), picture);
  const auto outputs =
      test::interpret_outputs(graph, test::Tensor(picture.numbers.begin(), picture.numbers.end()));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<double>& numbers = expected.at(graph.outputs[i].name).numbers;
    expect_near(outputs[i], std::vector<float>(numbers.begin(), numbers.end()),
                graph.outputs[i].name);
  }
}

struct Damage {
  const char* reason;
  std::function<void(onnx::GraphProto&)> apply;
};

onnx::NodeProto& conv(onnx::GraphProto& graph) { return *graph.mutable_node(0); }
onnx::TensorProto& weights(onnx::GraphProto& graph) { return *graph.mutable_initializer(0); }

const Damage kDamages[] = {
    {"an operator that nobody knows", [](onnx::GraphProto& g) { conv(g).set_op_type("Einsum"); }},
    {"an operator of another domain",
     [](onnx::GraphProto& g) { conv(g).set_domain("com.example"); }},
    {"an attribute that nobody knows",
     [](onnx::GraphProto& g) { add_int(conv(g), "sparsity", 1); }},
    {"dilation",
     [](onnx::GraphProto& g) {
       add_ints(conv(g), "dilations", {2, 2});
     }},
    {"an attribute of another type", [](onnx::GraphProto& g) { add_int(conv(g), "pads", 1); }},
    {"three strides",
     [](onnx::GraphProto& g) {
       add_ints(conv(g), "strides", {1, 1, 1});
     }},
    {"stride 0",
     [](onnx::GraphProto& g) {
       add_ints(conv(g), "strides", {0, 1});
     }},
    {"negative padding",
     [](onnx::GraphProto& g) {
       add_ints(conv(g), "pads", {-1, 0, 0, 0});
     }},
    {"padding as large as the kernel",
     [](onnx::GraphProto& g) {
       add_ints(conv(g), "pads", {3, 3, 3, 3});
     }},
    {"a kernel that is not the weights'",
     [](onnx::GraphProto& g) {
       add_ints(conv(g), "kernel_shape", {1, 1});
     }},
    {"groups that don't divide the outputs",
     [](onnx::GraphProto& g) { add_int(conv(g), "group", 3); }},
    {"no groups", [](onnx::GraphProto& g) { add_int(conv(g), "group", 0); }},
    {"weights of doubles",
     [](onnx::GraphProto& g) { weights(g).set_data_type(onnx::TensorProto::DOUBLE); }},
    {"fewer weights than promised", [](onnx::GraphProto& g) { weights(g).set_dims(0, 3); }},
    {"weights without end",
     [](onnx::GraphProto& g) {
       for (int i = 0; i < 4; ++i) weights(g).set_dims(i, std::int64_t{1} << 40);
     }},
    {"a negative extent", [](onnx::GraphProto& g) { weights(g).set_dims(0, -2); }},
    {"weights of two dimensions",
     [](onnx::GraphProto& g) { weights(g).mutable_dims()->Truncate(2); }},
    {"weights that nobody holds", [](onnx::GraphProto& g) { conv(g).set_input(1, "nowhere"); }},
    {"an input from nowhere", [](onnx::GraphProto& g) { conv(g).set_input(0, "later"); }},
    {"an output that is its input", [](onnx::GraphProto& g) { conv(g).set_output(0, "in"); }},
    {"an output that nobody computes",
     [](onnx::GraphProto& g) { g.mutable_output(0)->set_name("missing"); }},
    {"two inputs", [](onnx::GraphProto& g) { g.add_input()->set_name("another"); }},
    {"no input", [](onnx::GraphProto& g) { g.clear_input(); }},
    {"a convolution without weights",
     [](onnx::GraphProto& g) { conv(g).mutable_input()->RemoveLast(); }},
};

TEST(OnnxImport, RefusesFilesThatLie) {
  for (const Damage& damage : kDamages) {
    onnx::ModelProto model = small_model();
    damage.apply(*model.mutable_graph());
    try {
      (void)import_onnx(model.SerializeAsString(), "bad.onnx");
      ADD_FAILURE() << "accepted " << damage.reason;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_NE(std::string(error.what()).find("bad.onnx"), std::string::npos) << error.what();
    }
  }
}

onnx::NodeProto& node_of(onnx::GraphProto& graph, const char* type) {
  for (onnx::NodeProto& node : *graph.mutable_node())
    if (node.op_type() == type) return node;
  throw std::runtime_error(type);
}

const Damage kOtherDamages[] = {
    {"(Concat): joins values that don't fit",
     [](onnx::GraphProto& g) { node_of(g, "Concat").mutable_attribute(0)->set_i(2); }},
    {"has 0 inputs", [](onnx::GraphProto& g) { node_of(g, "Concat").clear_input(); }},
    {"has 300 inputs",
     [](onnx::GraphProto& g) {
       while (node_of(g, "Concat").input_size() < 300) node_of(g, "Concat").add_input("Conv_2");
     }},
    {"joins 1x6x4x8 and 1x3x8x16",
     [](onnx::GraphProto& g) { node_of(g, "Concat").set_input(2, "picture"); }},
    {"(Split): has parts that don't fit",
     [](onnx::GraphProto& g) { node_of(g, "Split").clear_attribute(); }},
    {"needs the size of each part",
     [](onnx::GraphProto& g) { node_of(g, "Split").mutable_input()->RemoveLast(); }},
    {"needs the size of each part",
     [](onnx::GraphProto& g) { node_of(g, "Split").add_output("more"); }},
    {"has too many outputs, or none",
     [](onnx::GraphProto& g) { node_of(g, "Split").clear_output(); }},
    {"its output has no name, or the name of another value",
     [](onnx::GraphProto& g) { node_of(g, "Split").set_output(1, "Conv_2"); }},
    {"a part of an impossible size",
     [](onnx::GraphProto& g) {
       g.mutable_initializer(g.initializer_size() - 1)->set_int64_data(0, -2);
     }},
    {"its weights are for 5 channels, its input is 1x6x4x8",
     [](onnx::GraphProto& g) {
       g.mutable_initializer(g.initializer_size() - 1)->set_int64_data(0, 1);
     }},
    {"multiplies 1x6x4x8 by 1x3x8x16",
     [](onnx::GraphProto& g) { node_of(g, "Mul").set_input(1, "picture"); }},
    {"has 1 inputs", [](onnx::GraphProto& g) { node_of(g, "Mul").mutable_input()->RemoveLast(); }},
    {"attribute beta is not supported",
     [](onnx::GraphProto& g) { add_int(node_of(g, "LeakyRelu"), "beta", 1); }},
};

TEST(OnnxImport, RefusesOtherOperatorsThatLie) {
  for (const Damage& damage : kOtherDamages)
    test::expect_error(ErrorKind::device, damage.reason, [&] {
      onnx::ModelProto model = network_of_other_operators().model();
      damage.apply(*model.mutable_graph());
      Graph graph = import_onnx(model.SerializeAsString(), "bad.onnx");
      infer_shapes(graph, {16, 8});
    });
}

TEST(OnnxImport, NamesFileNodeAndOperator) {
  onnx::ModelProto model = small_model();
  conv(*model.mutable_graph()).set_op_type("Einsum");
  try {
    (void)import_onnx(model.SerializeAsString(), "bad.onnx");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "model bad.onnx: node conv1 (Einsum): this operator is not supported");
  }
}

}  // namespace
}  // namespace facepipe::detector::graph
