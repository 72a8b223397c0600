// Measures the energy that the processor takes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace facepipe::experiments {

/// Reads the counters of the processor's packages that Linux shows of RAPL (powercap). They count
/// what all cores take, whatever runs on them, but no memory. Virtual machines usually don't have
/// them, and only root can read them.
class CpuEnergy {
 public:
  /// `powercap` is Linux's folder of the counters. Throws Error(device) with the reason if no
  /// package can be read.
  explicit CpuEnergy(const std::filesystem::path& powercap = "/sys/class/powercap");

  /// Returns the joules since construction. Counters wrap around, after minutes at the earliest, so
  /// it must be called more often than that. Throws Error(device) if a counter can't be read.
  [[nodiscard]] double joules();

 private:
  struct Package {
    std::filesystem::path counter;
    std::uint64_t range;  // the counter's greatest value, in microjoules
    std::uint64_t last;
  };
  std::vector<Package> packages_;
  double joules_ = 0;
};

}  // namespace facepipe::experiments
