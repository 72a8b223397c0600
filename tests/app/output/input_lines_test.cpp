// These tests check that an input's lines are complete or absent, even if the program is killed.
// They also check that the next run continues the file.
#include "app/output/input_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/killed_program.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::FileSizeLimit;
using test::in_killed_program;
using test::read_file;
using test::TemporaryFolder;
using testing::ElementsAre;

const LineFormat kJson{"", input_of_json};
const LineFormat kCsv{"file,frame\n", input_of_csv};

std::string line(const std::string& name, int frame) {
  return R"({"file":")" + name + R"(","frame":)" + std::to_string(frame) + "}\n";
}
std::string lines(const std::string& name) { return line(name, 0) + line(name, 1); }
std::string field(const std::string& name) { return '"' + name + '"'; }

class InputLinesTest : public testing::Test {
 protected:
  [[nodiscard]] InputLines open(ExistingOutput existing) const {
    return {file(), kJson, existing, {}};
  }
  [[nodiscard]] fs::path file() const { return dir_ / "d.jsonl"; }

  static void add(InputLines& to, const std::string& name) {
    to.write(lines(name));
    to.keep(field(name));
  }

  TemporaryFolder dir_;
};

TEST(InputOf, FindsTheNameAsItIsWritten) {
  EXPECT_EQ(input_of_json(R"({"file":"a \"b\\","frame":1})"), R"("a \"b\\")");
  for (const char* text : {"", "{}", R"({"file":"a)", R"({"file":"a\"})", R"({"file":7})", "[1]",
                           R"({"frame":1,"file":"a"})", R"({"file":"a","frame":1)"})
    EXPECT_FALSE(input_of_json(text)) << text;
  EXPECT_EQ(input_of_csv("a b,1,2"), "a b");
  EXPECT_EQ(input_of_csv("\"a,\"\"b\nc\",1"), "\"a,\"\"b\nc\"");
  EXPECT_FALSE(input_of_csv("no comma"));
  EXPECT_FALSE(input_of_csv("\"open,1"));
}

TEST_F(InputLinesTest, HoldsOnlyInputsThatWereKept) {
  InputLines out = open(ExistingOutput::refuse);
  add(out, "a");
  out.write(line("b", 0));
  out.forget();
  add(out, "c");
  out.commit();
  EXPECT_EQ(read_file(file()), lines("a") + lines("c"));
}

TEST_F(InputLinesTest, ExistingFileIsRefusedOrReplaced) {
  dir_.write("d.jsonl", "before");
  expect_error(ErrorKind::output, "exists already", [&] { (void)open(ExistingOutput::refuse); });
  InputLines out = open(ExistingOutput::overwrite);
  add(out, "a");
  out.commit();
  EXPECT_EQ(read_file(file()), lines("a"));
}

TEST_F(InputLinesTest, AFinishedFileIsGoneOnWith) {
  dir_.write("d.jsonl", lines("x") + lines("a") + lines("b"));
  InputLines out = open(ExistingOutput::skip);
  EXPECT_TRUE(out.has(field("a")));
  EXPECT_FALSE(out.has(field("c")));
  EXPECT_TRUE(out.changes_nothing());
  add(out, "b2");
  EXPECT_FALSE(out.changes_nothing());
  out.take(field("b"));
  out.write(line("a", 7));  // this input is processed again
  out.keep(field("a"));
  out.commit();
  EXPECT_EQ(read_file(file()), lines("b2") + lines("b") + line("a", 7) + lines("x"))
      << "nothing is lost: inputs of other runs stay";
}

TEST_F(InputLinesTest, AFileThatAppearsOrChangesMeanwhileIsLeftAlone) {
  for (const char* before : {"", "x"}) {
    if (*before != 0) dir_.write("d.jsonl", lines(before));
    InputLines out = open(ExistingOutput::skip);
    add(out, "a");
    dir_.write("d.jsonl", "the user's");
    expect_error(ErrorKind::output, "the output so far is kept as", [&] { out.commit(); });
    EXPECT_EQ(read_file(file()), "the user's");
    fs::remove(file());
  }
}

TEST_F(InputLinesTest, APartOfOneInputDoesNotHoldItsEarlierLinesToo) {
  dir_.write("d.jsonl", lines("a"));
  InputLines out = open(ExistingOutput::skip);
  out.write(line("a", 7));
  out.keep_unfinished(field("a"));
  EXPECT_EQ(read_file(out.keep_partial()), line("a", 7));
}

// The file's first line has a quote that never ends. The reader must not take all later lines for a
// part of the first record.
TEST_F(InputLinesTest, AFileOfAnotherKindIsRefusedAtItsFirstLine) {
  std::string text = "it's \"another\n";
  for (int i = 0; i < 200'000; ++i) text += "line\n";
  dir_.write("l.csv", text);
  expect_error(ErrorKind::output, "line 1",
               [&] { InputLines(dir_ / "l.csv", kCsv, ExistingOutput::skip, {}); });
}

TEST_F(InputLinesTest, AnInputThatFailsNowKeepsItsEarlierLines) {
  dir_.write("d.jsonl", lines("a"));
  InputLines out = open(ExistingOutput::skip);
  out.write(line("a", 9));
  out.forget();
  out.commit();
  EXPECT_EQ(read_file(file()), lines("a"));
}

TEST_F(InputLinesTest, OtherContentIsNotGoneOnWith) {
  for (const std::string text : {"of another program\n", "{}\n", R"({"file":"a"})"}) {
    dir_.write("d.jsonl", text);
    expect_error(ErrorKind::output, "d.jsonl: exists already",
                 [&] { (void)open(ExistingOutput::skip); });
    EXPECT_EQ(read_file(file()), text);
  }
  dir_.write("l.csv", "another,header\na,1\n");
  expect_error(ErrorKind::output, "line 1",
               [&] { InputLines(dir_ / "l.csv", kCsv, ExistingOutput::skip, {}); });
}

TEST_F(InputLinesTest, CsvKeepsItsHeaderAndNamesWithLineBreaks) {
  dir_.write("l.csv", "file,frame\n\"a\nb\",0\n\"a\nb\",1\nc,0\n");
  InputLines out(dir_ / "l.csv", kCsv, ExistingOutput::skip, {});
  EXPECT_TRUE(out.has("\"a\nb\""));
  EXPECT_TRUE(out.has("c"));
  out.write("d,0\n");
  out.keep("d");
  out.commit();
  EXPECT_EQ(read_file(dir_ / "l.csv"), "file,frame\nd,0\n\"a\nb\",0\n\"a\nb\",1\nc,0\n");
}

TEST_F(InputLinesTest, AnInterruptedRunIsGoneOnWithAgainAndAgain) {
  for (const char* name : {"a", "b", "c"}) {
    InputLines out = open(ExistingOutput::skip);
    add(out, name);
    static_cast<void>(out.keep_partial());
  }
  EXPECT_EQ(read_file(dir_ / "d.partial.jsonl"), lines("a")) << "a kept part is never replaced";
  {
    InputLines out = open(ExistingOutput::skip);
    for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(out.has(field(name))) << name;
    add(out, "d");
    out.commit();
  }
  EXPECT_EQ(read_file(file()), lines("d") + lines("a") + lines("b") + lines("c"));
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl")) << "parts that were taken over go";
}

TEST_F(InputLinesTest, PartsOfASingleInputAreNoCompleteOnes) {
  {
    InputLines out = open(ExistingOutput::refuse);
    out.write(line("a", 0));
    out.keep_unfinished(field("a"));
    static_cast<void>(out.keep_partial());
  }
  InputLines out = open(ExistingOutput::skip);
  EXPECT_FALSE(out.has(field("a")));
  add(out, "a");
  out.commit();
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl")) << "what was cut off is needless now";
}

// The program is killed after each of its steps. The next run continues the file; no line is lost
// or appears twice.
TEST_F(InputLinesTest, AKilledRunIsGoneOnWithWhereverItWas) {
  dir_.write("d.jsonl", lines("z"));
  constexpr int kSteps = 9;
  for (int killed_after = 0; killed_after <= kSteps; ++killed_after) {
    in_killed_program([&] {
      int step = 0;
      const auto next = [&] {
        if (step++ == killed_after) _exit(0);
      };
      next();
      auto out =
          std::make_unique<InputLines>(file(), kJson, ExistingOutput::skip, std::stop_token());
      next();
      out->take(field("z"));
      next();
      out->write(line("a", 0));
      next();
      out->write(line("a", 1));
      next();
      out->keep(field("a"));
      next();
      out->write(line("b", 0));
      next();
      out->write(line("b", 1));
      out->keep(field("b"));
      next();
      out->write(line("c", 0) + std::string(70'000, ' '));  // longer than the buffer
      next();
      _exit(0);  // the destructor of `out` must not run
    });
    InputLines out = open(ExistingOutput::skip);
    std::string expected = lines("z");
    out.take(field("z"));
    for (const char* name : {"a", "b"}) {
      if (out.has(field(name)))
        out.take(field(name));
      else
        add(out, name);
      expected += lines(name);
    }
    EXPECT_EQ(out.has(field("b")), killed_after >= 7) << killed_after;
    EXPECT_FALSE(out.has(field("c")));
    out.commit();
    EXPECT_EQ(read_file(file()), expected) << killed_after;
    dir_.write("d.jsonl", lines("z"));
  }
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl"));
}

// After a power cut, a file can have its old length and contain zeros.
TEST_F(InputLinesTest, WhatTheRecordPromisesAndTheFileDoesNotHoldIsNotTaken) {
  fs::path part;
  {
    InputLines out = open(ExistingOutput::refuse);
    for (const char* name : {"a", "b", "c"}) add(out, name);
    part = out.keep_partial();
  }
  std::string text = read_file(part);
  const std::size_t length = lines("a").size();
  text.replace(length, length, std::string(length, '\0'));
  text.back() = '\0';
  dir_.write("d.partial.jsonl", text);
  const InputLines out = open(ExistingOutput::skip);
  EXPECT_TRUE(out.has(field("a")));
  EXPECT_FALSE(out.has(field("b")));
  EXPECT_FALSE(out.has(field("c")));
}

TEST_F(InputLinesTest, LinesAreNotTakenIfOneInTheirMiddleIsLost) {
  fs::path part;
  {
    InputLines out = open(ExistingOutput::refuse);
    out.write(lines("a") + line("a", 2));
    out.keep(field("a"));
    part = out.keep_partial();
  }
  std::string text = read_file(part);
  const std::size_t length = line("a", 1).size();
  text.replace(length, length - 1, std::string(length - 1, '\0'));
  dir_.write("d.partial.jsonl", text);
  {
    InputLines out = open(ExistingOutput::skip);
    EXPECT_FALSE(out.has(field("a")));
    add(out, "a");
    out.commit();
  }
  EXPECT_EQ(read_file(file()), lines("a"));
}

TEST_F(InputLinesTest, AFullDiskKeepsWhatIsComplete) {
  {
    InputLines out = open(ExistingOutput::refuse);
    add(out, "a");
    const FileSizeLimit limit(1000);
    EXPECT_THROW(
        {
          for (int i = 0; i < 10'000; ++i) out.write(line("b", i));
        },
        Error);
    out.give_up(true);
    static_cast<void>(out.keep_partial());
  }
  EXPECT_EQ(read_file(dir_ / "d.partial.jsonl"), lines("a"));
}

TEST_F(InputLinesTest, AFullDiskKeepsWholeLinesOfASingleInput) {
  InputLines out = open(ExistingOutput::refuse);
  {
    const FileSizeLimit limit(100);
    EXPECT_THROW(
        {
          for (int i = 0; i < 10'000; ++i) out.write(line("b", i));
        },
        Error);
    out.give_up(false);
  }
  const std::string text = read_file(out.keep_partial());
  EXPECT_EQ(text, line("b", 0) + line("b", 1) + line("b", 2) + line("b", 3));
}

}  // namespace
}  // namespace facepipe::app
