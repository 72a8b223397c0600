// These tests compute canonical forms with the libraries, and compare the results with those of the
// interpreter.
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
constexpr double kTolerance = 1e-5;  // libraries compute in floats

/// Holds a canonical file that states the extents of its outputs, and the expected outputs.
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
    const auto* const values = output.ptr<float>();
    const OnnxValue actual{{output.size.p, output.size.p + output.dims},
                           {values, values + output.total()}};
    test::expect_near(actual, expected, name, kTolerance);
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
    const ov::Shape& shape = output.get_shape();
    const auto* const values = output.data<float>();
    const OnnxValue actual{{shape.begin(), shape.end()}, {values, values + output.get_size()}};
    test::expect_near(actual, expected, name, kTolerance);
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Tails, CanonicalForm, testing::Values(Tail::kept, Tail::arrangement_cut),
                         [](const auto& test) {
                           return test.param == Tail::kept ? "Kept" : "Cut";
                         });

}  // namespace
}  // namespace facepipe::detector
