// Says for which CUDA chips this program has code. It needs no CUDA.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace facepipe {

/// Code of the kernels for one compute capability: 8.6 has major 8 and minor 6.
struct ChipCode {
  int major = 0;
  int minor = 0;
  bool machine_code = true;   ///< for chips of this major version, from this minor version on
  bool intermediate = false;  ///< PTX, which the driver compiles for this and all later chips
  bool exact = false;  ///< for this compute capability alone (the letter in 90a), in both forms
};

/// Returns what a value of CMAKE_CUDA_ARCHITECTURES stands for, with commas between its parts:
/// "75-real,90". Returns an empty list, which stands for unknown code, if a part is not a number
/// with an ending of CMake. "native" and "all" depend on the machine that builds.
[[nodiscard]] std::vector<ChipCode> chip_codes(std::string_view architectures);

/// Returns whether a chip can run one of the codes. Unknown code is believed to run.
[[nodiscard]] bool runs_on_chip(const std::vector<ChipCode>& codes, int major, int minor);

/// Returns the compute capabilities as text: "7.5, 9.0 and newer". Returns "unknown chips" for
/// unknown code.
[[nodiscard]] std::string describe_chip_codes(const std::vector<ChipCode>& codes);

}  // namespace facepipe
