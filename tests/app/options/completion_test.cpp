// These tests check the scripts with which shells complete command lines. completion_test.py tries
// them in the shells.
#include "app/options/completion/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/options/completion/shell_hint.h"
#include "app/options/options.h"
#include "app/options/table.h"

namespace facepipe::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns the hint of an option of a command.
ShellHint hint(Commands command, const std::string& name) {
  for (const Row* const row : rows_of(command))
    if (row->name() == name) return hint_of(*row);
  ADD_FAILURE() << name;
  return {};
}

TEST(ShellHint, FollowsFromTheKindOfTheValue) {
  struct Case {
    Commands command;
    const char* name;
    const char* kind;
    std::vector<std::string> words;
  };
  const std::vector<Case> cases{
      {kRun, "--overwrite", "no value", {}},
      {kRun, "--score", "text", {}},
      {kRun, "--threads", "text", {}},
      {kRun, "--lanes", "words", {"auto"}},
      {kRun, "--progress", "words", {"auto", "json", "none"}},
      {kRun, "--draw", "list", {"boxes", "scores", "landmarks", "count", "ids", "none"}},
      {kRun, "--detections", "files", {".jsonl", ".csv"}},
      {kRun, "--output", "files", {}},
      {kRun, "--config", "files", {".toml"}},
      {kRun, "INPUT", "files", {}},
      {kHide, "--tracks", "files", {".json"}},
      {kHide, "--style", "words", {"solid", "blur", "mosaic"}},
      {kHide, "--keep-metadata", "text", {}},
      {kVerify, "--thumbnails", "folders", {}},
      {kModelCheck, "MODEL", "files", {".onnx", ".xml", ".json"}},
      {kCompletion, "SHELL", "words", {"bash", "zsh", "fish"}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(name_of(hint(c.command, c.name).kind), c.kind) << c.name;
    EXPECT_EQ(hint(c.command, c.name).words, c.words) << c.name;
  }
}

TEST(Completion, KnowsEachCommandAndOption) {
  for (const std::string_view shell : shell_names()) {
    const std::string script = completion_script(shell);
    for (const CommandRow& command : command_table())
      EXPECT_THAT(script, HasSubstr(std::string(command.name).substr(0, 5))) << shell;
    for (const Row& row : option_table()) {
      if (row.is_argument()) continue;
      const std::string name = row.name();
      EXPECT_THAT(script, HasSubstr(shell == "fish" ? "-l " + name.substr(2) : name)) << shell;
    }
  }
}

TEST(Completion, IsPrintedForEachShell) {
  for (const std::string_view shell : shell_names())
    EXPECT_EQ(std::get<ShowText>(parse_command({"completion", std::string(shell)})).text,
              completion_script(shell));
}

TEST(Completion, QuotesWords) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's $x"), "'it'\\''s $x'");
  EXPECT_EQ(shell_words({"a", "b c"}), "'a' 'b c'");
  EXPECT_THAT(shell_words({}), IsEmpty());
}

TEST(Completion, SplitsTheNamesOfAnOption) {
  EXPECT_THAT(names_of({.names = "-o,--output", .help = "", .value = {Flag{}}, .places = {}}),
              ElementsAre("-o", "--output"));
}

}  // namespace
}  // namespace facepipe::app
