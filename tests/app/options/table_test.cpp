// These tests check the table of options. What a row of the table says must appear in the command
// line, the help and the documentation.
#include "app/options/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <set>

#include "app/options/options.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using nlohmann::json;
using test::expect_error;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

std::string shown_text(const Arguments& arguments) {
  return std::get<ShowText>(parse_command(arguments)).text;
}

/// Returns a command line without options: the command's name and the inputs that it needs.
Arguments with_inputs(const std::string& command) {
  if (command == "doctor" || command == "help") return {command};
  if (command == "completion") return {command, "bash"};
  if (command == "plan run") return {"plan", "run", "a.mp4"};
  if (command == "plan hide") return {"plan", "hide", "a.mp4"};
  if (command == "split run") return {"split", "run", "a.mp4"};
  if (command == "split hide") return {"split", "hide", "a.mp4"};
  if (command == "part") return {command, "a.parts.json", "1"};
  if (command == "join") return {command, "a.parts.json"};
  if (command == "model check") return {"model", "check", "a.onnx"};
  if (command == "verify") return {command, "a.mp4", "b.mp4"};
  return {command, "a.mp4"};
}

/// Calls check() for each command and each row of the option table that belongs to it.
template <typename Check>
void for_each_row(const Check& check) {
  for (const CommandRow& command : command_table())
    for (const Row& row : option_table())
      if (row.group_of(command.command) != nullptr) {
        SCOPED_TRACE(std::string(command.name) + " " + row.names);
        check(command, row);
      }
}

TEST(OptionTable, NamesEachOptionOfACommandOnce) {
  std::set<std::pair<std::string, std::string>> known;
  for_each_row([&](const CommandRow& command, const Row& row) {
    EXPECT_TRUE(known.emplace(command.name, row.name()).second);
  });
}

TEST(OptionTable, HasABitForEachCommand) {
  Commands known = 0;
  for (const CommandRow& command : command_table()) {
    EXPECT_EQ(std::popcount(command.command), 1) << command.name;
    EXPECT_EQ(known & command.command, 0U) << command.name;
    known |= command.command;
  }
}

TEST(OptionTable, PutsARowIntoOneGroupOfACommand) {
  for (const Row& row : option_table()) {
    Commands known = 0;
    ASSERT_FALSE(row.places.empty()) << row.names;
    for (const Place& place : row.places) {
      EXPECT_EQ(known & place.commands, 0U) << row.names;
      known |= place.commands;
    }
  }
}

TEST(OptionTable, HasHelpAndADefaultForEachOption) {
  for (const Row& row : option_table()) {
    EXPECT_FALSE(row.help.empty()) << row.names;
    EXPECT_THAT(row.help, testing::Not(HasSubstr("\n"))) << row.names;
    EXPECT_EQ(row.default_text().empty(), row.is_argument()) << row.names;
    EXPECT_EQ(row.kind.empty(), row.is_argument() || std::holds_alternative<Flag>(row.value.kind))
        << row.names;
  }
}

TEST(OptionTable, IsWhatHelpShows) {
  for_each_row([&](const CommandRow& command, const Row& row) {
    Arguments arguments = with_inputs(command.name);
    arguments.emplace_back("--help-all");
    const std::string help = shown_text(arguments);
    EXPECT_THAT(help, HasSubstr("\n  " + row.names + (row.kind.empty() ? "" : " " + row.kind)));
    if (row.is_argument()) return;
    EXPECT_THAT(help, HasSubstr(std::string("\n") + row.group_of(command.command) + ":\n"));
  });
}

TEST(OptionTable, RangesHaveTheirEnds) {
  for_each_row([&](const CommandRow& command, const Row& row) {
    const auto parsed = [&](const std::string& text) {
      Arguments arguments = with_inputs(command.name);
      arguments.push_back(row.name() + "=" + text);
      (void)parse_command(arguments);
    };
    const auto refused = [&](const std::string& text) {
      expect_error(ErrorKind::usage, row.name() + ": '" + text + "' is not ",
                   [&] { parsed(text); });
    };
    if (const auto* const integer = std::get_if<Integer>(&row.value.kind)) {
      refused(std::to_string(integer->low - 1));
      refused(std::to_string(integer->high + 1));
      if (!integer->zero.empty()) {
        EXPECT_NO_THROW(parsed(integer->zero));
      }
    }
    if (const auto* const number = std::get_if<Number>(&row.value.kind)) {
      refused("nan");
      refused(std::to_string(number->high + 0.01));
      refused("-0.01");
    }
  });
}

TEST(OptionTable, ChoicesAreThoseOfItsWords) {
  for_each_row([&](const CommandRow& command, const Row& row) {
    const auto* const choice = std::get_if<Choice>(&row.value.kind);
    if (choice == nullptr) return;
    ASSERT_THAT(choice->words, testing::SizeIs(testing::Ge(2U)));
    Arguments arguments = with_inputs(command.name);
    arguments.insert(arguments.end(), {row.name(), "no such word"});
    expect_error(ErrorKind::usage, "is not one of " + joined(choice->words),
                 [&] { (void)parse_command(arguments); });
  });
}

