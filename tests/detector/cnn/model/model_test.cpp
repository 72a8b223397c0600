#include "detector/cnn/model/model.h"

#include <gmock/gmock.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/error.h"
#include "tests/detector/files.h"
#include "tests/detector/golden.h"
#include "tests/support/half_weights.h"
#include "tests/support/small_exports.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

onnx::ModelProto read_proto(const std::filesystem::path& file) {
  onnx::ModelProto proto;
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(proto.ParseFromIstream(&stream)) << file;
  return proto;
}

void set_extents(onnx::ValueInfoProto& value, const std::vector<std::int64_t>& extents) {
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  tensor.clear_shape();
  for (const std::int64_t extent : extents) {
    auto& dim = *tensor.mutable_shape()->add_dim();
    if (extent >= 0) dim.set_dim_value(extent);
  }
}

std::vector<std::int64_t> extents(const onnx::ValueInfoProto& value) {
  std::vector<std::int64_t> result;
  for (const auto& dim : value.type().tensor_type().shape().dim())
    result.push_back(dim.dim_value());
  return result;
}

/// Returns a file with CenterFace's input and outputs, and one node between them.
onnx::ModelProto centerface_ends() {
  onnx::ModelProto model;
  model.set_ir_version(4);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.add_node()->set_op_type("Relu");
  graph.add_input()->set_name("picture");
  set_extents(*graph.mutable_input(0), {10, 3, 32, 32});
  for (const int channels : {1, 2, 2, 10}) {
    graph.add_output()->set_name("out" + std::to_string(graph.output_size()));
    set_extents(*graph.mutable_output(graph.output_size() - 1), {10, channels, 8, 8});
  }
  return model;
}

void rename(std::string& name, const std::string& suffix) {
  if (!name.empty()) name += suffix;
}

/// Returns the same network with other tensor names, as another export would write them.
onnx::ModelProto renamed(onnx::ModelProto model) {
  onnx::GraphProto& graph = *model.mutable_graph();
  for (auto& node : *graph.mutable_node()) {
    for (auto& name : *node.mutable_input()) rename(name, "_again");
    for (auto& name : *node.mutable_output()) rename(name, "_again");
  }
  for (auto& value : *graph.mutable_input()) rename(*value.mutable_name(), "_again");
  for (auto& value : *graph.mutable_output()) rename(*value.mutable_name(), "_again");
  for (auto& tensor : *graph.mutable_initializer()) rename(*tensor.mutable_name(), "_again");
  return model;
}

TEST(KnownModels, HaveAnEntryForEachKind) {
  for (const HeadKind kind : {HeadKind::centerface, HeadKind::yunet})
    EXPECT_EQ(
        std::ranges::count_if(known_models(),
                              [kind](const ModelData* model) { return model->head.kind == kind; }),
        1);
}

const DeclaredTensor kOpenImage{"image", {-1, 3, -1, -1}};
const DeclaredTensor kSmallImage{"image", {1, 3, 64, 96}};

/// Returns the outputs for a picture of 96x64, ordered first by kind and then by stride.
std::vector<DeclaredTensor> yunet_outputs() {
  std::vector<DeclaredTensor> outputs;
  for (const auto& [name, channels] :
       {std::pair{"kps_", 10}, {"cls_", 1}, {"bbox_", 4}, {"obj_", 1}})
    for (const int stride : {32, 8, 16})
      outputs.push_back(
          {name + std::to_string(stride), {1, 64 * 96 / (stride * stride), channels}});
  return outputs;
}

TEST(KnownModels, YunetsOutputsAreOrderedByTheirNames) {
  const auto found = find_outputs(yunet().head, kSmallImage, yunet_outputs());
  ASSERT_TRUE(found);
  std::vector<std::string> names;
  for (const ModelOutput& output : *found) names.push_back(output.name);
  EXPECT_THAT(names,
              testing::ElementsAre("cls_8", "obj_8", "bbox_8", "kps_8", "cls_16", "obj_16",
                                   "bbox_16", "kps_16", "cls_32", "obj_32", "bbox_32", "kps_32"));
  EXPECT_EQ(found->at(10).channels, 4);
  EXPECT_EQ(found->at(10).stride, 32);
  EXPECT_TRUE(find_outputs(yunet().head, kOpenImage, yunet_outputs()));
}

