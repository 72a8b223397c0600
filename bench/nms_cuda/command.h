// The command line of bench_nms_cuda, and of programs with other verbs on the same lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace facepipe::bench {

/// A verb, and which options it has.
struct Verb {
  std::string name;
  bool has_replays = true;
  bool has_rule = false;
  std::vector<std::uint32_t> usual_ks{};  ///< empty: the verb has no --k
};

struct Command {
  std::string verb;
  std::string path;  ///< the list, or write's folder
  std::string rule;  ///< if the verb has one
  int replays = 200;
  std::vector<std::uint32_t> ks{};  ///< in the order given
};

/// write, run, rules and once.
[[nodiscard]] std::vector<Verb> suppression_verbs();

/// Throws a std::exception, in one line, for a verb that there isn't, words too many or too few,
/// and options that the verb doesn't have or values outside their range.
[[nodiscard]] Command parse_command(const std::vector<Verb>& verbs, std::vector<std::string> words);

}  // namespace facepipe::bench
