// These tests check that the program obeys or refuses each line of a file of options, and ignores
// none.
#include "app/options/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "app/options/options.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using test::expect_error;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::Pair;

class ConfigFileTest : public testing::Test {
 protected:
  RunOptions hide(const std::string& text) {
    const std::string file = dir_.write("my.toml", text);
    return std::get<RunOptions>(parse_command({"hide", "clip.mp4", "--config", file}));
  }
  static std::vector<std::string> names(const std::vector<pipeline::Region>& regions) {
    std::vector<std::string> names;
    for (const pipeline::Region& region : regions) names.push_back(region.name);
    return names;
  }

  TemporaryFolder dir_;
};

TEST_F(ConfigFileTest, A7SectionsThatStandTwiceAreAddedUp) {
  const RunOptions options = hide(
      "[hide]\nregion = \"A=1,2,3,4\"\nstyle = blur\n"
      "[run]\nscore = 0.25\n"
      "[hide]\nregion = \"B=1,2,3,4\"\nhide-all = 0-2\nkeep-region = \"K=1,2,3,4\"\n");
  EXPECT_THAT(names(options.job.hide->regions.hidden), ElementsAre("A", "B"));
  EXPECT_THAT(names(options.job.hide->regions.kept), ElementsAre("K"));
  ASSERT_EQ(options.job.hide->regions.all_hidden.size(), 1U);
  EXPECT_EQ(options.job.hide->regions.all_hidden[0].to_s, 2);
  EXPECT_EQ(options.job.hide->appearance.style, overlay::HideStyle::blur);
}

TEST_F(ConfigFileTest, A7OptionsThatStandApartAreAddedUp) {
  const RunOptions options = hide(
      "[hide]\nregion = \"A=1,2,3,4\"\ncrf = 20\nregion = [\"B=1,2,3,4\",\n  \"C=1,2,3,4\"]\n"
      "encoder-option = a=1\nhide-all = 0-2\nencoder-option = b=2\n");
  EXPECT_THAT(names(options.job.hide->regions.hidden), ElementsAre("A", "B", "C"));
  EXPECT_THAT(options.job.output.encoder.options, ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST_F(ConfigFileTest, A7WhatCannotBeAddedUpIsRefusedWithItsLine) {
  struct Case {
    const char* text;
    const char* reason;
  };
  const std::vector<Case> cases{
      {"[hide]\nscore = 0.1\n", "my.toml: "},  // hide has no such option
      {"[hide]\nstyle = blur\n\nstyle = solid\n",
       "my.toml: line 4: --style is given again: it has a value in line 2 already"},
      {"[hide]\nstyle = blur\n[run]\n[hide]\n# again\nstyle = solid\n", "my.toml: line 6: --style"},
      {"[hide]\ncrf = 20\ncrf = 21\n", "my.toml: line 3: --crf is given again"},
      {"[hide]\noutput = a.mp4\no = b.mp4\n", "line 2"},
      {"[hide]\ncareful = true\ncareful = false\n", "my.toml: line 3: --careful is given again"},
      {"[hide]\ncareful\nstrict\ncareful\n", "my.toml: line 4: --careful is given again"},
      {"hide.crf = 20\n[hide]\ncrf = 21\n", "my.toml: line 3: --crf is given again"},
      {"[hide]\nregion = [\"A=1,2,3,4\"\nhide-all = 0-2\n",
       "my.toml: line 2: the list that begins here has no end"},
      {"[hide]\nq\n", "my.toml: line 2: is too short for NAME = VALUE"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    expect_error(ErrorKind::usage, c.reason, [&] { (void)hide(c.text); });
  }
}

TEST_F(ConfigFileTest, C6OnlyRegularFilesOfBoundedSizeAreRead) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  for (const std::string& file : {std::string("/dev/zero"), std::string("/dev/null"), fifo})
    expect_error(ErrorKind::usage, file + ": is not a regular file", [&] {
      (void)parse_command({"hide", "clip.mp4", "--config", file});
    });
  const std::string large = dir_.write("large.toml", std::string(kMostConfigBytes + 1, '\n'));
  expect_error(ErrorKind::usage, large + ": is larger than 1 MiB", [&] {
    (void)parse_command({"hide", "clip.mp4", "--config", large});
  });
  EXPECT_NO_THROW((void)hide(std::string(kMostConfigBytes, '\n')));
}

}  // namespace
}  // namespace facepipe::app
