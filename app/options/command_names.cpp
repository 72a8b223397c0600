#include "app/options/command_names.h"

#include <algorithm>
#include <utility>

#include "app/options/values.h"
#include "core/error.h"

namespace facepipe::app {
std::vector<std::string> words_of(const CommandRow& command) {
  const std::string name = command.name;
  const std::size_t space = name.find(' ');
  if (space == std::string::npos) return {name};
  return {name.substr(0, space), name.substr(space + 1)};
}

std::vector<std::string> first_words() {
  std::vector<std::string> firsts;
  for (const CommandRow& command : command_table()) {
    const std::string first = words_of(command).front();
    if (std::ranges::find(firsts, first) == firsts.end()) firsts.push_back(first);
  }
  return firsts;
}

std::vector<std::string> group_words() {
  std::vector<std::string> groups = first_words();
  std::erase_if(groups, [](const std::string& word) { return commands_in(word).empty(); });
  return groups;
}

std::string help_of_word(const std::string& first) {
  const std::vector<const CommandRow*> commands = commands_in(first);
  if (commands.empty()) return find_command(first)->help;
  if (commands.size() == 1) return commands.front()->help;
  std::vector<std::string_view> names;
  for (const CommandRow* const command : commands) names.emplace_back(command->name);
  return "Begins the commands " + joined(std::move(names), " and ");
}

const CommandRow* find_command(std::string_view name) {
  const auto found = std::ranges::find(command_table(), name, &CommandRow::name);
  return found == command_table().end() ? nullptr : &*found;
}

std::vector<const CommandRow*> commands_in(std::string_view group) {
  std::vector<const CommandRow*> commands;
  for (const CommandRow& command : command_table())
    if (const auto words = words_of(command); words.size() > 1 && words.front() == group)
      commands.push_back(&command);
  return commands;
}

std::string command_names() {
  std::vector<std::string_view> names;
  for (const CommandRow& command : command_table()) names.emplace_back(command.name);
  return joined(std::move(names), " and ");
}

void refuse_command(const std::string& name) {
  std::vector<std::string> names;
  for (const CommandRow& command : command_table()) names.emplace_back(command.name);
  if (commands_in(name).empty())
    for (const std::string& word : group_words()) names.push_back(word);
  const std::string meant = near_miss(name, names);
  throw Error(ErrorKind::usage, name + ": unknown command; " +
                                    (meant.empty() ? "the commands are " + command_names()
                                                   : "did you mean " + meant + "?"));
}

}  // namespace facepipe::app
