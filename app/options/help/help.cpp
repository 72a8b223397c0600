#include "app/options/help/help.h"

#include <algorithm>
#include <functional>

#include "app/options/command_names.h"
#include "app/options/help/layout.h"
#include "app/options/help/meaning.h"
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr const char* kProgramHelp = "facepipe finds faces in video, and draws or hides them.";
constexpr std::size_t kExampleIndent = 4;
constexpr std::size_t kOptionColumn = 26;
constexpr std::size_t kCommandColumn = 15;
constexpr std::size_t kCodeColumn = 7;

void add_example(HelpText& help, const Example& example) {
  help.paragraph(example.says + ":", 2);
  help.line(example.line, kExampleIndent);
}

void add_exit_codes(HelpText& help) {
  help.heading("Exit codes");
  for (const ExitCode& code : exit_codes())
    help.entry({std::to_string(code.code)}, code.meaning, kCodeColumn);
  help.paragraph(exit_code_notes());
}

void add_commands(HelpText& help, const std::vector<const CommandRow*>& commands) {
  help.heading("Commands");
  for (const CommandRow* const command : commands)
    help.entry({command->name}, command->help, kCommandColumn);
}

std::vector<const CommandRow*> all_commands() {
  std::vector<const CommandRow*> commands;
  for (const CommandRow& command : command_table()) commands.push_back(&command);
  return commands;
}

HelpText::Left left_of(const Row& row) {
  const auto* const argument = std::get_if<Argument>(&row.value.kind);
  if (argument == nullptr) return {row.names, row.kind};
  return {row.names + (argument->several ? "..." : "")};
}

/// Adds the rows, group by group. The groups are in the order in which they occur first.
void add_options(HelpText& help, Commands command, HelpDepth depth) {
  for (const std::string& group : groups_of(command)) {
    if (group == kExperiments && depth != HelpDepth::all) continue;
    help.heading(group);
    for (const Row* const row : rows_of(command))
      if (row->group_of(command) == group)
        help.entry(left_of(*row), full_meaning(*row), kOptionColumn);
  }
}

std::string command_help(const CommandRow& command, HelpDepth depth, Colours colours) {
  HelpText help(colours);
  help.paragraph(command.help + std::string("."));
  help.heading("Usage");
  const std::string arguments = arguments_of(command.command);
  help.line(std::string("facepipe ") + command.name + " [OPTIONS]" +
                (arguments.empty() ? "" : " " + arguments),
            2);
  help.heading("Examples");
  for (const Example& example : examples_of(command.command)) add_example(help, example);
  add_options(help, command.command, depth);
  add_exit_codes(help);
  return help.text();
}

std::string group_help(const std::string& group, Colours colours) {
  HelpText help(colours);
  help.line("facepipe " + group + " is a group of commands.");
  help.heading("Usage");
  help.line("facepipe " + group + " COMMAND [OPTIONS]", 2);
  add_commands(help, commands_in(group));
  add_exit_codes(help);
  return help.text();
}

/// Adds what the help of the program and the short help begin with.
void begin_program_help(HelpText& help) {
  help.line(kProgramHelp);
  help.heading("Usage");
  help.line("facepipe COMMAND [OPTIONS] [ARGUMENTS]", 2);
}

std::string program_help(Colours colours) {
  HelpText help(colours);
  begin_program_help(help);
  help.heading("Examples");
  for (const CommandRow& command : command_table())
    add_example(help, examples_of(command.command).front());
  add_commands(help, all_commands());
  help.heading(kGeneral);
  for (const Row& row : general_table()) help.entry(left_of(row), full_meaning(row), kOptionColumn);
  add_exit_codes(help);
  help.empty_line();
  help.paragraph("facepipe help COMMAND lists the options of a command with their defaults.");
  return help.text();
}

std::string start_of_help(Colours colours) {
  HelpText help(colours);
  begin_program_help(help);
  // An example without its heading and meaning, and no empty line at the end, so that the help fits
  // on a terminal of 25 lines.
  help.line(examples_of(kRun).front().line, 2);
  add_commands(help, all_commands());
  help.paragraph("facepipe help COMMAND lists the options of a command.");
  return help.text();
}

/// @param make  a function that returns the text with these colours
ShowText in_both_looks(const std::function<std::string(Colours)>& make) {
  return {make(Colours::none), make(Colours::ansi)};
}

}  // namespace

ShowText help_on(const std::string& name, HelpDepth depth) {
  if (name.empty()) return in_both_looks(program_help);
  if (const CommandRow* const command = find_command(name))
    return in_both_looks([&](Colours colours) { return command_help(*command, depth, colours); });
  if (commands_in(name).empty()) refuse_command(name);
  return in_both_looks([&](Colours colours) { return group_help(name, colours); });
}

ShowText short_help() {
  ShowText help = in_both_looks(start_of_help);
  help.lacks_command = true;
  return help;
}

}  // namespace facepipe::app