TEST(KnownModels, YunetIsNotTakenForAnotherShape) {
  std::vector<DeclaredTensor> outputs = yunet_outputs();
  outputs[0].extents[2] = 8;
  EXPECT_FALSE(find_outputs(yunet().head, kSmallImage, outputs)) << "channels";
  outputs = yunet_outputs();
  outputs[0].extents[1] += 1;
  EXPECT_FALSE(find_outputs(yunet().head, kSmallImage, outputs)) << "cells";
  EXPECT_TRUE(find_outputs(yunet().head, kOpenImage, outputs)) << "cells of an unknown picture";
  outputs = yunet_outputs();
  outputs.pop_back();
  EXPECT_FALSE(find_outputs(yunet().head, kSmallImage, outputs)) << "one less";
}

TEST(KnownModels, CenterfacesOutputsStayInTheFilesOrder) {
  std::vector<DeclaredTensor> outputs{
      {"d", {1, 1, 16, 24}}, {"c", {1, 2, 16, 24}}, {"b", {1, 2, 16, 24}}, {"a", {1, 10, 16, 24}}};
  const auto found = find_outputs(centerface().head, kSmallImage, outputs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().name, "d");
  EXPECT_EQ(found->back().name, "a");
  EXPECT_FALSE(find_outputs(yunet().head, kSmallImage, outputs));
  std::swap(outputs[0], outputs[1]);
  EXPECT_FALSE(find_outputs(centerface().head, kSmallImage, outputs))
      << "another order of channels";
  std::swap(outputs[0], outputs[1]);
  outputs[2].extents[3] = 12;
  EXPECT_FALSE(find_outputs(centerface().head, kSmallImage, outputs)) << "another stride";
}

TEST(KnownModels, SeveralCellsOfAPlaceAreCounted) {
  HeadData head = yunet().head;
  head.strides = {16};
  head.anchors = 2;
  std::vector<DeclaredTensor> cells;
  for (const HeadOutput& output : head.outputs)
    cells.push_back({output.name + "16", {1, 2 * 4 * 6, output.channels}});
  const auto found = find_outputs(head, kSmallImage, cells);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->back().values({96, 64}), 2U * 4U * 6U * 10U);
  EXPECT_EQ(output_extents(head.layout, found->back(), {96, 64}),
            (std::vector<std::int64_t>{1, 48, 10}));
  cells[0].extents[1] = 24;
  EXPECT_FALSE(find_outputs(head, kSmallImage, cells)) << "one cell of a place";
}

TEST(KnownModels, SeveralCellsOfAPlaceAreCountedInPlanes) {
  HeadData head = centerface().head;
  head.anchors = 3;
  std::vector<DeclaredTensor> planes;
  for (const HeadOutput& output : head.outputs)
    planes.push_back({"", {1, std::int64_t{3} * output.channels, 16, 24}});
  const auto found = find_outputs(head, kSmallImage, planes);
  ASSERT_TRUE(found);
  EXPECT_EQ(output_extents(head.layout, found->front(), {96, 64}),
            (std::vector<std::int64_t>{1, 3, 16, 24}));
  planes[1].extents[1] = 2;
  EXPECT_FALSE(find_outputs(head, kSmallImage, planes)) << "one cell of a place";
}

TEST(Model, KnowsCenterface) {
  const Model model(test::centerface_file());
  EXPECT_EQ(model.head().kind, HeadKind::centerface);
  EXPECT_EQ(model.data().name, "centerface");
  EXPECT_EQ(model.channel_order(), ChannelOrder::rgb);
  EXPECT_EQ(model.input(), "input.1");
  ASSERT_EQ(model.outputs().size(), 4U);
  EXPECT_EQ(model.outputs()[3].name, "540");
  EXPECT_EQ(model.outputs()[3].channels, 10);
  EXPECT_EQ(model.outputs()[3].values({64, 32}), 16U * 8U * 10U);
  EXPECT_EQ(model.sha256(),
            test::read_golden().model("centerface").at("sha256").get<std::string>());
}

TEST(Model, KnowsCenterfaceUnderOtherNames) {
  const TemporaryFolder folder;
  const std::string bytes = renamed(read_proto(test::centerface_file())).SerializeAsString();
  const Model model(folder.write("other.onnx", bytes));
  EXPECT_EQ(model.head().kind, HeadKind::centerface);
  EXPECT_EQ(model.input(), "input.1_again");
  EXPECT_EQ(model.outputs()[0].name, "537_again");
}

