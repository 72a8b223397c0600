// These tests check the help that people read: what it contains, its form, and its examples.
#include "app/options/help/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "app/options/help/layout.h"
#include "app/options/table.h"
#include "tests/support/expect_error.h"

namespace facepipe::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

ShowText shown(const Arguments& arguments) { return std::get<ShowText>(parse_command(arguments)); }

/// Returns all helps: of the program, of the group `model`, of each command, and the short one.
std::vector<ShowText> all_helps() {
  std::vector<ShowText> helps{short_help(), help_on("", HelpDepth::all),
                              help_on("model", HelpDepth::all)};
  for (const CommandRow& command : command_table())
    helps.push_back(help_on(command.name, HelpDepth::all));
  return helps;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Help, Has80Columns) {
  for (const ShowText& help : all_helps())
    for (const std::string& line : lines_in(help.text)) {
      EXPECT_LE(line.size(), 80U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
    }
}

TEST(Help, ShowsExamplesBeforeOptions) {
  for (const CommandRow& command : command_table()) {
    const std::string help = help_on(command.name, HelpDepth::usual).text;
    const std::size_t examples = help.find("\nExamples:\n");
    ASSERT_NE(examples, std::string::npos) << command.name;
    EXPECT_LT(help.find("\nUsage:\n"), examples);
    EXPECT_LT(examples, help.find("\n  -")) << command.name;
    EXPECT_LT(examples, help.find("\nGeneral:\n"));
  }
}

TEST(Help, OfACommandCanBeAskedForInTwoWays) {
  for (const CommandRow& command : command_table()) {
    std::istringstream name(command.name);
    Arguments with_option;
    for (std::string word; name >> word;) with_option.push_back(word);
    Arguments with_command = with_option;
    with_option.emplace_back("--help");
    with_command.insert(with_command.begin(), "help");
    EXPECT_EQ(shown(with_option).text, shown(with_command).text) << command.name;
    EXPECT_FALSE(shown(with_command).lacks_command);
  }
  EXPECT_EQ(shown({"help"}).text, shown({"--help"}).text);
  EXPECT_EQ(shown({"help", "model"}).text, shown({"model", "--help"}).text);
  EXPECT_THAT(shown({"model", "-h"}).text, HasSubstr("\n  model check  "));
}

TEST(Help, IsShortWithoutACommand) {
  const ShowText help = shown({});
  EXPECT_TRUE(help.lacks_command);
  EXPECT_LT(lines_in(help.text).size(), 25U) << "fits on a terminal of 25 lines";
  for (const CommandRow& command : command_table())
    EXPECT_THAT(help.text, HasSubstr(std::string("\n  ") + command.name + " "));
}

TEST(Help, SaysTheSameWithColours) {
  const std::regex escape("\033\\[[01]m");
  for (const ShowText& help : all_helps()) {
    EXPECT_THAT(help.coloured, HasSubstr("\033[1m"));
    EXPECT_EQ(std::regex_replace(help.coloured, escape, ""), help.text);
    EXPECT_EQ(help.text.find('\033'), std::string::npos);
  }
}

TEST(Help, HasExamplesThatCanBeRun) {
  for (const CommandRow& command : command_table()) {
    ASSERT_FALSE(examples_of(command.command).empty()) << command.name;
    for (const Example& example : examples_of(command.command)) {
      std::istringstream line(example.line);
      Arguments words;
      for (std::string word; line >> word;) words.push_back(word);
      ASSERT_THAT(example.line, testing::StartsWith(std::string("facepipe ") + command.name));
      words.erase(words.begin());
      EXPECT_NO_THROW((void)parse_command(words)) << example.line;
    }
  }
}

TEST(Help, ListsEachExitCodeOnce) {
  std::vector<int> codes;
  for (const ExitCode& code : exit_codes()) codes.push_back(code.code);
  EXPECT_THAT(codes, ElementsAre(0, 2, 3, 4, 5, 6, 7, 75, 130, 143, 1));
}

TEST(HelpLayout, BreaksLinesBetweenWords) {
  EXPECT_THAT(lines_of("one two  three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(lines_of("one two", 6), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of("a longer-than-that b", 6), ElementsAre("a", "longer-than-that", "b"));
  EXPECT_THAT(lines_of(" ", 6), ElementsAre());
}

TEST(HelpLayout, PutsALongNameOnALineOfItsOwn) {
  HelpText help(Colours::none);
  help.entry({"--a", "B"}, "says", 10);
  help.entry({"--long", "NAME"}, "says", 10);
  help.entry({"--ab", "CD"}, "says", 11);
  help.entry({"--none"}, "", 10);
  EXPECT_EQ(help.text(),
            "  --a B   says\n  --long NAME\n          says\n  --ab CD  says\n  --none\n");
}

}  // namespace
}  // namespace facepipe::app
