// Which device a run works on, with backends that fail where they are told to.
#include "app/backends.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_detector.h"

namespace facepipe {
namespace {

using test::expect_error;
using test::FakeDetectorFactory;

CudaProbe one_chip() {
  CudaProbe probe;
  probe.built = true;
  probe.devices = {{"Some Chip", ""}};
  return probe;
}

class DeviceChoiceTest : public testing::Test {
 protected:
  DeviceChoice choose(const char* device, const CudaProbe& cuda) {
    return choose_device(parse_device(device), cuda, {},
                         [this](const Device& on, const DetectorOptions&) { return make(on); });
  }

  std::unique_ptr<Backend> make(const Device& on) {
    tried_.push_back(to_string(on));
    const std::string& problem = on.kind == DeviceKind::cuda ? on_cuda_ : on_cpu_;
    if (!problem.empty()) throw Error(ErrorKind::device, problem);
    return make_cpu_backend(std::make_unique<FakeDetectorFactory>());
  }

  std::vector<std::string> tried_;
  std::string on_cuda_;  ///< why no backend can be made there
  std::string on_cpu_;
};

using Tried = std::vector<std::string>;

TEST_F(DeviceChoiceTest, AutoTakesTheChipWhereItWorks) {
  const DeviceChoice choice = choose("auto", one_chip());
  EXPECT_EQ(choice.device, (Device{DeviceKind::cuda, 0}));
  EXPECT_EQ(choice.why, "cuda:0: Some Chip");
  EXPECT_NE(choice.backend, nullptr);
  EXPECT_EQ(tried_, Tried{"cuda:0"});
}

TEST_F(DeviceChoiceTest, AutoTakesTheCpuWhereTheChipCantDoItAndSaysWhy) {
  on_cuda_ = "model.onnx: node 7 (Gelu): not known";
  const DeviceChoice choice = choose("auto", one_chip());
  EXPECT_EQ(choice.device, Device{});
  EXPECT_EQ(choice.why, "cpu: cuda:0 can't be used: model.onnx: node 7 (Gelu): not known");
  EXPECT_NE(choice.backend, nullptr);
  EXPECT_EQ(tried_, (Tried{"cuda:0", "cpu"}));
}

TEST_F(DeviceChoiceTest, AutoWithoutAChipAsksNone) {
  const DeviceChoice choice = choose("auto", {});
  EXPECT_EQ(choice.device, Device{});
  EXPECT_EQ(choice.why, "cpu: this build has no CUDA support");
  EXPECT_EQ(tried_, Tried{"cpu"});
}

TEST_F(DeviceChoiceTest, ADeviceThatIsNamedIsNeverReplaced) {
  on_cuda_ = "out of memory";
  expect_error(ErrorKind::device, "out of memory", [&] { (void)choose("cuda", one_chip()); });
  EXPECT_EQ(tried_, Tried{"cuda:0"});
  expect_error(ErrorKind::device, "--device cuda:1", [&] { (void)choose("cuda:1", one_chip()); });
}

TEST_F(DeviceChoiceTest, TheCpuByNameGivesNoReason) {
  const DeviceChoice choice = choose("cpu", one_chip());
  EXPECT_EQ(choice.device, Device{});
  EXPECT_EQ(choice.why, "");
  EXPECT_EQ(tried_, Tried{"cpu"});
}

TEST_F(DeviceChoiceTest, WhereNothingWorksTheCpusErrorIsTold) {
  on_cuda_ = "no memory";
  on_cpu_ = "model.onnx: is no ONNX";
  expect_error(ErrorKind::device, "is no ONNX", [&] { (void)choose("auto", one_chip()); });
}

}  // namespace
}  // namespace facepipe
