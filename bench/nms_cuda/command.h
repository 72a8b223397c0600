// Parses the command line of bench_nms_cuda, and of programs with other verbs for the same lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace facepipe::bench {

/// Describes a verb of the command line and the options that it accepts.
struct Verb {
  std::string name;
  bool has_replays = true;
  bool has_rule = false;
  std::vector<std::uint32_t> usual_ks{};  ///< default of --k; empty: the verb has no --k
  bool has_parts = false;                 ///< whether the verb has --multiprocessors
  bool has_published = false;             ///< whether the verb has --published
  bool has_seconds = false;               ///< whether the verb has --seconds
};

struct Command {
  std::string verb;
  std::string path;  ///< the list's file; for the verb write, the folder
  std::string rule;  ///< empty if the verb has no rule
  int replays = 200;
  std::vector<std::uint32_t> ks{};     ///< values of --k, in the order of the command line
  std::vector<std::uint32_t> parts{};  ///< values of --multiprocessors; empty: all multiprocessors
                                       ///< of the device
  bool as_published = false;
  double seconds = 2;  ///< for how long a loop runs
};

/// Returns the verbs write, run, rules and once.
[[nodiscard]] std::vector<Verb> suppression_verbs();

/// Parses a command. Throws a std::exception with a text of one line in these cases: the verb is
/// unknown, there are too many or too few words, the verb doesn't have an option, or a value is out
/// of range.
[[nodiscard]] Command parse_command(const std::vector<Verb>& verbs, std::vector<std::string> words);

}  // namespace facepipe::bench