TEST(Model, KnowsCenterfaceWithOpenExtents) {
  const TemporaryFolder folder;
  onnx::ModelProto open = read_proto(test::centerface_file());
  for (auto& input : *open.mutable_graph()->mutable_input())
    if (input.name() == "input.1") set_extents(input, {-1, 3, -1, -1});
  int index = 0;
  for (const int channels : {1, 2, 2, 10})
    set_extents(*open.mutable_graph()->mutable_output(index++), {-1, channels, -1, -1});
  EXPECT_EQ(Model(folder.write("open.onnx", open.SerializeAsString())).head().kind,
            HeadKind::centerface);
}

TEST(Model, OfHalfWeightsIsTheSameNetworkWithCutNumbers) {
  const TemporaryFolder folder;
  const onnx::ModelProto published = read_proto(test::centerface_file());
  const Model half(
      folder.write("half.onnx", test::with_half_weights(published).SerializeAsString()));
  const Model cut(folder.write("cut.onnx", test::cut_to_half(published).SerializeAsString()));
  EXPECT_EQ(half.data().name, "centerface");
  // All engines read these bytes.
  EXPECT_EQ(half.onnx({96, 64}), cut.onnx({96, 64}));
}

TEST(Model, KnowsYunet) {
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  const Model model(test::yunet_file());
  EXPECT_EQ(model.head().kind, HeadKind::yunet);
  EXPECT_EQ(model.data().name, "yunet");
  EXPECT_EQ(model.channel_order(), ChannelOrder::bgr);
  ASSERT_EQ(model.outputs().size(), 12U);
  EXPECT_EQ(model.outputs()[0].name, "cls_8");
  EXPECT_EQ(model.outputs()[7].name, "kps_16");
  EXPECT_EQ(model.outputs()[11].values({640, 640}), 4000U);
}

TEST(Model, KnowsAnScrfd) {
  const TemporaryFolder folder;
  for (const bool landmarks : {true, false}) {
    const onnx::ModelProto file = test::small_scrfd(landmarks).model();
    const Model model(folder.write("scrfd.onnx", file.SerializeAsString()));
    EXPECT_EQ(model.head().kind, HeadKind::scrfd);
    EXPECT_EQ(model.head().anchors, 2);
    EXPECT_EQ(model.head().landmarks, landmarks);
    EXPECT_EQ(model.data().name, "scrfd");
    EXPECT_EQ(model.channel_order(), ChannelOrder::rgb);
    ASSERT_EQ(model.outputs().size(), landmarks ? 9U : 6U);
    EXPECT_EQ(model.outputs()[1].stride, 8);
    EXPECT_EQ(model.outputs()[1].channels, 4);
    onnx::ModelProto sized;
    ASSERT_TRUE(sized.ParseFromString(model.onnx({96, 64})));
    EXPECT_EQ(sized.graph().output_size(), landmarks ? 9 : 6);
    EXPECT_EQ(extents(sized.graph().output(0)), (std::vector<std::int64_t>{1, 2, 8, 12}));
  }
}

TEST(Model, RefusesAnScrfdWithOtherScores) {
  const TemporaryFolder folder;
  onnx::ModelProto file = test::small_scrfd().model();
  onnx::GraphProto& graph = *file.mutable_graph();
  for (int n = 0; n < graph.node_size(); ++n) {
    if (graph.node(n).op_type() != "Sigmoid") continue;
    // The output is now the value that the first Sigmoid reads.
    graph.mutable_output(0)->set_name(graph.node(n).input(0));
    break;
  }
  try {
    const Model model(folder.write("scrfd.onnx", file.SerializeAsString()));
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another activation than SCRFD's"));
  }
}

TEST(Model, IsWrittenForTheSizeAskedFor) {
  const Model model(test::centerface_file());
  onnx::ModelProto sized;
  ASSERT_TRUE(sized.ParseFromString(model.onnx({320, 192})));
  EXPECT_EQ(extents(sized.graph().input(0)), (std::vector<std::int64_t>{1, 3, 192, 320}));
  EXPECT_EQ(extents(sized.graph().output(1)), (std::vector<std::int64_t>{1, 2, 48, 80}));
  EXPECT_EQ(sized.graph().value_info_size(), 0);
}

