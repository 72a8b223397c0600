#include "app/options/config_file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/options/values.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

// CLI11 ignores lines that have fewer characters.
constexpr std::size_t kShortestLine = 3;
constexpr std::string_view kBlanks = " \t\r\n\v\f";

[[noreturn]] void refuse(const std::string& reason) { throw Error(ErrorKind::usage, reason); }

[[noreturn]] void refuse_line(std::size_t line, const std::string& reason) {
  refuse("line " + std::to_string(line) + ": " + reason);
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

std::string unquoted(std::string text) {
  const bool quoted = text.size() > 1 && text.front() == text.back() &&
                      (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::string without_comment(const std::string& text) {
  return trimmed(std::string_view(text).substr(0, text.find('#')));
}

/// Identifies an option: its name, and the command in whose section it is. Outside of sections, the
/// command is empty.
struct Key {
  std::string command;
  std::string name;
};

Key key_of(const std::string& section, const std::string& name) {
  const std::string full = section.empty() ? name : section + '.' + name;
  const std::size_t dot = full.rfind('.');
  if (dot == std::string::npos) return {{}, unquoted(full)};
  return {unquoted(full.substr(0, dot)), unquoted(full.substr(dot + 1))};
}

/// Returns the command that has the options of the key's section; null if there is none.
const CLI::App* owner_of(const CLI::App& app, const Key& key) {
  const CLI::App* owner = key.command.empty() ? &app : nullptr;
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (command->get_name() == key.command) owner = command;
  return owner;
}

/// Finds an option by any of its names, as CLI11 does. Returns null if there is no such option.
const CLI::Option* option_of(const CLI::App& app, const Key& key) {
  const CLI::App* const owner = owner_of(app, key);
  if (owner == nullptr) return nullptr;
  for (const char* const dashes : {"--", "-", ""}) {
    const bool one_letter = std::string_view(dashes) == "-";
    if (one_letter && key.name.size() != 1) continue;
    if (const CLI::Option* const option = owner->get_option_no_throw(dashes + key.name))
      return option;
  }
  return nullptr;
}

/// Returns the option of the key's section that is probably meant; nothing if none is.
std::string meant_by(const CLI::App& app, const Key& key) {
  const CLI::App* const owner = owner_of(app, key);
  std::vector<std::string> known;
  if (owner != nullptr)
    for (const CLI::Option* const option : owner->get_options())
      known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
  return near_miss(key.name, known);
}

bool takes_several(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

/// Reads the lines as CLI11 does, and checks them.
class Lines {
 public:
  Lines(const std::string& text, const CLI::App& app) : app_(app), input_(text) {}

  void check() {
    for (std::string line; next(line);) {
      if (line.empty() || line.front() == '#' || line.front() == ';') continue;
      if (line.size() < kShortestLine) refuse_line(number_, "is too short for NAME = VALUE");
      if (line.front() == '[' && line.back() == ']')
        begin_section(line);
      else
        take(line);
    }
  }

 private:
  bool next(std::string& line) {
    if (!std::getline(input_, line)) return false;
    line = trimmed(line);
    ++number_;
    return true;
  }

  void begin_section(const std::string& line) {
    section_ = line.substr(1, line.size() - 2);
    if (section_.size() > 1 && section_.front() == '[' && section_.back() == ']')
      section_ = section_.substr(1, section_.size() - 2);
    std::string lower = section_;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower == "default") section_.clear();
  }

  void take(const std::string& line) {
    const std::size_t first = number_;
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) pass_list(without_comment(line.substr(equals + 1)));
    const std::string name = trimmed(std::string_view(line).substr(0, equals));
    const Key key = key_of(section_, equals == std::string::npos ? without_comment(name) : name);
    const CLI::Option* const option = option_of(app_, key);
    if (option == nullptr) {
      const std::string meant = meant_by(app_, key);
      if (meant.empty()) return;  // CLI11 reports the unknown option
      refuse_line(first, key.name + ": unknown option; did you mean " + meant + "?");
    }
    const auto [known, is_new] = lines_.emplace(option, first);
    if (!is_new && !takes_several(*option))
      refuse_line(first, option->get_name() + " is given again: it has a value in line " +
                             std::to_string(known->second) + " already");
  }

  /// Reads the remaining lines of a list.
  void pass_list(std::string value) {
    if (value.size() < 2 || value.front() != '[') return;
    const std::size_t first = number_;
    while (value.back() != ']') {
      std::string line;
      if (!next(line)) refuse_line(first, "the list that begins here has no end");
      value += line;
    }
  }

  const CLI::App& app_;
  std::istringstream input_;
  std::string section_;
  std::size_t number_ = 0;
  std::map<const CLI::Option*, std::size_t> lines_;  // the line where each option appeared first
};

bool is_section_mark(const CLI::ConfigItem& item) { return item.name == "++" || item.name == "--"; }

Key key_of(const CLI::ConfigItem& item) {
  std::string command;
  for (const std::string& parent : item.parents) command += (command.empty() ? "" : ".") + parent;
  return {command, item.name};
}

/// If an option has values in several places, moves all of them to the first of these places.
std::vector<CLI::ConfigItem> added_up(std::vector<CLI::ConfigItem> items, const CLI::App& app) {
  std::vector<CLI::ConfigItem> sums;
  std::map<const CLI::Option*, std::size_t> places;
  for (CLI::ConfigItem& item : items) {
    const CLI::Option* const option =
        is_section_mark(item) ? nullptr : option_of(app, key_of(item));
    if (option != nullptr) {
      const auto [known, is_new] = places.emplace(option, sums.size());
      if (!is_new) {
        std::vector<std::string>& inputs = sums[known->second].inputs;
        inputs.insert(inputs.end(), item.inputs.begin(), item.inputs.end());
        continue;
      }
    }
    sums.push_back(std::move(item));
  }
  return sums;
}

/// If the command line has `plan run` or `plan hide`, moves the options of the sections [run] and
/// [hide] to the commands that plan run and hide.
void move_to_plans(std::vector<CLI::ConfigItem>& items, const CLI::App& app) {
  const std::string group = "plan";
  if (!app.got_subcommand(group)) return;
  const CLI::App& plan = *app.get_subcommand(group);
  const auto is_planned = [&](const std::string& name) {
    return !plan.get_subcommands(
                    [&](const CLI::App* command) { return command->get_name() == name; })
                .empty();
  };
  for (CLI::ConfigItem& item : items)
    if (!item.parents.empty() && is_planned(item.parents.front()))
      item.parents.insert(item.parents.begin(), group);
}

std::string read_all(std::istream& input) {
  std::string text(kMostConfigBytes + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > kMostConfigBytes) refuse("is larger than 1 MiB");
  return text;
}

}  // namespace

void check_config_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status))
    refuse("can't be read");
  if (!std::filesystem::is_regular_file(status)) refuse("is not a regular file");
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) refuse("can't be read");
  if (bytes > kMostConfigBytes) refuse("is larger than 1 MiB");
}

std::vector<CLI::ConfigItem> ConfigFile::from_config(std::istream& input) const {
  const std::string text = read_all(input);
  Lines(text, app_).check();
  std::istringstream stream(text);
  std::vector<CLI::ConfigItem> all = added_up(CLI::ConfigTOML::from_config(stream), app_);
  move_to_plans(all, app_);
  return all;
}

}  // namespace facepipe::app
