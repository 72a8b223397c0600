// These tests check what CpuEnergy reads from folders with Linux's layout.
#include "experiments/programs/hardware/cpu_energy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::experiments {
namespace {

class CpuEnergyTest : public testing::Test {
 protected:
  void write(const std::string& package, const std::string& file, std::uint64_t value) const {
    const std::filesystem::path path = folder_.path() / package;
    std::filesystem::create_directories(path);
    std::ofstream(path / file) << value << '\n';
  }
  void write_package(const std::string& package, std::uint64_t microjoules) const {
    write(package, "energy_uj", microjoules);
    write(package, "max_energy_range_uj", 10'000'000);
  }

  test::TemporaryFolder folder_;
};

TEST_F(CpuEnergyTest, AddsUpThePackages) {
  write_package("intel-rapl:0", 1'000'000);
  write_package("intel-rapl:1", 2'000'000);
  CpuEnergy energy(folder_.path());
  EXPECT_DOUBLE_EQ(energy.joules(), 0);
  write_package("intel-rapl:0", 1'500'000);
  write_package("intel-rapl:1", 2'250'000);
  EXPECT_DOUBLE_EQ(energy.joules(), 0.75);
  EXPECT_DOUBLE_EQ(energy.joules(), 0.75);
}

TEST_F(CpuEnergyTest, CountsNoPartTwice) {
  write_package("intel-rapl", 0);
  write_package("intel-rapl:0", 0);
  write_package("intel-rapl:0:0", 0);
  write_package("intel-rapl-mmio:0", 0);
  CpuEnergy energy(folder_.path());
  for (const char* const name :
       {"intel-rapl", "intel-rapl:0", "intel-rapl:0:0", "intel-rapl-mmio:0"})
    write_package(name, 3'000'000);
  EXPECT_DOUBLE_EQ(energy.joules(), 3);
}

TEST_F(CpuEnergyTest, CountersWrapAround) {
  write_package("intel-rapl:0", 9'000'000);
  CpuEnergy energy(folder_.path());
  write_package("intel-rapl:0", 500'000);
  EXPECT_DOUBLE_EQ(energy.joules(), 1.5);
}

TEST_F(CpuEnergyTest, SaysWhyThereIsNone) {
  test::expect_error(ErrorKind::device, "no counter of the processor's energy",
                     [&] { CpuEnergy energy(folder_.path()); });
  test::expect_error(ErrorKind::device, "no counter of the processor's energy",
                     [&] { CpuEnergy energy(folder_.path() / "missing"); });
  write("intel-rapl:0", "max_energy_range_uj", 1);
  test::expect_error(ErrorKind::device, "energy_uj: it can't be read",
                     [&] { CpuEnergy energy(folder_.path()); });
}

}  // namespace
}  // namespace facepipe::experiments