struct Refused {
  const char* name;
  std::function<std::string()> bytes;
  const char* reason;  ///< a part of the message
};

std::string changed(const std::function<void(onnx::GraphProto&)>& change) {
  onnx::ModelProto model = centerface_ends();
  change(*model.mutable_graph());
  return model.SerializeAsString();
}

const Refused kRefused[] = {
    {"Empty", [] { return std::string(); }, "empty"},
    {"Text", [] { return std::string("no model at all\n"); }, "not an ONNX model"},
    {"Zeros", [] { return std::string(4096, '\0'); }, "not an ONNX model"},
    {"Truncated",
     [] {
       std::string bytes = centerface_ends().SerializeAsString();
       return bytes.substr(0, bytes.size() - 9);
     },
     "not an ONNX model"},
    {"NoNodes", [] { return changed([](auto& graph) { graph.clear_node(); }); },
     "not an ONNX model"},
    {"NoInput", [] { return changed([](auto& graph) { graph.clear_input(); }); }, "input"},
    {"TwoInputs", [] { return changed([](auto& graph) { graph.add_input()->set_name("b"); }); },
     "input"},
    {"GreyInput",
     [] {
       return changed([](auto& graph) { set_extents(*graph.mutable_input(0), {1, 1, 32, 32}); });
     },
     "input"},
    {"FlatInput",
     [] { return changed([](auto& graph) {
            set_extents(*graph.mutable_input(0), {1, 3});
          }); },
     "input"},
    {"ByteInput",
     [] {
       return changed([](auto& graph) {
         graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
             onnx::TensorProto::UINT8);
       });
     },
     "input"},
    {"OneOutput",
     [] { return changed([](auto& graph) { graph.mutable_output()->DeleteSubrange(1, 3); }); },
     "outputs"},
    {"OtherChannels",
     [] {
       return changed([](auto& graph) { set_extents(*graph.mutable_output(3), {10, 8, 8, 8}); });
     },
     "outputs"},
    {"OtherStride",
     [] {
       return changed([](auto& graph) { set_extents(*graph.mutable_output(0), {10, 1, 4, 4}); });
     },
     "outputs"},
    {"ShapelessOutput",
     [] { return changed([](auto& graph) { graph.mutable_output(2)->clear_type(); }); }, "outputs"},
    {"WeightsElsewhere",
     [] {
       return changed([](auto& graph) {
         graph.add_initializer()->set_data_location(onnx::TensorProto::EXTERNAL);
       });
     },
     "other files"},
};

/// Returns the bytes of CenterFace's file after `change`.
std::string damaged(const std::function<void(onnx::ModelProto&)>& change) {
  onnx::ModelProto model = read_proto(test::centerface_file());
  change(model);
  return model.SerializeAsString();
}

onnx::NodeProto& first_node(onnx::ModelProto& model, const std::string& type) {
  for (onnx::NodeProto& node : *model.mutable_graph()->mutable_node())
    if (node.op_type() == type) return node;
  throw std::runtime_error("no node " + type);
}

onnx::AttributeProto& attribute(onnx::NodeProto& node, const std::string& name) {
  for (onnx::AttributeProto& candidate : *node.mutable_attribute())
    if (candidate.name() == name) return candidate;
  throw std::runtime_error("no attribute " + name);
}

onnx::TensorProto& weights(onnx::ModelProto& model, const std::string& name) {
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer())
    if (tensor.name() == name) return tensor;
  throw std::runtime_error("no weights " + name);
}

/// Returns the weights of the first convolution.
onnx::TensorProto& first_weights(onnx::ModelProto& model) {
  return weights(model, first_node(model, "Conv").input(1));
}

