// The script for zsh, which uses zsh's own function _arguments.
#include "app/options/command_names.h"
#include "app/options/completion/completion.h"
#include "app/options/completion/shell_hint.h"
#include "app/options/help/meaning.h"
#include "app/options/table.h"
#include "app/output/joined.h"

namespace facepipe::app {
namespace {

constexpr const char* kHead = R"ZSH(#compdef facepipe
# Completes command lines of facepipe in zsh. `facepipe completion zsh` has printed it.

# Without --, a file whose name begins with a dash would be an option. This function then sets `ignored`
# to what makes zsh leave out such files.
_facepipe_ignore() {
  ignored=()
  if (( ! ${words[(I)--]} || ${words[(I)--]} >= CURRENT )); then ignored=(-F '(|*/)-*'); fi
}

# _facepipe_files [OPTIONS]: completes files, with these options of compadd.
_facepipe_files() {
  local -a ignored
  _facepipe_ignore
  _files $ignored "$@"
}

# _facepipe_files_of [OPTIONS] ENDINGS: completes folders, and files with one of these endings, a pattern.
# _files would offer all files if none has the ending.
_facepipe_files_of() {
  local -a ignored
  _facepipe_ignore
  _path_files $ignored "${@[1,-2]}" -g "*(-/) *$@[-1](-.)"
}
)ZSH";

/// The line that is last in a file of zsh's folder of functions. A user may also source the file.
constexpr const char* kTail = R"ZSH(
if [[ $funcstack[1] == _facepipe ]]; then
  _facepipe "$@"
else
  compdef _facepipe facepipe
fi
)ZSH";

/// Escapes what ends a part of a specification of _arguments.
std::string escaped_part(std::string_view text) {
  std::string part;
  for (const char letter : text) {
    if (letter == '\\' || letter == ':' || letter == '[' || letter == ']') part += '\\';
    part += letter;
  }
  return part;
}

/// Returns a call that completes files with these endings, which begin with a dot.
std::string files_call(const std::vector<std::string>& endings) {
  if (endings.empty()) return "_facepipe_files";
  return "_facepipe_files_of \"(" + joined_by(endings, "|") + ")\"";
}

/// Returns the part ":MESSAGE:ACTION" of a specification; nothing for a flag.
std::string value_part(const std::string& message, const ShellHint& hint) {
  const std::string head = ':' + escaped_part(message) + ':';
  switch (hint.kind) {
    case ShellHint::Kind::no_value:
      return {};
    case ShellHint::Kind::text:
      return head + ' ';
    case ShellHint::Kind::words:
      return head + '(' + joined_by(hint.words, " ") + ')';
    case ShellHint::Kind::list:
      return head + "_values -s , " + message + ' ' + joined_by(hint.words, " ");
    case ShellHint::Kind::files:
      return head + files_call(hint.words);
    default:
      return head + "_files -/";
  }
}

/// Returns the names of all options that can't stand beside this one, in parentheses.
std::string exclusions_of(const Row& row, Commands command) {
  std::vector<std::string> names;
  if (!row.again) names = names_of(row);
  for (const Row* const other : rows_of(command))
    for (const char* const excluded : row.excludes)
      if (other->name() == excluded)
        for (std::string& name : names_of(*other)) names.push_back(std::move(name));
  return names.empty() ? "" : '(' + joined_by(names, " ") + ')';
}

std::string option_specifications(const Row& row, Commands command) {
  const ShellHint hint = hint_of(row);
  const bool has_value = hint.kind != ShellHint::Kind::no_value;
  std::string specifications;
  for (const std::string& name : names_of(row)) {
    const char* const behind = !has_value ? "" : name.starts_with("--") ? "=" : "+";
    specifications +=
        "    " +
        shell_quoted(exclusions_of(row, command) + (row.again ? "*" : "") + name + behind + '[' +
                     escaped_part(brief_meaning(row)) + ']' + value_part(row.kind, hint)) +
        " \\\n";
  }
  return specifications;
}

std::string argument_specification(const Row& row, int index) {
  const bool repeats = std::get<Argument>(row.value.kind).several && row.words.empty();
  return "    " +
         shell_quoted((repeats ? "*" : std::to_string(index)) +
                      value_part(row.names, hint_of(row))) +
         " \\\n";
}

/// Returns a case of the function _facepipe: how the options and arguments of a command complete.
std::string command_case(const CommandRow& command) {
  std::string specifications;
  int index = 1;
  for (const Row* const row : rows_of(command.command))
    specifications += row->is_argument() ? argument_specification(*row, index++)
                                         : option_specifications(*row, command.command);
  return "  (" + shell_quoted(command.name) + ")\n  _arguments -S -C : \\\n" + specifications +
         "    && result=0\n  ;;\n";
}

/// Returns an entry of words_function(): a word, and what it does.
std::string word_entry(const std::string& word, const std::string& help) {
  return "    " + shell_quoted(escaped_part(word) + ':' + help) + "\n";
}

/// Returns a function that offers words that continue a command.
std::string words_function(const std::string& name, const std::string& entries) {
  return "\n" + name + "() {\n  local -a commands=(\n" + entries +
         "  )\n  _describe -t commands command commands\n}\n";
}

std::string groups() {
  std::string firsts;
  for (const std::string& word : first_words()) firsts += word_entry(word, help_of_word(word));
  std::string functions = words_function("_facepipe_commands", firsts);
  for (const std::string& group : group_words()) {
    std::string seconds;
    for (const CommandRow* const command : commands_in(group))
      seconds += word_entry(words_of(*command).back(), command->help);
    functions += words_function("_facepipe_commands_" + group, seconds);
  }
  return functions;
}

/// Returns the cases of the groups of commands, whose second word chooses the command.
std::string group_cases() {
  std::string cases;
  for (const std::string& group : group_words()) {
    cases += "  (" + shell_quoted(group) + ")\n  _arguments -C : '1: :_facepipe_commands_" + group +
             "' '*::: :->arguments' && result=0\n"
             "  if [[ $state == arguments ]]; then\n"
             "    words=(\"$line[1]\" \"${words[@]}\")\n"
             "    (( CURRENT += 1 ))\n"
             "    _facepipe_command \"$1 $line[1]\" && result=0\n"
             "  fi\n  ;;\n";
  }
  return cases;
}

std::string command_function() {
  std::string cases;
  for (const CommandRow& command : command_table()) cases += command_case(command);
  return "\n# _facepipe_command COMMAND: completes what follows a command.\n_facepipe_command() {\n"
         "  local state line result=1\n  typeset -A opt_args\n  case $1 in\n" +
         cases + group_cases() + "  esac\n  return result\n}\n";
}

std::string main_function() {
  std::string specifications;
  for (const Row& row : general_table()) specifications += option_specifications(row, kAllCommands);
  return "\n_facepipe() {\n"
         "  local curcontext=$curcontext state line result=1\n  typeset -A opt_args\n"
         // Without -S, because _arguments would take a "--" away from the command.
         "  _arguments -C : \\\n" +
         specifications +
         "    '1: :_facepipe_commands' '*::: :->arguments' && result=0\n"
         "  if [[ $state == arguments ]]; then\n"
         "    words=(\"$line[1]\" \"${words[@]}\")\n"
         "    (( CURRENT += 1 ))\n"
         "    curcontext=\"${curcontext%:*:*}:facepipe-$line[1]:\"\n"
         "    _facepipe_command \"$line[1]\" && result=0\n"
         "  fi\n  return result\n}\n";
}

}  // namespace

std::string zsh_script() { return kHead + groups() + command_function() + main_function() + kTail; }

}  // namespace facepipe::app
