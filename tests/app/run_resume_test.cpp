// These tests check runs that resume an earlier run, with a fake pipeline.
#include "app/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "tests/app/run_fixture.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::expect_error;
using test::read_file;
using test::RunTest;
using test::TemporaryFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(RunTest, SkipExistingLeavesWhatIsDone) {
  add_input("a.mp4");
  EXPECT_EQ(run_all(), 0);
  add_input("b.mp4");
  options_.existing = ExistingOutput::skip;
  worked_.clear();
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(worked_, ElementsAre("b.mp4"));
  EXPECT_EQ(report().size(), 2U);
  EXPECT_EQ(report()[0]["status"], "done") << "what the earlier run reported";
  EXPECT_EQ(report()[0]["from_earlier_run"], true);
  EXPECT_FALSE(report()[1].contains("from_earlier_run"));
  const std::string detections = read_file(dir_ / "d.jsonl");
  EXPECT_EQ(std::count(detections.begin(), detections.end(), '\n'), 6);
  const fs::file_time_type time = fs::last_write_time(dir_ / "d.jsonl");
  EXPECT_EQ(run_all(), 0) << "all is done: nothing is touched";
  EXPECT_THAT(worked_, ElementsAre("b.mp4"));
  EXPECT_EQ(fs::last_write_time(dir_ / "d.jsonl"), time);
  EXPECT_EQ(read_file(dir_ / "d.jsonl"), detections);
}

TEST_F(RunTest, C9WithoutVideoDamageIsKnownFromTheReport) {
  add_input("a.damaged.mp4");
  options_.video = false;
  EXPECT_EQ(run_all(), 6);
  options_.existing = ExistingOutput::skip;
  worked_.clear();
  EXPECT_EQ(run_all(), 6);
  EXPECT_THAT(worked_, ElementsAre());
  EXPECT_EQ(report()[0]["exit_code"], 6);
  options_.tolerate_damage = true;
  EXPECT_EQ(run_all(), 0);
}

TEST_F(RunTest, AVideoWhoseFramesAreInNoFileIsDoneAgainWithoutTouchingIt) {
  add_input("a.mp4");
  dir_.write("in/a_faces.mp4", "before");
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(worked_, ElementsAre("a.mp4"));
  EXPECT_EQ(read_file(dir_ / "in/a_faces.mp4"), "before");
  EXPECT_THAT(read_file(dir_ / "d.jsonl"), HasSubstr("a.mp4"));
  EXPECT_EQ(report()[0]["output"], (dir_ / "in/a_faces.mp4").string());
}

// The user interrupts the run at two inputs, one after the other, and resumes it each time. In the
// end the files must hold each frame exactly once.
TEST_F(RunTest, AnInterruptedRunIsResumedUntilAllIsThere) {
  for (const char* name : {"a.mp4", "b.stopped.mp4", "c.stopped.mp4", "d.mp4"}) add_input(name);
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_all(), 130);
  EXPECT_THAT(worked_, ElementsAre("a.mp4", "b.stopped.mp4"));
  EXPECT_THAT(read_file(dir_ / "d.partial.jsonl"), Not(HasSubstr("b.stopped")))
      << "an input's frames are there completely or not at all";
  fs::remove(dir_ / "in/b.stopped_faces.mp4");  // the fake pipeline writes to the final name
  stop_ = std::stop_source();
  interrupts_ = "c.stopped";
  EXPECT_EQ(run_all(), 130);
  fs::remove(dir_ / "in/c.stopped_faces.mp4");
  stop_ = std::stop_source();
  interrupts_ = "nothing";
  worked_.clear();
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(worked_, ElementsAre("c.stopped.mp4", "d.mp4"));
  const std::string lines = read_file(dir_ / "d.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 12);
  for (const char* name : {"a.mp4", "b.stopped", "c.stopped", "d.mp4"})
    EXPECT_THAT(lines, HasSubstr(name));
  ASSERT_EQ(report().size(), 4U);
  for (const json& entry : report()) EXPECT_EQ(entry["status"], "done") << entry["file"];
  EXPECT_FALSE(fs::exists(dir_ / "d.partial.jsonl")) << "taken over";
  EXPECT_FALSE(fs::exists(dir_ / ".d.jsonl.facepipe"));
}

TEST_F(RunTest, WithoutVideoARunIsResumedByItsLines) {
  add_input("a.mp4");
  add_input("b.stopped.mp4");
  options_.video = false;
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_all(), 130);
  stop_ = std::stop_source();
  interrupts_ = "nothing";
  worked_.clear();
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(worked_, ElementsAre("b.stopped.mp4"));
}

TEST_F(RunTest, TwoInputsOfOneNameAreNeverTakenForEachOther) {
  dir_.write("one/a.mp4");
  dir_.write("two/a.mp4");
  options_.inputs = {dir_ / "one", dir_ / "two"};
  options_.video = false;
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(worked_.size(), 4U);
  const std::string lines = read_file(dir_ / "d.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 6);
}

// In the text files, the two names of this test look equal, because they aren't valid UTF-8.
TEST_F(RunTest, NamesThatReadTheSameAreNeverTakenForEachOther) {
  add_input("caf\xe8.mp4");
  add_input("caf\xe9.mp4");
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(run_all(), 0);
  const std::string lines = read_file(dir_ / "d.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 6);
}

TEST_F(RunTest, ACsvWithoutALineOfAnInputGoesByTheReport) {
  add_input("empty.mp4");
  add_input("a.mp4");
  options_.files = {dir_ / "d.csv", {}, dir_ / "r.json"};
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_all(), 0);
  worked_.clear();
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(worked_, testing::IsEmpty());
}

TEST_F(RunTest, WhatAnotherRunFinishesMeanwhileIsSkipped) {
  add_input("a.mp4");
  add_input("b.mp4");
  options_.existing = ExistingOutput::skip;
  options_.files = {};
  while_working_ = [this] { dir_.write("in/b_faces.mp4", "the other's"); };
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(worked_, ElementsAre("a.mp4"));
  EXPECT_EQ(read_file(dir_ / "in/b_faces.mp4"), "the other's");
}

TEST_F(RunTest, SideFilesOfOtherProgramsAreNotReplacedByAResumedRun) {
  add_input("a.mp4");
  dir_.write("d.jsonl", "of another program");
  options_.existing = ExistingOutput::skip;
  expect_error(ErrorKind::output, "d.jsonl: exists already", [&] { (void)run_all(); });
  EXPECT_THAT(worked_, testing::IsEmpty());
  EXPECT_EQ(read_file(dir_ / "d.jsonl"), "of another program");
  options_.files = {{}, {}, dir_ / "d.jsonl"};
  expect_error(ErrorKind::output, "is not a report", [&] { (void)run_all(); });
}

TEST_F(RunTest, FramesOfOtherInputsStayInAResumedRun) {
  dir_.write("d.jsonl", "{\"file\":\"other.mp4\",\"frame\":0}\n");
  add_input("a.mp4");
  options_.files = {dir_ / "d.jsonl", {}, {}};
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(read_file(dir_ / "d.jsonl"), HasSubstr("other.mp4"));
  EXPECT_THAT(read_file(dir_ / "d.jsonl"), HasSubstr("a.mp4"));
}

}  // namespace
}  // namespace facepipe::app
