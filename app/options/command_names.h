// Finds commands by their names. A command of two words, such as `model check`, is in a group.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/options/table.h"

namespace facepipe::app {

/// Returns the words of a command: {"model", "check"}.
[[nodiscard]] std::vector<std::string> words_of(const CommandRow& command);

/// Returns the first words of all commands, each once.
[[nodiscard]] std::vector<std::string> first_words();

/// Returns the first words of commands of two words, each once: {"plan", "model"}.
[[nodiscard]] std::vector<std::string> group_words();

/// Returns what the commands with this first word do.
[[nodiscard]] std::string help_of_word(const std::string& first);

/// Returns the command of this name ("model check"); null if there is none.
[[nodiscard]] const CommandRow* find_command(std::string_view name);

/// Returns the commands whose first word is `group`, if they have two words.
[[nodiscard]] std::vector<const CommandRow*> commands_in(std::string_view group);

/// Returns the names of all commands: "run, hide, ... and completion".
[[nodiscard]] std::string command_names();

/// Throws Error(usage), which says that there is no command of this name, and which command may be
/// meant.
[[noreturn]] void refuse_command(const std::string& name);

}  // namespace facepipe::app
