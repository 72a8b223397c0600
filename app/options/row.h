// Describes one option as data: everything that the command line, --help and docs/options.md need.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/options/asked.h"
#include "app/options/values.h"
#include "app/output/text.h"

namespace facepipe::app {

/// A set of commands: a sum of these constants.
using Commands = unsigned;
inline constexpr Commands kRun = 1;
inline constexpr Commands kHide = 2;
inline constexpr Commands kDetect = 4;
inline constexpr Commands kVerify = 8;
inline constexpr Commands kCalibrate = 16;
inline constexpr Commands kDoctor = 32;
inline constexpr Commands kModelCheck = 64;
inline constexpr Commands kHelp = 128;
inline constexpr Commands kCompletion = 256;
inline constexpr Commands kPlanRun = 512;
inline constexpr Commands kPlanHide = 1024;
inline constexpr Commands kReview = 2048;
inline constexpr Commands kSplitRun = 4096;
inline constexpr Commands kPart = 8192;
inline constexpr Commands kJoin = 16384;
inline constexpr Commands kSplitHide = 32768;
/// The commands that go over whole videos.
inline constexpr Commands kVideoCommands = kRun | kHide | kDetect;
inline constexpr Commands kPlanCommands = kPlanRun | kPlanHide;
inline constexpr Commands kSplitCommands = kSplitRun | kSplitHide;
/// The commands that find faces in videos or make videos.
inline constexpr Commands kVideoWork = kVideoCommands | kReview;
inline constexpr Commands kAllCommands = ~Commands{0};

// --- The kinds of values. Each reads the text that a user gives, and sets what `Asked` holds. ---

/// The option has no value: it is given or not.
struct Flag {
  bool& (*field)(Asked&);
};

struct Number {
  double low;
  double high;
  std::function<void(Asked&, double)> set;
};

struct Integer {
  int low;
  int high;
  std::string zero;  ///< a word that stands for 0, such as "auto"; empty if there is none
  std::function<void(Asked&, int)> set;
};

/// One of several words.
struct Choice {
  std::vector<std::string_view> words;
  std::function<void(Asked&, std::size_t)> set;  ///< gets the index of the word
};

/// A file whose extension says what it contains.
struct FileOf {
  std::vector<std::string> extensions;
  std::filesystem::path& (*field)(Asked&);
  bool or_stream = false;  ///< "-" is accepted, too, and stays as it is
};

/// Any text. If `expected` isn't empty, it describes the text, which then must not be empty.
struct AnyText {
  std::string expected;
  std::function<void(Asked&, std::string_view)> set;
};

/// Text in its own format. `set` throws Error(usage) if it can't read the text.
struct FormedText {
  std::function<void(Asked&, const OptionText&)> set;
};

/// Words that are separated by commas. `set` throws Error(usage) for a word that it doesn't know.
struct WordList {
  std::function<void(Asked&, const std::vector<std::string>&)> set;
};

/// An argument that is not an option. The arguments ORIGINAL and HIDDEN each take one text. An
/// argument with `several` takes all remaining texts.
struct Argument {
  bool several = false;
  bool optional = false;
};

/// The value of an option, and its default as --help shows it.
struct Value {
  std::variant<Flag, Number, Integer, Choice, FileOf, AnyText, FormedText, WordList, Argument> kind;
  std::string fallback{};
};

/// Says in which group of its help a command shows the option.
struct Place {
  Commands commands;
  const char* group;
};

/// A row of the table. There are more than seven members, because each is a column.
struct Row {
  std::string names;       ///< "-o,--output"; "INPUT" for an argument
  std::string kind{};      ///< the placeholder for the value in the help; empty for flags
  std::string help;        ///< one sentence or more, without line breaks and without the default
  std::string fallback{};  ///< the default as the help shows it; if empty, `value` has it
  Value value;
  std::vector<std::string> words{};     ///< values that shells offer, besides those of `value`
  std::vector<std::string> endings{};   ///< of the files that shells offer; empty: of all files
  bool again = false;                   ///< may be given several times; all texts are used
  std::vector<const char*> excludes{};  ///< long names of options of the same commands
  std::vector<Place> places;            ///< each command is in at most one of them

  /// Returns the long name with its dashes, or the name of an argument.
  [[nodiscard]] std::string name() const {
    const std::size_t dashes = names.find("--");
    return dashes == std::string::npos ? names : names.substr(dashes);
  }
  [[nodiscard]] bool is_argument() const { return std::holds_alternative<Argument>(value.kind); }
  /// Returns the default that the help shows; empty for arguments, which have no default.
  [[nodiscard]] const std::string& default_text() const {
    return fallback.empty() ? value.fallback : fallback;
  }
  /// Returns the group in the help of one command; null if the command doesn't have the option.
  [[nodiscard]] const char* group_of(Commands command) const {
    for (const Place& place : places)
      if ((place.commands & command) != 0) return place.group;
    return nullptr;
  }
};

// --- Values whose default is the value of their field in a new `Asked`. ---

/// Returns a function that converts a value to the type of its field, and sets it.
/// @param field  a function (Asked&) -> T&
template <typename Given, typename Field>
[[nodiscard]] auto setter_of(Field field) {
  return [field](Asked& to, Given value) {
    auto& place = field(to);
    place = static_cast<std::remove_reference_t<decltype(place)>>(value);
  };
}

/// @param field  as for setter_of()
template <typename Field>
[[nodiscard]] Value number(double low, double high, Field field) {
  Asked unasked;
  return {Number{low, high, setter_of<double>(field)}, shown(field(unasked))};
}

template <typename Field>
[[nodiscard]] Value integer(int low, int high, Field field) {
  Asked unasked;
  return {Integer{low, high, "", setter_of<int>(field)}, std::to_string(field(unasked))};
}

template <typename T>
using Choices = std::vector<std::pair<std::string_view, T>>;

template <typename T>
[[nodiscard]] Value choice(T& (*field)(Asked&), const Choices<T>& choices) {
  Asked unasked;
  Choice kind;
  std::string fallback;
  std::vector<T> values;
  for (const auto& [word, value] : choices) {
    kind.words.push_back(word);
    values.push_back(value);
    if (value == field(unasked)) fallback = word;
  }
  kind.set = [field, values](Asked& to, std::size_t index) { field(to) = values[index]; };
  return {kind, fallback};
}

/// Makes a choice between values that have names.
template <typename T>
[[nodiscard]] Value named(T& (*field)(Asked&), std::initializer_list<T> values) {
  Choices<T> choices;
  for (const T value : values) choices.emplace_back(name_of(value), value);
  return choice(field, choices);
}

[[nodiscard]] inline Value flag(bool& (*field)(Asked&)) { return {Flag{field}, "off"}; }

[[nodiscard]] inline Value file_of(std::vector<std::string> extensions,
                                   std::filesystem::path& (*field)(Asked&)) {
  return {FileOf{std::move(extensions), field}, "none"};
}

/// Makes a value that is such a file, or "-" for a standard stream.
[[nodiscard]] inline Value file_or_stream_of(std::vector<std::string> extensions,
                                             std::filesystem::path& (*field)(Asked&)) {
  return {FileOf{std::move(extensions), field, true}, "none"};
}

}  // namespace facepipe::app
