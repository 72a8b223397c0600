#include "experiments/programs/hardware/cpu_energy.h"

#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "core/error.h"

namespace facepipe::experiments {
namespace {

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  if (!(in >> value)) return std::nullopt;
  return value;
}

/// Packages are named "intel-rapl:0", also on AMD's processors. The names of a package's parts have
/// a second colon.
bool is_package(const std::string& name) {
  const std::string begin = "intel-rapl:";
  return name.starts_with(begin) && name.find(':', begin.size()) == std::string::npos;
}

}  // namespace

CpuEnergy::CpuEnergy(const std::filesystem::path& powercap) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(powercap, error)) {
    if (!is_package(entry.path().filename().string())) continue;
    const std::filesystem::path counter = entry.path() / "energy_uj";
    const auto range = number_in(entry.path() / "max_energy_range_uj");
    const auto now = number_in(counter);
    if (!range || !now) throw Error(ErrorKind::device, counter.string() + ": it can't be read");
    packages_.push_back({counter, *range, *now});
  }
  if (packages_.empty())
    throw Error(ErrorKind::device, powercap.string() + ": no counter of the processor's energy");
}

double CpuEnergy::joules() {
  for (Package& package : packages_) {
    const auto now = number_in(package.counter);
    if (!now) throw Error(ErrorKind::device, package.counter.string() + ": it can't be read");
    const std::uint64_t passed = *now >= package.last ? *now - package.last  //
                                                      : *now + package.range - package.last;
    joules_ += 1e-6 * static_cast<double>(passed);
    package.last = *now;
  }
  return joules_;
}

}  // namespace facepipe::experiments
