// The script for Bash. It needs no package bash-completion, and no program while it completes.
#include "app/options/command_names.h"
#include "app/options/completion/completion.h"
#include "app/options/completion/shell_hint.h"
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr const char* kHead =
    "# Completes command lines of facepipe in Bash. `facepipe completion bash` has printed it.\n";

/// The part of the script that doesn't depend on the tables. The functions of the other part set
/// `kind` and `choices`.
constexpr const char* kFunctions = R"BASH(
# _facepipe_split TEXT [QUOTE]: appends the words of TEXT to `words`, without their quotes. TEXT may
# begin within a quote. Sets `open` to the quote that is still open at the end.
_facepipe_split() {
  local text=$1 word='' letter
  local -i i begun=0
  open=${2-}
  for ((i = 0; i < ${#text}; i++)); do
    letter=${text:i:1}
    if [[ $open == "'" ]]; then
      if [[ $letter == "'" ]]; then open=''; else word+=$letter; fi
    elif [[ $letter == '\' ]]; then
      i+=1 begun=1
      if [[ $open == '"' && ${text:i:1} != [\"\\\$\`] ]]; then word+='\'; fi
      word+=${text:i:1}
    elif [[ $letter == "$open" ]]; then
      open=''
    elif [[ -z $open && $letter == [\'\"] ]]; then
      open=$letter begun=1
    elif [[ -z $open && $letter == [[:space:]] ]]; then
      if ((begun)); then words+=("$word"); fi
      word='' begun=0
    else
      word+=$letter begun=1
    fi
  done
  words+=("$word")
}

# _facepipe_offer TEXT: offers TEXT, if it begins with the current word. Readline replaces only the
# part of the word behind its first `cut` letters.
_facepipe_offer() {
  if [[ $1 == "$current"* ]]; then COMPREPLY+=("${1:cut}"); fi
}

# _facepipe_offer_files PREFIX: offers the files, or only the folders, of `kind`. PREFIX is the part
# of the current word before the file's name, such as --report=.
_facepipe_offer_files() {
  local prefix=$1 begin=${current#"$1"} home='' file ending
  local -i fails=0
  if [[ $begin == '~/'* ]]; then
    home=$HOME/ begin=${begin:2}
  fi
  shopt -q failglob && fails=1 && shopt -u failglob
  for file in "$home$begin"*; do
    [[ -e $file || -L $file ]] || continue
    [[ -z $home ]] || file='~/'${file:${#home}}
    # Without --, a name that begins with a dash would be an option.
    if [[ $file == -* && -z $prefix && -z $plain ]]; then
      [[ -z $begin ]] || continue
      COMPREPLY+=("./$file")
    elif [[ -d ${file/#'~/'/"$HOME/"} ]]; then
      COMPREPLY+=("$prefix$file")
    elif [[ $kind == files ]]; then
      ((${#choices[@]})) || COMPREPLY+=("$prefix$file")
      for ending in "${choices[@]}"; do
        if [[ $file == *"$ending" ]]; then COMPREPLY+=("$prefix$file"); fi
      done
    fi
  done
  ((fails)) && shopt -s failglob
  local -i i
  for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]:cut}; done
  compopt -o filenames  # Readline quotes the names, and adds a slash to folders.
}

# _facepipe_offer_value PREFIX: offers what `kind` and `choices` say.
_facepipe_offer_value() {
  local prefix=$1 choice
  case $kind in
    words) for choice in "${choices[@]}"; do _facepipe_offer "$prefix$choice"; done ;;
    list)
      local list=${current#"$prefix"} before=''
      [[ $list != *,* ]] || before=${list%,*},
      for choice in "${choices[@]}"; do
        [[ ,$before == *",$choice,"* ]] || _facepipe_offer "$prefix$before$choice"
      done
      compopt -o nospace
      ;;
    files | folders) _facepipe_offer_files "$prefix" ;;
  esac
}

_facepipe() {
  local -a words=() choices=()
  local open kind word current command='' option='' plain=''
  local -i cut=0 arguments=0
  _facepipe_split "$2"
  local replaced=${words[0]}
  words=()
  _facepipe_split "${COMP_LINE:0:COMP_POINT}"
  if [[ -n $open ]]; then  # $2 begins behind the open quote
    local -a all=("${words[@]}")
    words=()
    _facepipe_split "$2" "$open"
    replaced=${words[${#words[@]} - 1]}
    words=("${all[@]}")
  fi
  current=${words[${#words[@]} - 1]}
  if [[ $current == *"$replaced" ]]; then cut=$((${#current} - ${#replaced})); fi

  for word in "${words[@]:1:${#words[@]}-2}"; do
    if [[ -n $option ]]; then
      option=''
    elif [[ -n $plain ]]; then
      arguments+=1
    elif [[ $word == -- ]]; then
      plain=1
    elif [[ $word == -* ]]; then
      _facepipe_value_of "$command" "$word"
      [[ $kind == 'no value' ]] || option=$word
    else
      _facepipe_commands_in "$command"
      if ((${#choices[@]})); then command+=${command:+ }$word; else arguments+=1; fi
    fi
  done

  COMPREPLY=()
  if [[ -n $option ]]; then
    _facepipe_value_of "$command" "$option"
    _facepipe_offer_value ''
  elif [[ -z $plain && $current == --*=* ]]; then
    _facepipe_value_of "$command" "${current%%=*}"
    _facepipe_offer_value "${current%%=*}="
  elif [[ -z $plain && $current == -* ]]; then
    _facepipe_options_of "$command"
    for word in "${choices[@]}"; do _facepipe_offer "$word"; done
  else
    _facepipe_commands_in "$command"
    kind=words
    ((${#choices[@]})) || _facepipe_argument_of "$command" "$arguments"
    _facepipe_offer_value ''
  fi
}

complete -F _facepipe facepipe
)BASH";

std::string begin_function(const std::string& name, const std::string& says,
                           const std::string& variable) {
  return "\n# " + name + " " + says + "\n" + name + "() {\n  kind='no value' choices=()\n  case " +
         variable + " in\n";
}

std::string end_function() { return "  esac\n}\n"; }

std::string in_case(const std::string& patterns, const ShellHint& hint) {
  return "    " + patterns + ") kind=" + shell_quoted(name_of(hint.kind)) + " choices=(" +
         shell_words(hint.words) + ") ;;\n";
}

std::string words_in_case(const std::string& pattern, const std::vector<std::string>& words) {
  return in_case(shell_quoted(pattern), {ShellHint::Kind::words, words});
}

/// Returns the case patterns of an option in all of its commands: 'run --score' | 'hide --score'.
std::string patterns_of(const Row& row) {
  std::string patterns;
  const auto add = [&](const std::string& command) {
    for (const std::string& name : names_of(row))
      patterns += (patterns.empty() ? "" : " | ") + shell_quoted(command + ' ' + name);
  };
  for (const CommandRow& command : command_table())
    if (row.group_of(command.command) != nullptr) add(command.name);
  for (const Row& general : general_table())
    if (&general == &row) add("");
  return patterns;
}

std::string values() {
  std::string script = begin_function(
      "_facepipe_value_of", "COMMAND OPTION: says what values the option has.", "\"$1 $2\"");
  for (const Row* const row : rows_of(kAllCommands)) {
    const ShellHint hint = hint_of(*row);
    if (!row->is_argument() && hint.kind != ShellHint::Kind::no_value)
      script += in_case(patterns_of(*row), hint);
  }
  return script + end_function();
}

std::string options() {
  std::string script =
      begin_function("_facepipe_options_of", "COMMAND: says which options the command has.", "$1");
  const auto add = [&](const std::string& command, const std::vector<const Row*>& rows) {
    std::vector<std::string> names;
    for (const Row* const row : rows)
      if (!row->is_argument())
        for (std::string& name : names_of(*row)) names.push_back(std::move(name));
    script += words_in_case(command, names);
  };
  std::vector<const Row*> general;
  for (const Row& row : general_table()) general.push_back(&row);
  add("", general);
  for (const CommandRow& command : command_table()) add(command.name, rows_of(command.command));
  return script + end_function();
}

std::string commands() {
  std::string script = begin_function("_facepipe_commands_in",
                                      "COMMAND: says which words continue the command.", "$1");
  script += words_in_case("", first_words());
  for (const std::string& group : group_words()) {
    std::vector<std::string> seconds;
    for (const CommandRow* const command : commands_in(group))
      seconds.push_back(words_of(*command).back());
    script += words_in_case(group, seconds);
  }
  return script + end_function();
}

std::string arguments() {
  std::string script = begin_function(
      "_facepipe_argument_of",
      "COMMAND INDEX: says what the argument is that follows INDEX others.", "\"$1 $2\"");
  for (const CommandRow& command : command_table()) {
    int index = 0;
    for (const Row* const row : rows_of(command.command)) {
      const auto* const argument = std::get_if<Argument>(&row->value.kind);
      if (argument == nullptr) continue;
      const bool repeats = argument->several && row->words.empty();
      const std::string name = shell_quoted(std::string(command.name) + ' ');
      script += in_case(name + (repeats ? "*" : std::to_string(index)), hint_of(*row));
      ++index;
    }
  }
  return script + end_function();
}

}  // namespace

std::string bash_script() {
  return kHead + commands() + options() + values() + arguments() + kFunctions;
}

}  // namespace facepipe::app
