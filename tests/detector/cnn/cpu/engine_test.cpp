// These tests run with every engine and precision of this build and processor. All of them must
// keep the same contract.
#include "detector/cnn/cpu/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "detector/cnn/cpu/opencv/opencv_cuda.h"
#include "tests/detector/golden.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::detector {
namespace {

struct EngineCase {
  Library library;
  Precision precision;
  DeviceKind device = DeviceKind::cpu;
};

constexpr EngineCase kCases[] = {
    {Library::opencv, Precision::f32},
    {Library::openvino, Precision::f32},
    {Library::openvino, Precision::f16},
    {Library::openvino, Precision::bf16},
    {Library::openvino, Precision::i8},
    {Library::opencv, Precision::f32, DeviceKind::cuda},
    {Library::opencv, Precision::f16, DeviceKind::cuda},
};

bool supported(const EngineCase& c) {
  if (c.device == DeviceKind::cuda) return reason_against_opencv_cuda(c.precision).empty();
  return std::ranges::any_of(supported_engines(), [&c](const EngineSupport& support) {
    return support.library == c.library && std::ranges::count(support.precisions, c.precision) > 0;
  });
}

/// Returns how far an output may differ from onnxruntime's in f32: by tolerance * (1 + |value|).
/// Factors have 8 bits in bf16 and 11 bits in f16, in each of about sixty layers. i8 has 8 bits for
/// the range of a tensor (7 bits for weights on some processors). This picture of stripes is unlike
/// the pictures on which the ranges were measured, so values can exceed the range.
double tolerance(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return 5e-4;
    case Precision::f16:
      return 2e-2;
    case Precision::bf16:
      return 1e-1;
    case Precision::i8:
      break;
  }
  return 3e-1;
}

std::shared_ptr<const I8Ranges> ranges_of(const Model& model, const EngineCase& c) {
  if (c.precision != Precision::i8) return nullptr;
  return std::make_shared<const I8Ranges>(find_i8_ranges(model));
}

EngineOptions options_of(const Model& model, const EngineCase& c, int requests) {
  return {c.precision, 2, requests, ranges_of(model, c), Device{c.device, 0}};
}

class EngineTest : public testing::TestWithParam<EngineCase> {
 protected:
  void SetUp() override {
    if (!supported(GetParam())) GTEST_SKIP() << "not of this build or processor";
  }

  static std::unique_ptr<Engine> make(const Model& model, Size network, int requests = 1) {
    return make_engine(GetParam().library, model, network, options_of(model, GetParam(), requests));
  }
};

void run(Inference& inference) {
  inference.start();
  inference.wait();
}

void expect_golden(const nlohmann::json& outputs, const Inference& inference, std::size_t step,
                   double allowed) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::span<const float> values = inference.output(i);
    ASSERT_EQ(values.size(), outputs[i].at("count").get<std::size_t>());
    const std::vector<double> samples = outputs[i].at("samples");
    double worst = 0;
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const double error = std::abs(static_cast<double>(values[k * step]) - samples[k]);
      worst = std::max(worst, error / (1 + std::abs(samples[k])));
    }
    EXPECT_LE(worst, allowed) << outputs[i].at("name");
  }
}

void expect_golden_model(const std::filesystem::path& file, const std::string& kind,
                         const EngineCase& c) {
  const test::Golden golden = test::read_golden();
  const Model model(file);
  ASSERT_EQ(model.sha256(), golden.model(kind).at("sha256").get<std::string>())
      << "another model than the golden one";
  for (const nlohmann::json& run_case : golden.model(kind).at("raw")) {
    const Size network{run_case.at("width"), run_case.at("height")};
    const auto engine = make_engine(c.library, model, network, options_of(model, c, 1));
    const auto inference = engine->make_inference();
    test::fill_pattern(inference->input(), network);
    run(*inference);
    expect_golden(run_case.at("outputs"), *inference, golden.sample_step(), tolerance(c.precision));
  }
}

TEST_P(EngineTest, ComputesWhatOnnxruntimeComputesOfCenterface) {
  expect_golden_model(test::centerface_file(), "centerface", GetParam());
}

TEST_P(EngineTest, ComputesWhatOnnxruntimeComputesOfYunet) {
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  expect_golden_model(test::yunet_file(), "yunet", GetParam());
}

std::vector<float> all_outputs(const Inference& inference, std::size_t count) {
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto output = inference.output(i);
    values.insert(values.end(), output.begin(), output.end());
  }
  return values;
}

TEST_P(EngineTest, StartsWithABlackInput) {
  const Model model(test::centerface_file());
  const auto inference = make(model, {64, 32})->make_inference();
  const std::span<std::uint8_t> input = inference->input();
  EXPECT_EQ(input.size(), 3U * 64U * 32U);
  EXPECT_TRUE(std::all_of(input.begin(), input.end(), [](std::uint8_t v) { return v == 0; }));
}

TEST_P(EngineTest, LeavesItsInputAloneAndRepeatsItself) {
  const Model model(test::centerface_file());
  const Size network{96, 64};
  const auto inference = make(model, network)->make_inference();
  test::fill_pattern(inference->input(), network);
  const std::vector<std::uint8_t> before(inference->input().begin(), inference->input().end());
  run(*inference);
  const std::vector<float> first = all_outputs(*inference, 4);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), inference->input().begin()));
  run(*inference);
  EXPECT_EQ(all_outputs(*inference, 4), first);
}

TEST_P(EngineTest, KeepsInferencesApart) {
  const Model model(test::centerface_file());
  const Size network{96, 64};
  const auto engine = make(model, network, 2);
  const auto one = engine->make_inference();
  const auto other = engine->make_inference();
  test::fill_pattern(one->input(), network);
  run(*one);
  const std::vector<float> alone = all_outputs(*one, 4);
  one->start();
  other->start();
  other->wait();
  one->wait();
  EXPECT_EQ(all_outputs(*one, 4), alone);
  EXPECT_NE(all_outputs(*other, 4), alone);
}

TEST_P(EngineTest, OutlivesItsEngineAndEndsWhileItRuns) {
  const Model model(test::centerface_file());
  auto engine = make(model, {320, 320});
  auto inference = engine->make_inference();
  engine.reset();
  inference->start();
  inference.reset();
}

TEST_P(EngineTest, WaitsForNothingWhereNothingRuns) {
  const Model model(test::centerface_file());
  const auto inference = make(model, {32, 32})->make_inference();
  inference->wait();
}

TEST_P(EngineTest, NamesTheFileThatItRefuses) {
  // The model's inputs and outputs are known, but a node has an unknown operator. Any part of the
  // engine may refuse it.
  const test::TemporaryFolder folder;
  std::string bytes = test::read_file(test::centerface_file());
  for (std::size_t at = bytes.find("Sigmoid"); at != std::string::npos; at = bytes.find("Sigmoid"))
    bytes.replace(at, 7, "Sigmund");
  const auto file = folder.write("unknown.onnx", bytes);
  try {
    const Model model(file);
    const auto engine = make(model, {32, 32});
    run(*engine->make_inference());
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, EngineTest, testing::ValuesIn(kCases), [](const auto& test) {
  return std::string(engine_name(test.param.library)) + "_" +
         std::string(to_string(test.param.precision)) +
         (test.param.device == DeviceKind::cuda ? "_cuda" : "");
});

}  // namespace
}  // namespace facepipe::detector
