// These tests run the app with a fake pipeline. They check the order of inputs, files, exit codes,
// and the state after failures.
#include "app/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(RunTest, WorksOnInputsInOrderAndWritesAllFiles) {
  add_input("b.mp4");
  add_input("a.mp4");
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(worked_, ElementsAre("b.mp4", "a.mp4"));
  EXPECT_EQ(factories_, 1) << "the model is loaded once";
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl", "in", "in/a.mp4", "in/a_faces.mp4", "in/b.mp4",
                                        "in/b_faces.mp4", "l.csv", "r.json"));
  const std::string lines = read_file(dir_ / "d.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 6);
  EXPECT_EQ(report()[0]["engine"], "opencv");
  EXPECT_EQ(report()[0]["model"]["path"], "model.onnx");
}

TEST_F(RunTest, NamesFilesRelativeToTheDirectory) {
  add_input("deep/a.mp4");
  options_.inputs = {dir_ / "in"};
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(report()[0]["file"], "deep/a.mp4");
  EXPECT_THAT(read_file(dir_ / "l.csv"), HasSubstr("\ndeep/a.mp4,0,"));
}

TEST_F(RunTest, BadInputDoesNotStopTheOthersAndLeavesNoLines) {
  add_input("good.mp4");
  add_input("bad.mp4");
  add_input("damaged.mp4");
  options_.inputs.push_back(dir_ / "missing.mp4");
  EXPECT_EQ(run_all(), 3);
  EXPECT_THAT(worked_, ElementsAre("good.mp4", "bad.mp4", "damaged.mp4"));
  EXPECT_THAT(read_file(dir_ / "d.jsonl"), Not(HasSubstr("bad.mp4")));
  EXPECT_THAT(read_file(dir_ / "l.csv"), Not(HasSubstr("bad.mp4")));
  const json all = report();
  EXPECT_EQ(all[1]["error"], options_.inputs[1] + ": torn in the middle") << "names the file";
  EXPECT_EQ(all[2]["status"], "damaged");
  EXPECT_EQ(all[2]["exit_code"], 6);
  EXPECT_EQ(all[3]["exit_code"], 3);
}

TEST_F(RunTest, AnythingElseIsCodeOneInOneLine) {
  add_input("crash.mp4");
  EXPECT_EQ(run_all(), 1);
  EXPECT_EQ(report()[0]["error"], options_.inputs[0] + ": two lines");
}

TEST_F(RunTest, WhenAllFailOnlyTheReportIsWritten) {
  add_input("bad.mp4");
  EXPECT_EQ(run_all(), 3);
  EXPECT_THAT(dir_.names(), ElementsAre("in", "in/bad.mp4", "r.json"));
}

TEST_F(RunTest, DamageIsCodeSixUnlessTolerated) {
  add_input("damaged.mp4");
  EXPECT_EQ(run_all(), 6);
  EXPECT_TRUE(fs::exists(dir_ / "in/damaged_faces.mp4"));
  options_.tolerate_damage = true;
  options_.existing = ExistingOutput::overwrite;
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(report()[0]["status"], "damaged") << "tolerated, not hidden";
}

TEST_F(RunTest, D1LostSoundIsCodeSixAndInTheReport) {
  add_input("sound.mp4");
  EXPECT_EQ(run_all(), 6);
  EXPECT_TRUE(fs::exists(dir_ / "in/sound_faces.mp4"));
  EXPECT_EQ(report()[0]["status"], "damaged");
  EXPECT_EQ(report()[0]["side_packets_lost"], 3);
}

TEST_F(RunTest, InterruptKeepsPartialFilesAndRunsNothingMore) {
  add_input("first.mp4");
  add_input("stopped.mp4");
  add_input("later.mp4");
  EXPECT_EQ(run_all(), 130);
  EXPECT_THAT(worked_, ElementsAre("first.mp4", "stopped.mp4"));
  EXPECT_THAT(dir_.names(), Contains("d.partial.jsonl"));
  EXPECT_THAT(dir_.names(), Contains("l.partial.csv"));
  EXPECT_THAT(dir_.names(), Not(Contains("d.jsonl")));
  EXPECT_EQ(report()[1]["status"], "partial");
  EXPECT_EQ(report()[2]["status"], "not run");
}

