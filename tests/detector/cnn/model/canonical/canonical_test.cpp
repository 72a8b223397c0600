// These tests make the canonical form of a small SCRFD, and of files with wrong contents.
#include "detector/cnn/model/canonical/canonical.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/error.h"
#include "detector/cnn/model/graph/onnx_check.h"
#include "tests/detector/cnn/model/canonical/same_outputs.h"
#include "tests/support/expect_error.h"
#include "tests/support/half_weights.h"
#include "tests/support/small_exports.h"
#include "tests/support/small_yolo.h"

namespace facepipe::detector {
namespace {

using test::count_of;
using test::OnnxBuilder;
using test::small_scrfd;
using Integers = std::vector<std::int64_t>;

constexpr Size kTrial{128, 64};

TEST(Canonical, FormOfAScrfdHasFewOperatorsForEveryPicture) {
  onnx::ModelProto model = small_scrfd().model();
  const std::vector<LastMap> maps =
      make_canonical(model, "test.onnx",
                     {Tail::arrangement_cut, {{127.5F, 127.5F, 127.5F}, {128, 128, 128}}})
          .maps;
  ASSERT_EQ(maps.size(), 9U);
  EXPECT_EQ(count_of(model, "Conv") + count_of(model, "Relu") + count_of(model, "Add") +
                count_of(model, "Resize"),
            model.graph().node_size());
  const graph::Graph graph = graph::check_onnx(model, "test.onnx", kTrial);
  const int strides[] = {8, 16, 32};
  const int channels[] = {2, 8, 20};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const graph::MapShape expected{channels[i / 3], kTrial.height / strides[i % 3],
                                   kTrial.width / strides[i % 3]};
    EXPECT_EQ(graph.map(graph.outputs.at(i).value), expected) << maps[i].name;
    EXPECT_EQ(maps[i].values, channels[i / 3] / 2);
  }
}

TEST(Canonical, FormKeepsTheOutputsOfAFileWhoseTailIsKept) {
  const OnnxBuilder build = small_scrfd();
  onnx::ModelProto model = build.model();
  EXPECT_TRUE(make_canonical(model, "test.onnx", {}).maps.empty());
  test::expect_same_outputs(build.model(), model, {{64, 64}});
}

TEST(Canonical, FormOfACanonicalFileIsTheSame) {
  onnx::ModelProto once = small_scrfd().model();
  (void)make_canonical(once, "test.onnx", {Tail::arrangement_cut, {}});
  onnx::ModelProto twice = once;
  (void)make_canonical(twice, "test.onnx", {});
  ASSERT_EQ(once.graph().node_size(), twice.graph().node_size());
  for (int n = 0; n < once.graph().node_size(); ++n)
    EXPECT_EQ(once.graph().node(n).op_type(), twice.graph().node(n).op_type());
}

TEST(Canonical, FormOfAttentionIsValidForEveryPicture) {
  onnx::ModelProto model = test::small_attention(64, 64).model();
  const CanonicalForm form = make_canonical(model, "test.onnx", {});
  EXPECT_EQ(form.lists.size(), 2U);
  for (const Size size : {Size{64, 64}, Size{160, 96}}) {
    SCOPED_TRACE(to_string(size));
    write_sized_lists(model, form.lists, size, "test.onnx");
    const onnx::ModelProto expected = test::small_attention(size.height, size.width).model();
    const auto picture = test::noise_picture(size.height, size.width);
    const auto at_end = [&](const onnx::ModelProto& file) {
      return interpret_onnx(file, picture).at(file.graph().output(0).name());
    };
    test::expect_near(at_end(model), at_end(expected), "attention");
    onnx::ModelProto checked = model;
    const graph::Graph graph = graph::check_onnx(checked, "test.onnx", size);
    EXPECT_EQ(graph.map(graph.outputs.at(0).value),
              (graph::MapShape{16, size.height / 32, size.width / 32}));
  }
}

/// Describes a wrong change to a file, and a part of the error that refuses the file.
struct Lie {
  const char* reason;
  std::function<void(onnx::ModelProto&)> apply;
};

onnx::NodeProto& node_of(onnx::ModelProto& model, const std::string& type) {
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node())
    if (node.op_type() == type) return node;
  throw std::runtime_error("no node " + type);
}

onnx::TensorProto& weights_of(onnx::ModelProto& model, const std::string& name) {
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
    if (tensor.name() == name) return tensor;
  throw std::runtime_error("no weights " + name);
}

void set_ints(onnx::NodeProto& node, const std::string& name, const Integers& values) {
  for (onnx::AttributeProto& attribute : *node.mutable_attribute())
    if (attribute.name() == name) attribute.mutable_ints()->Assign(values.begin(), values.end());
}

