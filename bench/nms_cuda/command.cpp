#include "bench/nms_cuda/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/most_multiprocessors.h"

namespace facepipe::bench {
namespace {

constexpr int kMostReplays = 100000;
constexpr std::uint32_t kLargestK = 4096;
constexpr double kShortestLoop = 0.01;  // seconds
constexpr double kLongestLoop = 60;

void add_ks(CLI::App& app, Command& to, const std::vector<std::uint32_t>& usual) {
  app.add_option("--k", to.ks)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::uint32_t{1}, kLargestK));
  app.callback([&to, usual] {
    if (to.ks.empty()) to.ks = usual;
  });
}

void add_parts(CLI::App& app, Command& to) {
  app.add_option("--multiprocessors", to.parts)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::uint32_t{1}, kMostMultiprocessors));
}

/// Adds a verb to the command line. When the verb is parsed, CLI11 fills in `to`.
void add_verb(CLI::App& app, const Verb& verb, Command& to) {
  CLI::App& added = *app.add_subcommand(verb.name);
  added.add_option("PATH", to.path)->required();
  if (verb.has_replays)
    added.add_option("--replays", to.replays)->check(CLI::Range(1, kMostReplays));
  if (verb.has_rule) added.add_option("RULE", to.rule)->required();
  if (!verb.usual_ks.empty()) add_ks(added, to, verb.usual_ks);
  if (verb.has_parts) add_parts(added, to);
  if (verb.has_published) added.add_flag("--published", to.as_published);
  if (verb.has_seconds)
    added.add_option("--seconds", to.seconds)->check(CLI::Range(kShortestLoop, kLongestLoop));
}

}  // namespace

std::vector<Verb> suppression_verbs() {
  return {{.name = "write", .has_replays = false},
          {.name = "run"},
          {.name = "rules"},
          {.name = "once", .has_replays = false, .has_rule = true}};
}

Command parse_command(const std::vector<Verb>& verbs, std::vector<std::string> words) {
  Command command;
  CLI::App app;
  // There is no help option, because a comment in the program's source documents the command line.
  app.set_help_flag();
  app.require_subcommand(1);
  for (const Verb& verb : verbs) add_verb(app, verb, command);
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the end of the vector
  app.parse(std::move(words));
  command.verb = app.get_subcommands().front()->get_name();
  return command;
}

}  // namespace facepipe::bench
