// Measures the energy that the processor uses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace facepipe::experiments {

/// Reads the RAPL counters of the processor's packages, which Linux offers as powercap. They count
/// the energy of all cores, whichever programs run on them, but not that of the memory. Virtual
/// machines usually don't have these counters, and only root can read them.
class CpuEnergy {
 public:
  /// `powercap` is the folder of the counters. Throws Error(device) with the reason if no package
  /// can be read.
  explicit CpuEnergy(const std::filesystem::path& powercap = "/sys/class/powercap");

  /// Returns the joules since construction. Counters wrap around after some minutes or more, so the
  /// function must be called more often. Throws Error(device) if a counter can't be read.
  [[nodiscard]] double joules();

 private:
  struct Package {
    std::filesystem::path counter;
    std::uint64_t range;  // largest value of the counter, in microjoules
    std::uint64_t last;
  };
  std::vector<Package> packages_;
  double joules_ = 0;
};

}  // namespace facepipe::experiments
