// These tests check which devices of a machine with several GPUs a run lets CUDA's driver start.
#include "app/visible_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::TemporaryFolder;

RunOptions on_device(const char* device) {
  RunOptions options;
  options.device = parse_device(device);
  return options;
}

RunOptions on_devices(const char* devices) {
  RunOptions options;
  options.devices = parse_devices(devices);
  return options;
}

const std::vector<std::string> kEqual{"A", "A", "A", "A"};

TEST(NeededDevices, AreThoseUpToTheLastThatIsNamed) {
  EXPECT_EQ(needed_devices(on_device("cuda"), kEqual), 1);
  EXPECT_EQ(needed_devices(on_device("cuda:2"), kEqual), 3);
  EXPECT_EQ(needed_devices(on_device("cuda:7"), kEqual), 8) << "the run says that there is none";
  EXPECT_EQ(needed_devices(on_devices("0"), kEqual), 1);
  EXPECT_EQ(needed_devices(on_devices("3,1"), kEqual), 4);
  EXPECT_EQ(needed_devices(on_devices("1"), {}), 2) << "the models don't matter";
}

TEST(NeededDevices, AreAllWhereAnyMayBeUsed) {
  EXPECT_EQ(needed_devices(on_devices("all"), kEqual), std::nullopt);
  EXPECT_EQ(needed_devices(on_device("cuda:64"), kEqual), std::nullopt);
  EXPECT_EQ(needed_devices(on_device("cpu"), kEqual), std::nullopt);
}

TEST(NeededDevices, OfAutoAreTheFirstOneAmongEqualOnes) {
  EXPECT_EQ(needed_devices(on_device("auto"), kEqual), 1);
  EXPECT_EQ(needed_devices(on_device("auto"), {"A"}), 1);
  EXPECT_EQ(needed_devices(on_device("auto"), {"A", "A", "B"}), std::nullopt);
  EXPECT_EQ(needed_devices(on_device("auto"), {"", ""}), std::nullopt) << "unknown";
  EXPECT_EQ(needed_devices(on_device("auto"), {}), std::nullopt);
}

/// Keeps the variable of the process.
class VisibleDevices : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* const value = std::getenv(kName)) before_ = value;
    unsetenv(kName);
  }
  void TearDown() override {
    unsetenv(kName);
    if (before_) setenv(kName, before_->c_str(), 1);
  }
  static constexpr const char* kName = "CUDA_VISIBLE_DEVICES";
  std::optional<std::string> before_;
};

TEST_F(VisibleDevices, AreTheFirstOnes) {
  show_needed_devices(on_device("cpu"));
  EXPECT_EQ(std::getenv(kName), nullptr);
  show_needed_devices(on_device("cuda:2"));
  EXPECT_STREQ(std::getenv(kName), "0,1,2");
}

TEST_F(VisibleDevices, AreThoseThatTheUserHasChosen) {
  setenv(kName, "3", 1);
  show_needed_devices(on_device("cuda:0"));
  EXPECT_STREQ(std::getenv(kName), "3");
}

TEST(GpuModels, StandInTheDriversFiles) {
  const TemporaryFolder dir;
  for (const char* const gpu : {"0000:01:00.0", "0000:02:00.0"}) {
    std::filesystem::create_directories(dir / gpu);
    std::ofstream(dir / gpu / "information")
        << "Model: \t\t NVIDIA Some Chip\nIRQ:   \t\t 77\nGPU UUID: \t GPU-" << gpu << '\n';
  }
  const std::string line = "Model: \t\t NVIDIA Some Chip";
  EXPECT_THAT(gpu_models(dir / "."), testing::ElementsAre(line, line));
  std::filesystem::create_directories(dir / "0000:03:00.0");
  EXPECT_THAT(gpu_models(dir / "."), testing::UnorderedElementsAre(line, line, ""));
  EXPECT_THAT(gpu_models(dir / "missing"), testing::IsEmpty());
}

}  // namespace
}  // namespace facepipe::app
