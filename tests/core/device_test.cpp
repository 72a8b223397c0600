#include "core/device.h"

#include <gtest/gtest.h>

#include <tuple>

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace facepipe {
namespace {

TEST(Device, ParsesWhatTheHelpNames) {
  struct Case {
    const char* text;
    bool automatic;
    Device device;
  };
  const std::vector<Case> cases{
      {"auto", true, {}},
      {"cpu", false, {DeviceKind::cpu, 0}},
      {"cuda", false, {DeviceKind::cuda, 0}},
      {"cuda:0", false, {DeviceKind::cuda, 0}},
      {"cuda:7", false, {DeviceKind::cuda, 7}},
      {"cuda:12", false, {DeviceKind::cuda, 12}},
  };
  for (const Case& c : cases) {
    const DeviceRequest request = parse_device(c.text);
    EXPECT_EQ(request.automatic, c.automatic) << c.text;
    if (!c.automatic) {
      EXPECT_EQ(request.device, c.device) << c.text;
    }
  }
}

TEST(Device, RefusesEverythingElseAndNamesIt) {
  const std::vector<std::pair<const char*, const char*>> refused{
      {"", "nothing"},
      {"gpu", "unknown word"},
      {"CPU", "capitals"},
      {"cpu ", "a blank"},
      {"cpu:0", "there is only one cpu"},
      {"cuda:", "no number"},
      {"cuda:-1", "negative"},
      {"cuda:+1", "a sign"},
      {"cuda:1x", "more after the number"},
      {"cuda: 1", "a blank"},
      {"cuda:0x1", "no decimal number"},
      {"cuda:99999999999", "no int"},
      {"cudas", "more after the word"},
  };
  for (const auto& [text, why] : refused) {
    try {
      (void)parse_device(text);
      ADD_FAILURE() << "accepted '" << text << "': " << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << why;
      EXPECT_NE(std::string(error.what()).find("--device " + std::string(text)), std::string::npos)
          << error.what();
    }
  }
}

TEST(Device, NamesReadAsTheyAreWritten) {
  for (const char* name : {"cpu", "cuda:0", "cuda:3"})
    EXPECT_EQ(to_string(parse_device(name).device), name);
}

CudaProbe one_device() {
  CudaProbe probe;
  probe.built = true;
  probe.devices = {{"Card", ""}};
  return probe;
}

TEST(Device, ExplicitCpuNeedsNoReason) {
  std::string why;
  EXPECT_EQ(resolve_device(parse_device("cpu"), one_device(), why), (Device{DeviceKind::cpu, 0}));
  EXPECT_EQ(why, "");
}

TEST(Device, AutoTakesTheFirstDeviceThatCanBeUsedAndSaysWhatItChose) {
  CudaProbe second = one_device();
  second.devices = {{"Old Card", "is too old"}, {"Card", ""}};
  CudaProbe none = second;
  none.devices.pop_back();
  CudaProbe no_driver;
  no_driver.built = true;
  no_driver.problem = "no driver";
  const std::tuple<CudaProbe, Device, const char*> cases[] = {
      {one_device(), {DeviceKind::cuda, 0}, "cuda:0: Card"},
      {second, {DeviceKind::cuda, 1}, "cuda:1: Card"},
      {none, {}, "cpu: Old Card is too old"},
      {no_driver, {}, "cpu: no CUDA device: no driver"},
      {CudaProbe{}, {}, "cpu: this build has no CUDA support"},
  };
  for (const auto& [probe, device, reason] : cases) {
    std::string why;
    EXPECT_EQ(resolve_device(parse_device("auto"), probe, why), device) << reason;
    EXPECT_EQ(why, reason);
  }
}

TEST(Device, ExplicitDeviceThatIsThereIsTaken) {
  std::string why;
  EXPECT_EQ(resolve_device(parse_device("cuda"), one_device(), why), (Device{DeviceKind::cuda, 0}));
}

TEST(Device, ExplicitDeviceThatCannotBeUsedIsNeverReplaced) {
  CudaProbe no_driver;
  no_driver.built = true;
  no_driver.problem = "no driver";
  CudaProbe old = one_device();
  old.devices[0].problem = "is too old";
  CudaProbe none = one_device();
  none.devices.clear();
  const std::tuple<const char*, CudaProbe, const char*> refused[] = {
      {"cuda", CudaProbe{}, "this build has no CUDA support"},
      {"cuda", no_driver, "no CUDA device: no driver"},
      {"cuda", none, "no CUDA device"},
      {"cuda", old, "Card is too old"},
      {"cuda:1", one_device(), "there are 1 CUDA devices"},
      {"cuda:1000", one_device(), "cuda:1000"},
  };
  for (const auto& [text, probe, message] : refused) {
    std::string why;
    try {
      (void)resolve_device(parse_device(text), probe, why);
      ADD_FAILURE() << text << " was accepted where " << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace facepipe