const Lie kLies[] = {
    {"operator set 99", [](auto& m) { m.mutable_opset_import(0)->set_version(99); }},
    {"its operators must come from one operator set", [](auto& m) { m.clear_opset_import(); }},
    {"nothing before it computes its input later",
     [](auto& m) { node_of(m, "Identity").set_input(0, "later"); }},
    {"its output has no name, or the name of another value",
     [](auto& m) { node_of(m, "Relu").set_output(0, m.graph().node(0).output(0)); }},
    {"its output has no name, or the name of another value",
     [](auto& m) { node_of(m, "Relu").set_output(0, "picture"); }},
    {"has two inputs picture",
     [](auto& m) { m.mutable_graph()->add_input()->set_name("picture"); }},
    {"their data don't fit their extents",
     [](auto& m) { weights_of(m, m.graph().node(0).input(1)).clear_float_data(); }},
    {"impossible extents",
     [](auto& m) { weights_of(m, m.graph().node(0).input(1)).set_dims(0, INT64_MAX); }},
    {"impossible extents",
     [](auto& m) { weights_of(m, m.graph().node(0).input(1)).set_dims(0, -4); }},
    {"their data don't fit their extents",
     [](auto& m) { node_of(m, "Constant").mutable_attribute(0)->mutable_t()->set_dims(0, 5); }},
    {"are in other files",
     [](auto& m) {
       node_of(m, "Constant")
           .mutable_attribute(0)
           ->mutable_t()
           ->set_data_location(onnx::TensorProto::EXTERNAL);
     }},
    {"a type of numbers that is not supported",
     [](auto& m) {
       node_of(m, "Constant")
           .mutable_attribute(0)
           ->mutable_t()
           ->set_data_type(onnx::TensorProto::DOUBLE);
     }},
    {"(AveragePool): its window is not supported",
     [](auto& m) {
       set_ints(node_of(m, "AveragePool"), "kernel_shape", {65535, 65535});
     }},
    {"(AveragePool): its window is not supported",
     [](auto& m) {
       set_ints(node_of(m, "AveragePool"), "strides", {0, 2});
     }},
    {"windows of two dimensions",
     [](auto& m) { set_ints(node_of(m, "AveragePool"), "strides", {2}); }},
    {"windows of two dimensions", [](auto& m) { node_of(m, "AveragePool").clear_attribute(); }},
    {"has another type",
     [](auto& m) {
       node_of(m, "Transpose").mutable_attribute(0)->set_type(onnx::AttributeProto::FLOATS);
     }},
    {"(Transpose): needs an order of at most four axes",
     [](auto& m) {
       set_ints(node_of(m, "Transpose"), "perm", {0, 2, 3, INT64_MIN});
     }},
    {"input 2 has impossible extents",
     [](auto& m) { node_of(m, "Resize").mutable_input()->RemoveLast(); }},
    {"(Resize): has 0 inputs and 1 outputs", [](auto& m) { node_of(m, "Resize").clear_input(); }},
    {"(Conv): has 0 inputs and 1 outputs", [](auto& m) { node_of(m, "Conv").clear_input(); }},
    {"nothing before it computes its input Conv",
     [](auto& m) { node_of(m, "Conv").clear_output(); }},
    {"(Reshape): has 1 inputs and 1 outputs",
     [](auto& m) { node_of(m, "Reshape").mutable_input()->RemoveLast(); }},
    {"(Identity): this operator is not supported",
     [](auto& m) { node_of(m, "Identity").clear_input(); }},
    {"more than 10000 nodes",
     [](auto& m) {
       for (int i = 0; i < 10001; ++i) m.mutable_graph()->add_node()->set_op_type("Relu");
     }},
    {"(Loop): this operator is not supported",
     [](auto& m) { node_of(m, "Relu").set_op_type("Loop"); }},
};

TEST(Canonical, FormOfFilesThatLieIsRefused) {
  for (const Lie& lie : kLies) {
    SCOPED_TRACE(lie.reason);
    test::expect_error(ErrorKind::device, lie.reason, [&] {
      onnx::ModelProto model = small_scrfd().model();
      lie.apply(model);
      (void)make_canonical(model, "bad.onnx", {});
      (void)graph::check_onnx(model, "bad.onnx", kTrial);
    });
  }
}

TEST(Canonical, FormOfHalfWeightsIsThatOfTheirNumbers) {
  const onnx::ModelProto exported = small_scrfd().model();
  onnx::ModelProto half = test::with_half_weights(exported);
  onnx::ModelProto cut = test::cut_to_half(exported);
  const CanonicalOptions options{Tail::arrangement_cut, {{127, 127, 127}, {128, 128, 128}}};
  (void)make_canonical(half, "half.onnx", options);
  (void)make_canonical(cut, "cut.onnx", options);
  EXPECT_EQ(half.SerializeAsString(), cut.SerializeAsString());
}

