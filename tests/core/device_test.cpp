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

TEST(Devices, AreNumbersInTheirOrderOrAll) {
  EXPECT_EQ(parse_devices("all"), std::vector<int>{});
  EXPECT_EQ(parse_devices("0"), std::vector<int>{0});
  EXPECT_EQ(parse_devices("2,0,11"), (std::vector<int>{2, 0, 11}));
  for (const char* text : {"", ",", "0,", ",0", "0,,1", "0,0", "-1", "0, 1", "cuda:0", "ALL", "1x"})
    try {
      (void)parse_devices(text);
      ADD_FAILURE() << "accepted '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << text;
      EXPECT_EQ(std::string(error.what()), "--devices " + std::string(text) +
                                               ": expected all, or numbers of CUDA devices like "
                                               "0,2");
    }
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

TEST(Devices, ThoseNamedMustBeUsable) {
  CudaProbe probe = one_device();
  probe.devices.push_back({"Old Card", "is too old"});
  probe.devices.push_back({"Second Card", ""});
  const auto cuda = [](int index) { return Device{DeviceKind::cuda, index}; };
  EXPECT_EQ(resolve_devices({}, probe), (std::vector<Device>{cuda(0), cuda(2)}));
  EXPECT_EQ(resolve_devices({2, 0}, probe), (std::vector<Device>{cuda(2), cuda(0)}));
  const auto refusal = [](const std::vector<int>& wanted, const CudaProbe& found) -> std::string {
    try {
      (void)resolve_devices(wanted, found);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::device);
      return error.what();
    }
  };
  EXPECT_EQ(refusal({0, 1}, probe), "--devices 1: Old Card is too old");
  EXPECT_EQ(refusal({3}, probe), "--devices 3: there are 3 CUDA devices");
  probe.devices = {{"Old Card", "is too old"}};
  EXPECT_EQ(refusal({}, probe), "--devices all: Old Card is too old");
  EXPECT_EQ(refusal({}, CudaProbe{}), "--devices all: this build has no CUDA support");
}

}  // namespace
}  // namespace facepipe