TEST_F(RunTest, AnInterruptBeforeAnythingIsCompleteLeavesNoEmptyFiles) {
  add_input("stopped.mp4");
  add_input("later.mp4");
  EXPECT_EQ(run_all(), 130);
  EXPECT_THAT(dir_.names(), Not(Contains(HasSubstr("partial"))));
}

TEST_F(RunTest, AnInterruptKeepsTheLinesOfASingleInput) {
  add_input("stopped.mp4");
  EXPECT_EQ(run_all(), 130);
  EXPECT_THAT(read_file(dir_ / "d.partial.jsonl"), HasSubstr("stopped.mp4"));
}

TEST_F(RunTest, ExistingOutputIsRefusedBeforeAnyWork) {
  add_input("a.mp4");
  dir_.write("in/a_faces.mp4", "before");
  EXPECT_EQ(run_all(), 5);
  EXPECT_EQ(factories_, 0);
  EXPECT_EQ(read_file(dir_ / "in/a_faces.mp4"), "before");
  EXPECT_THAT(report()[0]["error"].get<std::string>(), HasSubstr("a_faces.mp4: exists already"));
}

TEST_F(RunTest, OverwriteReplacesVideoAndSideFiles) {
  add_input("a.mp4");
  dir_.write("in/a_faces.mp4", "before");
  dir_.write("d.jsonl", "before");
  options_.existing = ExistingOutput::overwrite;
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(read_file(dir_ / "in/a_faces.mp4"), "video");
  EXPECT_THAT(read_file(dir_ / "d.jsonl"), HasSubstr("a.mp4"));
}

TEST_F(RunTest, AVideoThatIsCutOffByAFullDiskIsToldAndItsFramesAreNotComplete) {
  add_input("full.mp4");
  add_input("a.mp4");
  EXPECT_EQ(run_all(), 5);
  EXPECT_THAT(worked_, ElementsAre("full.mp4", "a.mp4"))
      << "one input's output doesn't stop others";
  EXPECT_EQ(report()[0]["status"], "partial");
  EXPECT_THAT(report()[0]["error"].get<std::string>(), HasSubstr("the disk is full"));
  EXPECT_THAT(read_file(dir_ / "d.jsonl"), Not(HasSubstr("full.mp4")));
}

TEST_F(RunTest, WhereHidingFailsThePartIsToldWithTheErrorsOwnCode) {
  add_input("fails.mp4");
  options_.job.hide.emplace();
  testing::internal::CaptureStdout();  // the log goes to stdout here
  EXPECT_EQ(run_all(), 4);
  const std::string told = testing::internal::GetCapturedStdout();
  EXPECT_EQ(report()[0]["status"], "partial");
  EXPECT_THAT(report()[0]["error"].get<std::string>(), HasSubstr("fails.mp4: out of order"));
  EXPECT_THAT(told, HasSubstr("fails.mp4: out of order; the output so far is kept as"));
}

TEST_F(RunTest, AFileOfFramesThatCannotBeWrittenDoesNotCostTheVideo) {
  add_input("a.mp4");
  options_.files.detections = dir_ / "full.jsonl";
  fs::create_symlink("/dev/full", options_.files.detections);
  EXPECT_EQ(run_all(), 5);
  EXPECT_TRUE(fs::exists(dir_ / "in/a_faces.mp4"));
  EXPECT_THAT(read_file(dir_ / "l.csv"), HasSubstr("a.mp4"));
  EXPECT_EQ(report()[0]["status"], "done");
}

TEST_F(RunTest, WithoutAnythingLeftToWriteToTheRunEnds) {
  add_input("a.mp4");
  options_.video = false;
  options_.files = {dir_ / "full.jsonl", {}, dir_ / "r.json"};
  fs::create_symlink("/dev/full", options_.files.detections);
  EXPECT_EQ(run_all(), 5);
  EXPECT_EQ(report()[0]["status"], "failed");
}

