// The command line of bench_nms_cuda.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace facepipe::nms_bench {

struct Command {
  std::string verb;  ///< write, run, rules, matrix, cores, bitmask, once
  std::string path;  ///< the list, or write's folder
  std::string rule;  ///< once
  int replays = 200;
  std::vector<std::uint32_t> ks;  ///< matrix, cores: in the order given
};

/// Throws a std::exception, in one line, for a verb that there isn't, words too many or too few,
/// and options that the verb doesn't have or values outside their range.
[[nodiscard]] Command parse_command(std::vector<std::string> words);

}  // namespace facepipe::nms_bench
