#include "app/options/help/man_page.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

#include "app/options/command_names.h"
#include "app/options/completion/shell_hint.h"
#include "app/options/help/layout.h"
#include "app/options/help/meaning.h"
#include "app/options/table.h"

namespace facepipe::app {
namespace {

constexpr std::size_t kSourceWidth = 80;

/// Escapes what roff would take for its own: backslashes, and dashes and quotes, which it would
/// print as other characters.
std::string escaped(std::string_view text) {
  std::string roff;
  for (const char letter : text) {
    switch (letter) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '~':
        roff += "\\(ti";
        break;
      default:
        roff += letter;
    }
  }
  return roff;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

/// Returns prose as lines of source. A line that begins with a dot would be a macro.
std::string prose(std::string_view text) {
  std::string roff;
  for (const std::string& line : lines_of(escaped(text), kSourceWidth))
    roff += (line.starts_with('.') ? "\\&" : "") + line + '\n';
  return roff;
}

std::string section(const std::string& name) { return ".SH " + name + "\n"; }

/// Returns "model\-check" for the command `model check`.
std::string page_name(const std::string& command) {
  std::string name = command.empty() ? "facepipe" : "facepipe-" + command;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string title(const std::string& name, const std::string& date, const std::string& says) {
  std::string upper = page_name(name);
  std::ranges::transform(upper, upper.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return ".TH " + upper + " 1 \"" + date +
         "\" \"facepipe " FACEPIPE_VERSION "\" \"User Commands\"\n" + section("NAME") +
         prose(page_name(name) + " - " + says);
}

/// Returns "\fB\-o\fR, \fB\-\-output\fR \fIPATH\fR" for an option, and the name of an argument.
std::string tag_of(const Row& row) {
  if (row.is_argument()) return italic(row.names);
  std::string tag;
  for (const std::string& name : names_of(row)) tag += (tag.empty() ? "" : ", ") + bold(name);
  return row.kind.empty() ? tag : tag + ' ' + italic(row.kind);
}

std::string entry(const std::string& tag, std::string_view text) {
  return ".TP\n" + tag + '\n' + prose(text);
}

std::string options_of(Commands command) {
  std::string roff = section("OPTIONS");
  for (const std::string& group : groups_of(command)) {
    roff += ".SS " + escaped(group) + '\n';
    for (const Row* const row : rows_of(command))
      if (row->group_of(command) == group) roff += entry(tag_of(*row), full_meaning(*row));
  }
  return roff;
}

std::string exit_status() {
  std::string roff = section("EXIT STATUS");
  for (const ExitCode& code : exit_codes())
    roff += entry(bold(std::to_string(code.code)), code.meaning);
  return roff + ".PP\n" + prose(exit_code_notes());
}

std::string environment() {
  return section("ENVIRONMENT") +
         entry(bold("FACEPIPE_MODEL"), "The file of the face model, if --model names none.") +
         entry(bold("NO_COLOR"), "If it is set and not empty, the help has no colours.");
}

std::string examples(const std::vector<Example>& list) {
  std::string roff = section("EXAMPLES");
  for (const Example& example : list)
    roff += entry(escaped(example.says) + ':', "") + bold(example.line) + '\n';
  return roff;
}

std::string reference(const std::string& command) { return bold(page_name(command)) + "(1)"; }

std::string command_page(const CommandRow& command, const std::string& date) {
  std::string says = command.help;
  says.front() = static_cast<char>(says.front() - 'A' + 'a');
  std::string roff = title(command.name, date, says) + section("SYNOPSIS") +
                     bold(std::string("facepipe ") + command.name) + " [" + italic("OPTIONS") + "]";
  const std::string arguments = arguments_of(command.command);
  if (!arguments.empty()) roff += ' ' + italic(arguments);
  return roff + '\n' + section("DESCRIPTION") + prose(command.help + std::string(".")) +
         examples(examples_of(command.command)) + options_of(command.command) + exit_status() +
         environment() + section("SEE ALSO") + reference("") + '\n';
}

std::string program_page(const std::string& date) {
  std::string commands = section("COMMANDS");
  std::vector<Example> firsts;
  std::string others;
  for (const CommandRow& command : command_table()) {
    commands += entry(bold(command.name), command.help + std::string("."));
    firsts.push_back(examples_of(command.command).front());
    others += (others.empty() ? "" : ",\n") + reference(command.name);
  }
  std::string options = section("OPTIONS");
  for (const Row& row : general_table()) options += entry(tag_of(row), full_meaning(row));
  return title("", date, "finds faces in video, and draws or hides them") + section("SYNOPSIS") +
         bold("facepipe") + ' ' + italic("COMMAND") + " [" + italic("OPTIONS") + "] [" +
         italic("ARGUMENTS") + "]\n" + section("DESCRIPTION") +
         prose(
             "facepipe finds faces in video. It draws boxes around the faces, or it hides them. "
             "Each command has a man page of its own.") +
         examples(firsts) + commands + options + exit_status() + environment() +
         section("SEE ALSO") + others + '\n';
}

}  // namespace

std::string man_page(const std::string& name, const std::string& date) {
  if (name.empty()) return program_page(date);
  const CommandRow* const command = find_command(name);
  if (command == nullptr) refuse_command(name);
  return command_page(*command, date);
}

std::string date_of_source() {
  const char* const given = std::getenv("SOURCE_DATE_EPOCH");
  if (given == nullptr) return {};
  constexpr std::int64_t kLastYear9999 = 253'402'300'799;  // so that the year has four digits
  const std::string_view text = given;
  std::int64_t seconds = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (status != std::errc() || end != text.data() + text.size()) return {};
  if (seconds < 0 || seconds > kLastYear9999) return {};
  const std::time_t time = seconds;
  std::tm parts{};
  if (gmtime_r(&time, &parts) == nullptr) return {};
  std::array<char, 16> date{};
  return {date.data(), std::strftime(date.data(), date.size(), "%Y-%m-%d", &parts)};
}

}  // namespace facepipe::app