/// OpenCV 4.6 crashed on the first three files, and allocated 2 GB for the fourth.
const Refused kDamaged[] = {
    {"GroupOfZero",
     [] { return damaged([](auto& m) { attribute(first_node(m, "Conv"), "group").set_i(0); }); },
     "groups"},
    {"MoreExtentsThanData",
     [] { return damaged([](auto& m) { first_weights(m).set_dims(0, 1 << 20); }); },
     "don't fit their extents"},
    {"NoData", [] { return damaged([](auto& m) { first_weights(m).clear_raw_data(); }); },
     "don't fit their extents"},
    {"HugePadding",
     [] {
       return damaged([](auto& m) { attribute(first_node(m, "Conv"), "pads").set_ints(0, 65535); });
     },
     "window"},
    {"EndlessExtents",
     [] { return damaged([](auto& m) { first_weights(m).set_dims(0, INT64_MAX); }); },
     "impossible extents"},
    {"NegativeExtents", [] { return damaged([](auto& m) { first_weights(m).set_dims(1, -1); }); },
     "impossible extents"},
    {"DataInTwoPlaces", [] { return damaged([](auto& m) { first_weights(m).add_float_data(1); }); },
     "don't fit their extents"},
    {"WeightsOfBytes",
     [] {
       return damaged([](auto& m) { first_weights(m).set_data_type(onnx::TensorProto::INT8); });
     },
     "type of numbers"},
    {"WeightsInAnotherFile",
     [] {
       return damaged([](auto& m) {
         auto& entry = *first_weights(m).add_external_data();
         entry.set_key("location");
         entry.set_value("/etc/passwd");
       });
     },
     "other files"},
    {"WeightsTwice",
     [] {
       return damaged([](auto& m) {
         const onnx::TensorProto copy = first_weights(m);
         *m.mutable_graph()->add_initializer() = copy;
       });
     },
     "have no name, or the name of other weights"},
    {"AttributeTwice",
     [] {
       return damaged([](auto& m) {
         onnx::NodeProto& node = first_node(m, "Conv");
         const onnx::AttributeProto copy = attribute(node, "group");
         *node.add_attribute() = copy;
       });
     },
     "twice"},
    {"AttributeOfAnotherType",
     [] {
       return damaged([](auto& m) {
         attribute(first_node(m, "Conv"), "group").set_type(onnx::AttributeProto::INTS);
       });
     },
     "type"},
    {"StrideOfZero",
     [] {
       return damaged([](auto& m) { attribute(first_node(m, "Conv"), "strides").set_ints(0, 0); });
     },
     "window"},
    {"UnknownOperator",
     [] { return damaged([](auto& m) { first_node(m, "Relu").set_op_type("Loop"); }); },
     "not supported"},
    {"UnknownOpset",
     [] { return damaged([](auto& m) { m.mutable_opset_import(0)->set_version(99); }); },
     "operator set 99"},
    {"UndefinedInput",
     [] { return damaged([](auto& m) { first_node(m, "Relu").set_input(0, "nowhere"); }); },
     "nowhere"},
    {"SparseWeights",
     [] { return damaged([](auto& m) { m.mutable_graph()->add_sparse_initializer(); }); },
     "sparse"},
    {"AnotherStride",
     [] {
       return damaged([](auto& m) {
         for (int i = 0; i < 2; ++i) attribute(first_node(m, "Conv"), "strides").set_ints(i, 1);
       });
     },
     "shape"},
};

class RefusedModel : public testing::TestWithParam<Refused> {};

void expect_refused(const std::filesystem::path& file, const std::string& reason) {
  try {
    const Model model(file);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(), HasSubstr(file.string()));
    EXPECT_THAT(error.what(), HasSubstr(reason));
  }
}

TEST_P(RefusedModel, NamesFileAndReason) {
  const TemporaryFolder folder;
  expect_refused(folder.write("model.onnx", GetParam().bytes()), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(Files, RefusedModel, testing::ValuesIn(kRefused),
                         [](const auto& test) { return std::string(test.param.name); });
INSTANTIATE_TEST_SUITE_P(DamagedFiles, RefusedModel, testing::ValuesIn(kDamaged),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Model, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  expect_refused(folder.path() / "missing.onnx", "no such file");
  expect_refused(folder.path(), "not a regular file");
  expect_refused("/dev/zero", "not a regular file");
}

TEST(Model, RefusesHugeFilesUnread) {
  const TemporaryFolder folder;
  const auto file = folder.write("huge.onnx", "x");
  std::filesystem::resize_file(file, (std::uintmax_t{1} << 30) + 1);  // a sparse file
  expect_refused(file, "1 GiB");
}

}  // namespace
}  // namespace facepipe::detector
