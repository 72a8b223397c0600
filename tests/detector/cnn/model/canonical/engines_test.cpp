// The libraries that compute networks read the canonical form as the interpreter does.
#include <gtest/gtest.h>

#include <opencv2/dnn.hpp>

#include "detector/cnn/model/canonical/canonical.h"
#include "tests/detector/cnn/model/canonical/same_outputs.h"
#include "tests/support/small_exports.h"

#if FACEPIPE_TEST_OPENVINO
#include <openvino/openvino.hpp>
#endif

namespace facepipe::detector {
namespace {

using test::OnnxValue;

constexpr int kSide = test::kExportedSide;

/// A canonical file with the extents that libraries want to know, and what it should compute.
struct Sample {
  onnx::ModelProto model;
  OnnxValue picture;
  std::vector<std::pair<std::string, OnnxValue>> outputs;
};

Sample canonical_sample(Tail tail) {
  Sample sample{test::export_for_all_passes().model(), test::noise_picture(kSide, kSide), {}};
  (void)make_canonical(sample.model, "test.onnx", {tail, {}});
  const auto values = interpret_onnx(sample.model, sample.picture);
  for (onnx::ValueInfoProto& output : *sample.model.mutable_graph()->mutable_output()) {
    sample.outputs.emplace_back(output.name(), values.at(output.name()));
    auto& shape = *output.mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.clear_dim();
    for (const std::int64_t extent : sample.outputs.back().second.dims)
      shape.add_dim()->set_dim_value(extent);
  }
  return sample;
}

void expect_as_interpreted(const float* values, std::size_t count, const OnnxValue& expected) {
  ASSERT_EQ(count, expected.numbers.size());
  double largest = 1;
  for (const double number : expected.numbers) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_NEAR(values[i], expected.numbers[i], 1e-5 * largest) << "value " << i;
}

class CanonicalForm : public testing::TestWithParam<Tail> {};

TEST_P(CanonicalForm, IsReadByOpencv) {
  const Sample sample = canonical_sample(GetParam());
  const std::string bytes = sample.model.SerializeAsString();
  cv::dnn::Net net = cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
  cv::Mat input(std::vector<int>{1, 3, kSide, kSide}, CV_32F);
  std::copy(sample.picture.numbers.begin(), sample.picture.numbers.end(), input.ptr<float>());
  net.setInput(input);
  for (const auto& [name, expected] : sample.outputs) {
    const cv::Mat output = net.forward(name);
    expect_as_interpreted(output.ptr<float>(), output.total(), expected);
  }
}

#if FACEPIPE_TEST_OPENVINO
TEST_P(CanonicalForm, IsReadByOpenvino) {
  const Sample sample = canonical_sample(GetParam());
  ov::Core core;
  const auto model = core.read_model(sample.model.SerializeAsString(), ov::Tensor());
  ov::InferRequest request =
      core.compile_model(model, "CPU", ov::hint::inference_precision(ov::element::f32))
          .create_infer_request();
  std::copy(sample.picture.numbers.begin(), sample.picture.numbers.end(),
            request.get_input_tensor().data<float>());
  request.infer();
  for (const auto& [name, expected] : sample.outputs) {
    const ov::Tensor output = request.get_tensor(name);
    expect_as_interpreted(output.data<float>(), output.get_size(), expected);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Tails, CanonicalForm, testing::Values(Tail::kept, Tail::arrangement_cut),
                         [](const auto& test) {
                           return test.param == Tail::kept ? "Kept" : "Cut";
                         });

}  // namespace
}  // namespace facepipe::detector
