// These tests check which device a run chooses. A test decides which backends fail.
#include "app/backends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "pipeline/cpu/backend.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_detector.h"

namespace facepipe::app {
namespace {

using test::expect_error;
using test::FakeDetectorFactory;

CudaProbe one_chip() {
  CudaProbe probe;
  probe.built = true;
  probe.devices = {{"Some Chip", ""}};
  return probe;
}

CudaProbe three_chips() {
  CudaProbe probe = one_chip();
  probe.devices.resize(3, probe.devices.front());
  return probe;
}

class DeviceChoiceTest : public testing::Test {
 protected:
  DeviceChoice choose(const char* device, const CudaProbe& cuda) {
    return choose_device(
        parse_device(device), cuda, {},
        [this](const Device& on, const detector::DetectorOptions&) { return make(on); });
  }

  DeviceChoice choose_several(const char* devices, const CudaProbe& cuda) {
    return choose_devices(
        parse_devices(devices), cuda, {},
        [this](const Device& on, const detector::DetectorOptions&) { return make(on); });
  }

  std::unique_ptr<pipeline::Backend> make(const Device& on) {
    {
      const std::scoped_lock lock(mutex_);
      tried_.push_back(to_string(on));
    }
    if (on.index == 1 && !on_second_.empty()) throw Error(ErrorKind::device, on_second_);
    const std::string& problem = on.kind == DeviceKind::cuda ? on_cuda_ : on_cpu_;
    if (!problem.empty()) throw Error(ErrorKind::device, problem);
    return pipeline::make_cpu_backend(std::make_unique<FakeDetectorFactory>());
  }

  std::mutex mutex_;                ///< backends of several devices are made at the same time
  std::vector<std::string> tried_;  ///< guarded by mutex_
  std::string on_cuda_;             ///< reason why cuda:0 can't be used; empty if it can be used
  std::string on_cpu_;
  std::string on_second_;
};

using Tried = std::vector<std::string>;
using Devices = std::vector<Device>;

TEST_F(DeviceChoiceTest, AutoTakesTheChipWhereItWorks) {
  const DeviceChoice choice = choose("auto", one_chip());
  EXPECT_EQ(choice.devices, (Devices{{DeviceKind::cuda, 0}}));
  EXPECT_EQ(choice.why, "cuda:0: Some Chip");
  EXPECT_NE(choice.backend, nullptr);
  EXPECT_EQ(tried_, Tried{"cuda:0"});
}

TEST_F(DeviceChoiceTest, AutoTakesTheCpuWhereTheChipCantDoItAndSaysWhy) {
  on_cuda_ = "model.onnx: node 7 (Gelu): not known";
  const DeviceChoice choice = choose("auto", one_chip());
  EXPECT_EQ(choice.devices, Devices{Device{}});
  EXPECT_EQ(choice.why, "cpu: cuda:0 can't be used: model.onnx: node 7 (Gelu): not known");
  EXPECT_NE(choice.backend, nullptr);
  EXPECT_EQ(tried_, (Tried{"cuda:0", "cpu"}));
}

TEST_F(DeviceChoiceTest, AutoWithoutAChipAsksNone) {
  const DeviceChoice choice = choose("auto", {});
  EXPECT_EQ(choice.devices, Devices{Device{}});
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
  EXPECT_EQ(choice.devices, Devices{Device{}});
  EXPECT_EQ(choice.why, "");
  EXPECT_EQ(tried_, Tried{"cpu"});
}

TEST_F(DeviceChoiceTest, WhereNothingWorksTheCpusErrorIsTold) {
  on_cuda_ = "no memory";
  on_cpu_ = "model.onnx: is not ONNX";
  expect_error(ErrorKind::device, "is not ONNX", [&] { (void)choose("auto", one_chip()); });
}

TEST_F(DeviceChoiceTest, AllAreThoseThatWorkAndSayWhichDont) {
  on_second_ = "out of memory";
  const DeviceChoice choice = choose_several("all", three_chips());
  EXPECT_EQ(choice.devices, (Devices{{DeviceKind::cuda, 0}, {DeviceKind::cuda, 2}}));
  EXPECT_EQ(choice.why, "cuda:1 can't be used: out of memory");
  EXPECT_NE(choice.backend, nullptr);
  std::ranges::sort(tried_);
  EXPECT_EQ(tried_, (Tried{"cuda:0", "cuda:1", "cuda:2"}));
}

TEST_F(DeviceChoiceTest, AllWithoutOneThatWorksAreRefused) {
  on_cuda_ = "out of memory";
  expect_error(ErrorKind::device,
               "--devices all: cuda:0 can't be used: out of memory; cuda:1 can't be used: out of "
               "memory; cuda:2 can't be used: out of memory",
               [&] { (void)choose_several("all", three_chips()); });
  expect_error(ErrorKind::device, "no CUDA support", [&] { (void)choose_several("all", {}); });
}

TEST_F(DeviceChoiceTest, OfThoseThatAreNamedNoneIsLeftOut) {
  const DeviceChoice choice = choose_several("2,0", three_chips());
  EXPECT_EQ(choice.devices, (Devices{{DeviceKind::cuda, 2}, {DeviceKind::cuda, 0}}));
  EXPECT_EQ(choice.why, "");
  on_second_ = "out of memory";
  expect_error(ErrorKind::device, "--devices: cuda:1 can't be used: out of memory",
               [&] { (void)choose_several("0,1", three_chips()); });
}

}  // namespace
}  // namespace facepipe::app
