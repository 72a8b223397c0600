#include "tests/detector/cnn/model/canonical/same_outputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace facepipe::test {

onnx::ModelProto rewritten(onnx::ModelProto model, const Pass& pass) {
  detector::Rewriting to(model, "test.onnx");
  pass(to);
  return model;
}

void expect_near(const OnnxValue& actual, const OnnxValue& expected, const std::string& name,
                 double tolerance) {
  EXPECT_EQ(actual.dims, expected.dims) << name;
  ASSERT_EQ(actual.numbers.size(), expected.numbers.size()) << name;
  double largest = 1;
  for (const double number : expected.numbers) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < actual.numbers.size(); ++i)
    ASSERT_NEAR(actual.numbers[i], expected.numbers[i], tolerance * largest)
        << name << ", value " << i;
}

void expect_same_outputs(const onnx::ModelProto& before, const onnx::ModelProto& after,
                         const std::vector<Size>& sizes) {
  ASSERT_EQ(before.graph().output_size(), after.graph().output_size());
  for (const Size size : sizes) {
    const OnnxValue picture = noise_picture(size.height, size.width);
    const auto expected = interpret_onnx(before, picture);
    const auto actual = interpret_onnx(after, picture);
    for (int i = 0; i < before.graph().output_size(); ++i) {
      const std::string& name = before.graph().output(i).name();
      ASSERT_EQ(after.graph().output(i).name(), name);
      ASSERT_TRUE(actual.contains(name)) << "nothing computes " << name;
      expect_near(actual.at(name), expected.at(name), name);
    }
  }
}

}  // namespace facepipe::test