TEST_F(RunTest, AnotherRunsOutputsAreRefusedBeforeTheModelIsLoaded) {
  add_input("a.mp4");
  {
    const OutputLock other(dir_ / "d.jsonl");
    expect_error(ErrorKind::output, "another run is writing it", [&] { (void)run_all(); });
  }
  const OutputLock other(dir_ / "in/a_faces.mp4");
  EXPECT_EQ(run_all(), 5);
  EXPECT_EQ(factories_, 0);
}

TEST_F(RunTest, OutputThatIsADirectoryIsRefused) {
  add_input("a.mp4");
  fs::create_directory(dir_ / "in/a_faces.mp4");
  options_.existing = ExistingOutput::overwrite;
  EXPECT_EQ(run_all(), 5);
  EXPECT_THAT(worked_, testing::IsEmpty());
}

TEST_F(RunTest, OutputDirectoryIsMadeWithItsFolders) {
  add_input("deep/a.mp4");
  options_.inputs = {dir_ / "in"};
  options_.output = dir_ / "out/new/";
  EXPECT_EQ(run_all(), 0);
  EXPECT_TRUE(fs::exists(dir_ / "out/new/deep/a_faces.mp4"));
}

TEST_F(RunTest, OutputDirectoryThatCannotBeMadeIsAnOutputError) {
  add_input("a.mp4");
  dir_.write("file");
  options_.output = dir_ / "file/out/";
  EXPECT_EQ(run_all(), 5);
}

TEST_F(RunTest, SideFilesThatClashAreRefused) {
  add_input("a.mp4");
  const std::string input = options_.inputs[0];
  for (const SideFiles& files :
       {SideFiles{dir_ / "x.csv", dir_ / "./x.csv", ""}, SideFiles{"", input, ""},
        SideFiles{"", "", dir_ / "in/../in/a.mp4"}, SideFiles{dir_ / "in/a_faces.mp4", "", ""}}) {
    options_.files = files;
    expect_error(ErrorKind::usage, "is named twice", [&] { (void)run_all(); });
  }
  EXPECT_THAT(worked_, testing::IsEmpty());
}

TEST_F(RunTest, SideFileInAMissingFolderIsToldBeforeAnyWork) {
  add_input("a.mp4");
  options_.files.latency = dir_ / "no/l.csv";
  expect_error(ErrorKind::output, "no/l.csv: can't be written", [&] { (void)run_all(); });
  EXPECT_EQ(factories_, 0);
  EXPECT_THAT(dir_.names(), ElementsAre("in", "in/a.mp4"));
}

TEST_F(RunTest, DecoderOfAnotherDeviceIsRefused) {
  add_input("a.mp4");
  options_.job.input.decoder = video::DecoderChoice::nvdec;
  expect_error(ErrorKind::usage, "--decoder cuda", [&] { (void)run_all(); });
  EXPECT_EQ(factories_, 0);
}

TEST_F(RunTest, ModelThatFailsLeavesNothing) {
  add_input("a.mp4");
  RunParts broken = parts();
  broken.backend = [](const Device&,
                      const detector::DetectorOptions&) -> std::unique_ptr<pipeline::Backend> {
    throw Error(ErrorKind::device, "model.onnx: is not ONNX");
  };
  expect_error(ErrorKind::device, "model.onnx",
               [&] { (void)run(options_, broken, stop_.get_token()); });
  EXPECT_THAT(dir_.names(), ElementsAre("in", "in/a.mp4"));
}

TEST_F(RunTest, DevicesStartBeforeTheOnlyInputIsOpened) {
  add_input("a.mp4");
  options_.device = {false, {DeviceKind::cuda, 1}};
  cuda_.built = true;
  cuda_.devices = {{"Some Chip", ""}, {"Some Chip", ""}};
  std::vector<std::string> steps;
  RunParts with = parts();
  with.start_devices = [&](const DeviceRequest& request, const auto& /*devices*/) {
    steps.push_back("start " + to_string(request.device));
    return DeviceStart();
  };
  with.open_input = [&](const std::string& input) {
    steps.push_back("open " + fs::path(input).filename().string());
  };
  EXPECT_EQ(run(options_, with, stop_.get_token()), 0);
  EXPECT_THAT(steps, ElementsAre("start cuda:1", "open a.mp4"));
  EXPECT_THAT(worked_, ElementsAre("a.mp4"));

  steps.clear();
  options_.existing = ExistingOutput::skip;
  EXPECT_EQ(run(options_, with, stop_.get_token()), 0);
  EXPECT_THAT(steps, testing::IsEmpty()) << "nothing is left to do";
}

