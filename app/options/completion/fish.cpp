// The script for fish.
#include <algorithm>

#include "app/options/command_names.h"
#include "app/options/completion/completion.h"
#include "app/options/completion/shell_hint.h"
#include "app/options/help/meaning.h"
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr const char* kHead =
    R"FISH(# Completes command lines of facepipe in fish. `facepipe completion fish` has printed it.

# Prints the words before the cursor that are neither options nor their values: the command and its
# arguments.
function __facepipe_plain_words
    set -l skip 0
    set -l plain 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if test $plain = 1
            printf '%s\n' $word
        else if test "$word" = --
            set plain 1
        else if contains -- $word $__facepipe_valued
            set skip 1
        else if not string match -q -- '-*' $word
            printf '%s\n' $word
        end
    end
end

# Says whether one of these is the command before the cursor: "model-check" is the command model
# check, and "" stands for the beginning of the line.
function __facepipe_uses
    set -l words (__facepipe_plain_words)
    set -l command "$words[1]"
    if contains -- "$command" $__facepipe_groups; and set -q words[2]
        set command "$command-$words[2]"
    end
    contains -- "$command" $argv
end

# Says whether the line has so many arguments behind the command, which has LENGTH words.
function __facepipe_has --argument-names arguments length
    test (count (__facepipe_plain_words)) = (math $arguments + $length)
end

# Prints the folders, and the files with one of these endings, that begin as the current word does.
# fish separates them by line breaks, so a name that contains one can't be offered.
function __facepipe_files
    set -l token (string replace -r -- '^--[a-z0-9-]+=' '' (commandline -ct | string collect))
    for file in (complete -C "'' $token" | string replace -r -- '\t.*' '')
        set -l path (string replace -r -- '^~/' "$HOME/" $file)
        if string match -q -- '*/' $file; and test -d "$path"
            printf '%s\n' $file
        else if test -f "$path"
            for ending in $argv
                if string match -q -- "*$ending" $file
                    printf '%s\n' $file
                end
            end
        end
    end
end

# Prints the list so far with each word that it lacks.
function __facepipe_list
    set -l token (string replace -r -- '^--[a-z0-9-]+=' '' (commandline -ct))
    set -l before (string match -r -- '^.*,' "$token")
    for word in $argv
        if not contains -- $word (string split -- , "$before")
            printf '%s\n' "$before$word"
        end
    end
end

complete -c facepipe -e
)FISH";

/// Returns "model-check" for the command `model check`.
std::string key_of(const CommandRow& command) {
  std::string key = command.name;
  std::ranges::replace(key, ' ', '-');
  return key;
}

/// Returns a line that sets a variable to these words.
std::string variable(const std::string& name, const std::vector<std::string>& words) {
  return "set -g " + name + ' ' + shell_words(words) + '\n';
}

/// Returns the variables that the functions read: the options that have a value, and the groups.
std::string variables() {
  std::vector<std::string> valued;
  for (const Row* const row : rows_of(kAllCommands)) {
    if (row->is_argument() || hint_of(*row).kind == ShellHint::Kind::no_value) continue;
    for (const std::string& name : names_of(*row))
      if (std::ranges::find(valued, name) == valued.end()) valued.push_back(name);
  }
  return variable("__facepipe_valued", valued) + variable("__facepipe_groups", group_words());
}

/// Returns the options of `complete` that say what a value may be.
std::string value_of(const ShellHint& hint) {
  switch (hint.kind) {
    case ShellHint::Kind::no_value:
      return {};
    case ShellHint::Kind::text:
      return " -x";
    case ShellHint::Kind::words:
      return " -x -a " + shell_quoted(shell_words(hint.words));
    case ShellHint::Kind::list:
      return " -x -a " + shell_quoted("(__facepipe_list " + shell_words(hint.words) + ")");
    case ShellHint::Kind::files:
      if (hint.words.empty()) return " -r -F";
      return " -x -a " + shell_quoted("(__facepipe_files " + shell_words(hint.words) + ")");
    default:
      return " -x -a '(__fish_complete_directories)'";
  }
}

std::string complete_line(const std::string& condition, const std::string& rest,
                          const std::string& description) {
  return "complete -c facepipe -n " + shell_quoted(condition) + rest +
         (description.empty() ? "" : " -d " + shell_quoted(description)) + '\n';
}

/// Returns "__facepipe_uses 'run' 'hide'" for the commands that have an option.
std::string users_of(const Row& row, bool general) {
  std::vector<std::string> keys;
  if (general) keys.emplace_back();
  for (const CommandRow& command : command_table())
    if (row.group_of(command.command) != nullptr) keys.push_back(key_of(command));
  return "__facepipe_uses " + shell_words(keys);
}

std::string option_line(const Row& row, bool general) {
  std::string names;
  for (const std::string& name : names_of(row))
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return complete_line(users_of(row, general), names + value_of(hint_of(row)), brief_meaning(row));
}

std::string options() {
  std::string lines;
  for (const Row& row : option_table())
    if (!row.is_argument()) lines += option_line(row, false);
  for (const Row& row : general_table()) lines += option_line(row, true);
  return lines;
}

std::string commands() {
  std::string lines;
  for (const std::string& word : first_words())
    lines +=
        complete_line("__facepipe_uses ''", " -f -a " + shell_quoted(word), help_of_word(word));
  for (const std::string& group : group_words())
    for (const CommandRow* const command : commands_in(group))
      lines += complete_line("__facepipe_uses " + shell_quoted(group),
                             " -f -a " + shell_quoted(words_of(*command).back()), command->help);
  return lines;
}

/// Returns the lines of the arguments. fish offers files for an argument, unless a line says what
/// else it can be.
std::string arguments() {
  std::string lines;
  for (const CommandRow& command : command_table()) {
    const std::string user = "__facepipe_uses " + shell_quoted(key_of(command));
    const std::string length = std::to_string(words_of(command).size());
    int index = 0;
    bool any_files = false;
    for (const Row* const row : rows_of(command.command)) {
      if (!row->is_argument()) continue;
      const ShellHint hint = hint_of(*row);
      const std::string place = "; and __facepipe_has " + std::to_string(index++) + ' ' + length;
      if (hint.kind == ShellHint::Kind::files && hint.words.empty())
        any_files = true;
      else
        lines += complete_line(user + place, value_of(hint), "");
    }
    if (!any_files) lines += complete_line(user, " -f", "");
  }
  return lines;
}

}  // namespace

std::string fish_script() { return kHead + variables() + commands() + arguments() + options(); }

}  // namespace facepipe::app
