#include "experiments/programs/viola_jones/job.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "bench/grey_pictures.h"
#include "bench/most_multiprocessors.h"
#include "bench/program.h"

namespace facepipe::viola_jones {
namespace {

constexpr int kMostReplays = 100000;

}  // namespace

Command parse_command(std::vector<std::string> words, const std::vector<std::string>& verbs,
                      RunsOn where) {
  Command command;
  std::string size;
  CLI::App app;
  // There is no help option, because comments at the beginning of the programs document the command
  // line.
  app.set_help_flag();
  app.require_subcommand(1);
  for (const std::string& name : verbs) {
    CLI::App* const verb = app.add_subcommand(name);
    verb->add_option("CASCADE", command.cascade)->required();
    verb->add_option("SIZE", size)->required();
    verb->add_option("PICTURES", command.pictures);
    verb->add_option("--replays", command.replays)->check(CLI::Range(1, kMostReplays));
    if (where == RunsOn::device)
      verb->add_option("--multiprocessors", command.parts)
          ->expected(1)
          ->check(CLI::Range(std::uint32_t{1}, bench::kMostMultiprocessors));
  }
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the end of the vector
  app.parse(std::move(words));
  command.verb = app.get_subcommands().front()->get_name();
  command.size = bench::size_of(size);
  return command;
}

std::vector<Job> jobs_of(const Command& command) {
  const detector::cascade::Cascade cascade = detector::cascade::read_cascade(command.cascade);
  std::vector<Job> jobs;
  for (const std::string& picture : command.pictures)
    jobs.push_back({cascade, command.size, std::filesystem::path(picture).stem().string(),
                    bench::read_grey(picture, command.size)});
  return jobs;
}

}  // namespace facepipe::viola_jones
