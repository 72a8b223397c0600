// These tests check how OpenVINO compiles a network into which facepipe has inserted FakeQuantize
// nodes.
#include "detector/cnn/cpu/openvino/quantize.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <openvino/op/constant.hpp>
#include <openvino/op/fake_quantize.hpp>
#include <string>

#include "core/error.h"
#include "detector/cnn/cpu/engine.h"
#include "tests/detector/files.h"
#include "tests/detector/golden.h"

namespace facepipe::detector {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr Size kNetwork{128, 96};

bool computes_i8() {
  return std::ranges::any_of(supported_engines(), [](const EngineSupport& support) {
    return std::ranges::count(support.precisions, Precision::i8) > 0;
  });
}

std::shared_ptr<ov::Model> network_of(const Model& model) {
  return ov::Core().read_model(model.onnx(kNetwork), ov::Tensor());
}

std::shared_ptr<ov::Model> quantized(const Model& model, Products products = Products::exact) {
  auto network = network_of(model);
  quantize(network, find_i8_ranges(model), products);
  return network;
}

ov::CompiledModel compiled(const std::shared_ptr<ov::Model>& network) {
  return ov::Core().compile_model(network, "CPU", ov::hint::inference_precision(ov::element::f32));
}

class Quantize : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!computes_i8()) GTEST_SKIP() << "no int8 on this processor";
    if (!std::filesystem::exists(file())) GTEST_SKIP() << "no file of " << GetParam();
  }
  static std::filesystem::path file() {
    return GetParam() == std::string("yunet") ? test::yunet_file() : test::centerface_file();
  }
};

TEST_P(Quantize, LetsEveryConvolutionBeInt8) {
  EXPECT_THAT(convolutions_not_in_i8(compiled(quantized(Model(file())))), IsEmpty());
}

TEST_P(Quantize, IsSeenToBeMissing) {
  const Model model(file());
  const auto network = network_of(model);
  const auto all = std::ranges::count_if(network->get_ops(), [](const auto& node) {
    return std::string(node->get_type_name()).find("Convolution") != std::string::npos;
  });
  EXPECT_GT(all, 50);
  const std::vector<std::string> others = convolutions_not_in_i8(compiled(network));
  EXPECT_EQ(std::ssize(others), all);
  for (const std::string& other : others) EXPECT_THAT(other, testing::EndsWith("_f32)"));
}

TEST_P(Quantize, SeesASingleConvolutionThatIsNot) {
  const auto network = quantized(Model(file()));
  // OpenVINO computes a convolution in floats if its input has no FakeQuantize node.
  for (const ov::Input<ov::Node>& reader : network->input().get_target_inputs()) {
    const auto levels = reader.get_node()->shared_from_this();
    ASSERT_TRUE(ov::is_type<ov::op::v0::FakeQuantize>(levels));
    levels->output(0).replace(network->input());
  }
  EXPECT_EQ(convolutions_not_in_i8(compiled(network)).size(), 1U);
}

// OpenVINO 2026.4 has kernels with these names on AVX2, AVX-512 and AMX. Names with a lower-case
// "i8" belong to kernels whose input is signed bytes.
TEST(I8Kernel, IsKnownByItsName) {
  for (const char* const name :
       {"jit_avx2_1x1_I8", "brgconv_avx512_1x1_I8", "brgconv_avx512_amx_1x1_i8"})
    EXPECT_TRUE(is_i8_kernel(name)) << name;
  for (const char* const name :
       {"brgconv_avx512_1x1_f32", "brgconv_avx512_amx_1x1_bf16", "jit_avx2_1x1_f16", "i8", ""})
    EXPECT_FALSE(is_i8_kernel(name)) << name;
}

// With Products::saturate, weights must not use the eighth bit.
TEST_P(Quantize, LeavesHalfOfTheWeightsLevelsWhereSumsSaturate) {
  const Model model(file());
  const auto exact = quantized(model);
  const auto narrow = quantized(model, Products::saturate);
  const auto levels_of_weights = [](const ov::Model& network) {
    std::vector<std::vector<float>> highs;
    for (const auto& node : network.get_ordered_ops()) {
      const auto* const levels = ov::as_type<ov::op::v0::FakeQuantize>(node.get());
      if (levels != nullptr && levels->get_levels() == 255)
        highs.push_back(ov::as_type_ptr<ov::op::v0::Constant>(levels->get_input_node_shared_ptr(2))
                            ->cast_vector<float>());
    }
    return highs;
  };
  const auto full = levels_of_weights(*exact);
  const auto halved = levels_of_weights(*narrow);
  ASSERT_EQ(halved.size(), full.size());
  for (std::size_t i = 0; i < full.size(); ++i)
    for (std::size_t c = 0; c < full[i].size(); ++c) EXPECT_FLOAT_EQ(halved[i][c], 2 * full[i][c]);
  EXPECT_THAT(convolutions_not_in_i8(compiled(narrow)), IsEmpty());
}

TEST_P(Quantize, RefusesRangesOfAnotherNetwork) {
  const Model model(file());
  const I8Ranges good = find_i8_ranges(model);
  const auto expect_refused = [&](const I8Ranges& ranges, const std::string& reason) {
    try {
      quantize(network_of(model), ranges, Products::exact);
      ADD_FAILURE() << "accepted: " << reason;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_EQ(error.what(), "i8 ranges built in: tensor " + reason);
    }
  };
  I8Ranges missing = good;
  missing.tensors.erase(missing.tensors.begin() + 3);
  expect_refused(missing, good.tensors[3].name + " is missing");
  I8Ranges unknown = good;
  unknown.tensors.push_back({"bogus", 0, 1, {100}});
  expect_refused(unknown, "bogus needs no range");
  I8Ranges short_of_one = good;
  const std::size_t channels = good.tensors[0].channels.size();
  short_of_one.tensors[0].channels.pop_back();
  expect_refused(short_of_one, good.tensors[0].name + " has " + std::to_string(channels) +
                                   " channels, not " + std::to_string(channels - 1));
}

INSTANTIATE_TEST_SUITE_P(Models, Quantize, testing::Values("centerface", "yunet"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace facepipe::detector
