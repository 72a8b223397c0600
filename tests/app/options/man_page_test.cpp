// These tests check the man pages: their sections, and what roff could misunderstand.
#include "app/options/help/man_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "app/options/table.h"
#include "tests/support/expect_error.h"

namespace facepipe::app {
namespace {

using test::expect_error;
using testing::HasSubstr;
using testing::StartsWith;

TEST(ManPage, HasTheUsualSectionsInOrder) {
  for (const CommandRow& command : command_table()) {
    const std::string page = man_page(command.name, "");
    std::size_t last = 0;
    for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "EXAMPLES", "OPTIONS",
                                "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"}) {
      const std::size_t at = page.find("\n.SH " + std::string(section) + '\n');
      ASSERT_NE(at, std::string::npos) << command.name << ' ' << section;
      EXPECT_GT(at, last) << section;
      last = at;
    }
  }
}

TEST(ManPage, OfTheProgramNamesThoseOfItsCommands) {
  const std::string page = man_page("", "2026-01-02");
  EXPECT_THAT(page, StartsWith(".TH FACEPIPE 1 \"2026-01-02\" \"facepipe "));
  EXPECT_THAT(page, HasSubstr("\\fBfacepipe\\-hide\\fR(1),\n"));
  EXPECT_THAT(page, HasSubstr("\\fBfacepipe\\-model\\-check\\fR(1),\n"));
  EXPECT_THAT(man_page("model check", ""), StartsWith(".TH FACEPIPE-MODEL-CHECK 1 \"\" "));
}

TEST(ManPage, ListsEachOption) {
  const std::string page = man_page("run", "");
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIPATH\\fR\nThe output"));
  EXPECT_THAT(page, HasSubstr(".SS Input and output\n.TP\n\\fIINPUT\\fR\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-nms\\-decay\\fR"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-config\\fR \\fIFILE\\fR"));
}

TEST(ManPage, HasNoLineThatRoffMisunderstands) {
  for (const CommandRow& command : command_table()) {
    std::istringstream page(man_page(command.name, ""));
    for (std::string line; std::getline(page, line);) {
      EXPECT_EQ(line.find('\''), std::string::npos) << "it would be another quote: " << line;
      if (!line.starts_with(".TH") && !line.starts_with(".SS")) {
        EXPECT_THAT(line, testing::Not(testing::ContainsRegex("[^\\\\]-"))) << "it is a hyphen";
      }
      if (line.starts_with('.')) {
        EXPECT_THAT(line, testing::MatchesRegex("\\.(TH|SH|SS|TP|PP).*"));
      }
    }
  }
}

TEST(ManPage, RefusesWhatIsNoCommand) {
  expect_error(ErrorKind::usage, "model: unknown command; did you mean model check?",
               [] { (void)man_page("model", ""); });
}

TEST(ManPage, TakesItsDateFromTheEnvironment) {
  const auto date = [](const char* seconds) {
    setenv("SOURCE_DATE_EPOCH", seconds, 1);
    return date_of_source();
  };
  EXPECT_EQ(date("0"), "1970-01-01");
  EXPECT_EQ(date("1767312000"), "2026-01-02");
  EXPECT_EQ(date("253402300799"), "9999-12-31");
  for (const char* wrong : {"", "-1", "1e9", "253402300800", "99999999999999999999", "1 "})
    EXPECT_EQ(date(wrong), "") << wrong;
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_EQ(date_of_source(), "");
}

}  // namespace
}  // namespace facepipe::app