TEST_F(RunTest, InputThatCannotBeOpenedEarlyIsLeftToItsJob) {
  add_input("bad.mp4");
  RunParts with = parts();
  int opened = 0;
  with.open_input = [&](const std::string& input) {
    ++opened;
    throw Error(ErrorKind::input, input + ": is no video");
  };
  EXPECT_EQ(run(options_, with, stop_.get_token()), 3);
  EXPECT_EQ(report()[0]["error"], options_.inputs[0] + ": torn in the middle");
  EXPECT_EQ(opened, 1);

  add_input("b.mp4");
  options_.existing = ExistingOutput::overwrite;
  EXPECT_EQ(run(options_, with, stop_.get_token()), 3);
  EXPECT_EQ(opened, 1) << "several inputs are opened by their jobs";
}

TEST_F(RunTest, IdsAreDrawnOnTheDeviceThatAnythingElseIsDrawnOn) {
  add_input("a.mp4");
  options_.existing = ExistingOutput::overwrite;
  options_.job.overlay.ids = true;
  options_.job.follow.emplace();
  cuda_.built = true;
  cuda_.devices = {{"Some Chip", ""}};
  int followed = 0;
  on_job_ = [&](const pipeline::JobOptions& job) { followed += job.follow ? 1 : 0; };
  for (const DeviceRequest& request :
       {DeviceRequest{false, {DeviceKind::cuda, 0}}, DeviceRequest{true, {}},
        DeviceRequest{false, {DeviceKind::cpu, 0}}}) {
    options_.device = request;
    EXPECT_EQ(run_all(), 0);
  }
  EXPECT_THAT(made_, ElementsAre("detector on cuda:0", "detector on cuda:0", "detector on cpu"));
  EXPECT_EQ(followed, 3);
}

TEST_F(RunTest, LeavingFramesOutIsRefusedOnCudaAndTakesTheCpuWhereNobodyNamedADevice) {
  add_input("a.mp4");
  options_.job.search.every = 3;
  options_.device = {false, {DeviceKind::cuda, 0}};
  expect_error(ErrorKind::usage, "--every works only on the CPU so far",
               [this] { (void)run_all(); });
  options_.device = {true, {}};
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(report()[0]["why"].dump(), HasSubstr("cpu: --every works only on the CPU"));
  EXPECT_EQ(report()[0]["options"]["every"], 3);
}

TEST_F(RunTest, GroupingIsReportedWithItsNeighbours) {
  add_input("a.mp4");
  options_.job.search.nms.rule = nms::NmsRule::groups;
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(report()[0]["options"]["nms"]["rule"], "opencv-groups");
  EXPECT_EQ(report()[0]["options"]["nms"]["min_neighbours"], 3);
}

TEST_F(RunTest, WithoutVideoThereIsNoOutput) {
  add_input("a.mp4");
  options_.video = false;
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(dir_.names(), ElementsAre("d.jsonl", "in", "in/a.mp4", "l.csv", "r.json"));
  EXPECT_TRUE(report()[0]["output"].is_null());
}

TEST_F(RunTest, ProgressAsJsonGoesToStdoutWithALastLine) {
  add_input("a.mp4");
  options_.console.progress = ProgressStyle::json;
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_all(), 0);
  std::istringstream lines(testing::internal::GetCapturedStdout());
  json last;
  for (std::string line; std::getline(lines, line);) last = json::parse(line);
  EXPECT_EQ(last["status"], "done");
  EXPECT_EQ(last["frames"], 3);
}

TEST_F(RunTest, SummaryGoesToStderrUnlessQuiet) {
  add_input("a.mp4");
  options_.console.quiet = false;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_all(), 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("3 frames, 3 faces"));
  options_.console.quiet = true;
  options_.existing = ExistingOutput::overwrite;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_all(), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace facepipe::app
