// These tests give an ONNX file names that would forge lines of a log, or control a terminal. The
// error that refuses the file shows them in one short line.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <functional>
#include <string>

#include "core/error.h"
#include "detector/cnn/model/graph/onnx_check.h"
#include "tests/support/onnx_builder.h"

namespace facepipe::detector::graph {
namespace {

constexpr Size kTrial{64, 64};
constexpr std::size_t kLongestMessage = 400;

const std::string kHostile = "a\nfacepipe: done\x1b[2J\xe2\x80\xae" + std::string(5000, 'x');

std::string refusal_of(onnx::ModelProto model, bool only_parts) {
  try {
    if (only_parts)
      check_parts(model, "bad.onnx");
    else
      (void)check_onnx(model, "bad.onnx", kTrial);
  } catch (const Error& refused) {
    EXPECT_EQ(refused.kind(), ErrorKind::device);
    return refused.what();
  }
  return {};
}

struct Case {
  const char* what;
  std::function<void(onnx::GraphProto&)> change;  ///< makes a file that is refused
};

const Case kCases[] = {
    {"operator", [](auto& graph) { graph.mutable_node(0)->set_op_type(kHostile); }},
    {"node",
     [](auto& graph) {
       graph.mutable_node(0)->set_name(kHostile);
       graph.mutable_node(0)->set_op_type("Unknown");
     }},
    {"node without a name",
     [](auto& graph) {
       graph.mutable_node(0)->set_output(0, kHostile);
       graph.mutable_node(0)->set_op_type("Unknown");
     }},
    {"input of a node", [](auto& graph) { graph.mutable_node(0)->set_input(0, kHostile); }},
    {"attribute",
     [](auto& graph) {
       onnx::AttributeProto& attribute = *graph.mutable_node(0)->add_attribute();
       attribute.set_name(kHostile);
       attribute.set_type(onnx::AttributeProto::INT);
       attribute.set_i(1);
     }},
    {"attribute that appears twice",
     [](auto& graph) {
       for (int i = 0; i < 2; ++i) {
         onnx::AttributeProto& attribute = *graph.mutable_node(0)->add_attribute();
         attribute.set_name(kHostile);
         attribute.set_type(onnx::AttributeProto::INT);
       }
     }},
    {"output of the file", [](auto& graph) { graph.mutable_output(0)->set_name(kHostile); }},
    {"weights",
     [](auto& graph) {
       onnx::TensorProto& weights = *graph.add_initializer();
       weights.set_name(kHostile);
       weights.set_data_type(onnx::TensorProto::FLOAT);
       weights.add_dims(2);
     }},
    {"inputs of the file",
     [](auto& graph) {
       for (int i = 0; i < 2; ++i) graph.add_input()->set_name(kHostile);
     }},
};

TEST(HostileNames, AreShownInOneShortLine) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.what);
    test::OnnxBuilder builder;
    builder.output(builder.convolution(builder.picture(), 3, 4));
    each.change(*builder.model().mutable_graph());
    std::string message = refusal_of(builder.model(), true);
    if (message.empty()) message = refusal_of(builder.model(), false);
    EXPECT_NE(message.find("bad.onnx"), std::string::npos) << message;
    EXPECT_NE(message.find("facepipe: done"), std::string::npos)
        << "the name isn't shown: " << message;
    EXPECT_LE(message.size(), kLongestMessage);
    EXPECT_TRUE(std::ranges::none_of(message, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
        << message;
    EXPECT_EQ(message.find("\xe2\x80\xae"), std::string::npos) << message;
  }
}

TEST(HostileNames, OfAnOperatorSetAreShownInOneShortLine) {
  test::OnnxBuilder builder;
  builder.output(builder.convolution(builder.picture(), 3, 4));
  builder.model().mutable_opset_import(0)->set_domain(kHostile);
  const std::string message = refusal_of(builder.model(), false);
  EXPECT_NE(message.find("facepipe: done\\x1b[2J"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LE(message.size(), kLongestMessage);
}

}  // namespace
}  // namespace facepipe::detector::graph