TEST(OptionTable, ExcludesOptionsThatTheSameCommandsHave) {
  for_each_row([&](const CommandRow& command, const Row& row) {
    for (const std::string other : row.excludes)
      EXPECT_TRUE(std::ranges::any_of(option_table(), [&](const Row& candidate) {
        return candidate.name() == other && candidate.group_of(command.command) != nullptr;
      })) << other;
  });
}

TEST(OptionTable, ShapesAndSharesOfMasks) {
  const auto look = [](const Arguments& more) {
    Arguments arguments{"hide", "a.mp4"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::get<RunOptions>(parse_command(arguments)).job.hide->appearance;
  };
  EXPECT_EQ(look({"--shape", "box"}).shape, overlay::MaskShape::box);
  EXPECT_EQ(look({"--shape", "ellipse"}).shape, overlay::MaskShape::ellipse);
  for (const std::string text : {"", "circle", "Box"})
    expect_error(ErrorKind::usage, "--shape: '" + text + "' is not one of box, ellipse", [&] {
      (void)look({"--shape", text});
    });
  EXPECT_EQ(look({"--grow", "0"}).grow, 0);
  EXPECT_EQ(look({"--grow", "0.3"}).grow, 0.3);
  EXPECT_EQ(look({"--grow", "4"}).grow, 4);
  for (const std::string text : {"", "-0.1", "4.01", "nan", "30%"})
    expect_error(ErrorKind::usage, "--grow: '" + text + "' is not a number from 0 to 4", [&] {
      (void)look({"--grow", text});
    });
}

TEST(OptionTable, IsPrintedAsJson) {
  const json tables = json::parse(shown_text({"help", "--json"}));
  EXPECT_EQ(tables.at("form"), 1);
  EXPECT_EQ(tables.at("commands").size(), command_table().size());
  EXPECT_EQ(tables.at("options").size(), option_table().size() + general_table().size());
  EXPECT_EQ(tables.at("exit_codes").size(), exit_codes().size());
  const auto find = [&](const std::string& names) {
    for (const json& row : tables.at("options"))
      if (row.at("names") == names) return row;
    return json();
  };
  const json every = find("--every");
  EXPECT_EQ(every.at("range"), json({1, 16}));
  EXPECT_EQ(every.at("default"), "1");
  EXPECT_EQ(every.at("groups"), json({{"run", "Detection"},
                                      {"hide", "Detection"},
                                      {"detect", "Detection"},
                                      {"review", "Detection"},
                                      {"plan run", "Detection"},
                                      {"plan hide", "Detection"},
                                      {"review", "Detection"}}));
  EXPECT_EQ(find("--detections").at("extensions"), json({".jsonl", ".csv"}));
  EXPECT_EQ(find("--progress").at("choices"), json({"auto", "json", "none"}));
  EXPECT_EQ(find("--verbose").at("excludes"), json({"--quiet"}));
  EXPECT_TRUE(find("--region").at("again"));
  EXPECT_EQ(find("--threads").at("groups"), json({{"run", "Machine"},
                                                  {"hide", "Machine"},
                                                  {"detect", "Machine"},
                                                  {"review", "Machine"},
                                                  {"plan run", "Machine"},
                                                  {"split run", "Machine"},
                                                  {"split hide", "Machine"},
                                                  {"plan hide", "Machine"},
                                                  {"review", "Machine"}}));
  EXPECT_EQ(find("--config").at("groups").size(), 5U);
  EXPECT_EQ(find("--version").at("groups").size(), command_table().size());
  EXPECT_EQ(find("--report").at("shell"), json({{"offers", "files"}, {"words", {".json"}}}));
  expect_error(ErrorKind::usage, "takes no COMMAND", [] {
    (void)parse_command({"help", "--json", "run"});
  });
}

TEST(OptionTable, APlanHasAllOptionsOfItsCommand) {
  for (const auto& [command, plan] : {std::pair{kRun, kPlanRun}, {kHide, kPlanHide}})
    for (const Row& row : option_table()) {
      if (row.names == "--json") continue;
      EXPECT_STREQ(row.group_of(plan), row.group_of(command)) << row.names;
    }
}

TEST(OptionTable, ASectionOfAFileIsForItsCommandAlone) {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("both.toml", "[run]\nmin-face = 20\n[hide]\nmin-face = 7\nstrict = true\n");
  const auto parsed = [&](const std::string& command) {
    return std::get<RunOptions>(parse_command({command, "a.mp4", "--config", file}));
  };
  EXPECT_EQ(parsed("run").job.search.min_face, 20);
  EXPECT_FALSE(parsed("run").job.output.strict);
  EXPECT_EQ(parsed("hide").job.search.min_face, 7);
  EXPECT_TRUE(parsed("hide").job.output.strict);
  EXPECT_EQ(parsed("detect").job.search.min_face, 0);
}

}  // namespace
}  // namespace facepipe::app
