// The rows of the commands plan, help and completion.
#include "app/options/command_names.h"
#include "app/options/completion/completion.h"
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr const char* kForms = "Forms of the help";
constexpr const char* kShells = "Shells";

}  // namespace

std::vector<Row> plan_rows() {
  return {
      {.names = "--json",
       .help = "Print the plan as JSON, for programs",
       .value = flag([](Asked& to) -> bool& { return to.plan.json; }),
       .places = {{kPlanCommands, kPlanned}}},
  };
}

std::vector<Row> help_rows() {
  return {
      {.names = "COMMAND",
       .help = "The command that the help is about. Without it, the help lists all commands",
       .value = {Argument{.several = true, .optional = true}},
       .words = first_words(),
       .places = {{kHelp, kForms}}},
      {.names = "--man",
       .help = "Print the help as a man page, which man -l - shows",
       .value = flag([](Asked& to) -> bool& { return to.help.man; }),
       .places = {{kHelp, kForms}}},
      {.names = "--json",
       .help = "Print all commands, options and exit codes as JSON, for programs",
       .value = flag([](Asked& to) -> bool& { return to.help.json; }),
       .excludes = {"--man"},
       .places = {{kHelp, kForms}}},
      {.names = "SHELL",
       .help = joined(shell_names(), " or "),
       .value = {Argument{}},
       .words = {shell_names().begin(), shell_names().end()},
       .places = {{kCompletion, kShells}}},
  };
}

}  // namespace facepipe::app