onnx::TensorProto& half_weights_of(onnx::ModelProto& model) {
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
    if (tensor.data_type() == onnx::TensorProto::FLOAT16) return tensor;
  throw std::runtime_error("no f16 weights");
}

/// Lets the first convolution read its f16 weights without a Cast.
void leave_out_a_cast(onnx::ModelProto& model) {
  onnx::NodeProto& reader = node_of(model, "Conv");
  reader.set_input(1, reader.input(1) + "_f16");
}

void add_output(onnx::ModelProto& model, const std::string& name) {
  onnx::ValueInfoProto& output = *model.mutable_graph()->add_output();
  output.set_name(name);
  output.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
}

const Lie kLiesAboutHalfWeights[] = {
    {"a type of numbers that is not supported", leave_out_a_cast},
    {"a type of numbers that is not supported",
     [](auto& m) { node_of(m, "Cast").mutable_attribute(0)->set_i(onnx::TensorProto::DOUBLE); }},
    {"a type of numbers that is not supported",
     [](auto& m) { node_of(m, "Cast").mutable_attribute(0)->set_name("into"); }},
    {"a type of numbers that is not supported",
     [](auto& m) { node_of(m, "Cast").clear_attribute(); }},
    {"a type of numbers that is not supported",
     [](auto& m) { add_output(m, node_of(m, "Cast").output(0)); }},
    {"a type of numbers that is not supported",
     [](auto& m) { half_weights_of(m).set_data_type(onnx::TensorProto::BFLOAT16); }},
    {"(Conv): input 1 is not a constant in the file",
     [](auto& m) { node_of(m, "Cast").set_input(0, "picture"); }},
    {"their data don't fit their extents",
     [](auto& m) { half_weights_of(m).mutable_raw_data()->pop_back(); }},
    {"their data don't fit their extents",
     [](auto& m) { half_weights_of(m).mutable_raw_data()->append(2, '\0'); }},
    {"their data don't fit their extents",
     [](auto& m) { half_weights_of(m).set_data_type(onnx::TensorProto::FLOAT); }},
    {"their data don't fit their extents", [](auto& m) { half_weights_of(m).clear_raw_data(); }},
    {"their data don't fit their extents", [](auto& m) { half_weights_of(m).add_int32_data(0); }},
    {"their data don't fit their extents", [](auto& m) { half_weights_of(m).add_float_data(0); }},
    {"impossible extents", [](auto& m) { half_weights_of(m).set_dims(0, INT64_MAX); }},
    {"impossible extents", [](auto& m) { half_weights_of(m).set_dims(0, -4); }},
    {"are in other files",
     [](auto& m) { half_weights_of(m).set_data_location(onnx::TensorProto::EXTERNAL); }},
    {"the name of other weights",
     [](auto& m) { *m.mutable_graph()->add_initializer() = half_weights_of(m); }},
};

TEST(Canonical, FormOfHalfWeightsThatLieIsRefused) {
  for (const Lie& lie : kLiesAboutHalfWeights) {
    SCOPED_TRACE(lie.reason);
    test::expect_error(ErrorKind::device, lie.reason, [&] {
      onnx::ModelProto model = test::with_half_weights(small_scrfd().model());
      lie.apply(model);
      (void)make_canonical(model, "bad.onnx", {});
      (void)graph::check_onnx(model, "bad.onnx", kTrial);
    });
  }
}

TEST(Canonical, FormOfHalfWeightsRefusesListedNumbersThatAreNoBits) {
  for (const int bits : {-1, 65536}) {
    test::expect_error(ErrorKind::device, "have a number that is no f16", [&] {
      onnx::ModelProto model = test::with_half_weights(small_scrfd().model());
      onnx::TensorProto& weights = half_weights_of(model);
      const auto count = static_cast<int>(weights.raw_data().size() / 2);
      weights.clear_raw_data();
      for (int i = 0; i < count; ++i) weights.add_int32_data(bits);
      (void)make_canonical(model, "bad.onnx", {});
    });
  }
}

/// The time of each pass must be proportional to the number of nodes. This file has 9,001 nodes,
/// and a file may have 10,000.
TEST(Canonical, FormOfALongChainTakesNoLongTime) {
  OnnxBuilder build;
  std::string value = build.convolution(build.picture(), 3, 4);
  const std::string factor = build.floats({}, {1});
  for (int i = 0; i < 3000; ++i) {
    value = build.node("Identity", {build.node("Mul", {value, factor})});
    value = build.node("Conv", {value, build.random_floats({4, 4, 1, 1})});
  }
  build.output(value);
  onnx::ModelProto model = build.model();
  (void)make_canonical(model, "test.onnx", {});
  EXPECT_EQ(model.graph().node_size(), 3001);
}

}  // namespace
}  // namespace facepipe::detector
