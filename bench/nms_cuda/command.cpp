#include "bench/nms_cuda/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace facepipe::nms_bench {
namespace {

constexpr int kMostReplays = 100000;
constexpr std::uint32_t kLargestK = 4096;

/// A verb and the list's path; `to` is filled in where the verb is parsed.
CLI::App* add_verb(CLI::App& app, const std::string& name, Command& to) {
  CLI::App* const verb = app.add_subcommand(name);
  verb->add_option("PATH", to.path)->required();
  return verb;
}

void add_replays(CLI::App& verb, Command& to) {
  verb.add_option("--replays", to.replays)->check(CLI::Range(1, kMostReplays));
}

void add_ks(CLI::App& verb, Command& to, const std::vector<std::uint32_t>& usual) {
  verb.add_option("--k", to.ks)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::uint32_t{1}, kLargestK));
  verb.callback([&to, usual] {
    if (to.ks.empty()) to.ks = usual;
  });
}

}  // namespace

Command parse_command(std::vector<std::string> words) {
  Command command;
  CLI::App app;
  app.set_help_flag();  // none: bench/nms_cuda_bench.cpp tells the command line
  app.require_subcommand(1);
  add_verb(app, "write", command);
  for (const char* const timed : {"run", "rules", "matrix", "cores", "bitmask"})
    add_replays(*add_verb(app, timed, command), command);
  add_ks(*app.get_subcommand("matrix"), command, {1, 2, 4, 8, 16, 32, 64, 128});
  add_ks(*app.get_subcommand("cores"), command, {32});
  add_verb(app, "once", command)->add_option("RULE", command.rule)->required();
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  app.parse(std::move(words));
  command.verb = app.get_subcommands().front()->get_name();
  return command;
}

}  // namespace facepipe::nms_bench
