// The command line of bench_nms_cuda, and of programs with other verbs on the same lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace facepipe::bench {

/// A verb and its options.
struct Verb {
  std::string name;
  bool has_replays = true;
  bool has_rule = false;
  std::vector<std::uint32_t> usual_ks{};  ///< empty: the verb has no --k
  bool has_parts = false;                 ///< --multiprocessors
  bool has_published = false;             ///< --published
  bool has_seconds = false;               ///< --seconds
};

struct Command {
  std::string verb;
  std::string path;  ///< the list; for write, the folder
  std::string rule;  ///< only if the verb has a rule
  int replays = 200;
  std::vector<std::uint32_t> ks{};     ///< in the order given
  std::vector<std::uint32_t> parts{};  ///< numbers of multiprocessors; empty: all of the device
  bool as_published = false;
  double seconds = 2;  ///< how long a loop takes
};

/// write, run, rules and once.
[[nodiscard]] std::vector<Verb> suppression_verbs();

/// Parses a command. Throws a std::exception with one line for an unknown verb, too many or too few
/// words, options that the verb doesn't have, and values outside their range.
[[nodiscard]] Command parse_command(const std::vector<Verb>& verbs, std::vector<std::string> words);

}  // namespace facepipe::bench
