// These tests run the program's commands `plan run` and `plan hide`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

/// Says for each file of a folder how large it is, and when it was changed.
std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> listing(const fs::path& dir) {
  std::map<std::string, std::pair<std::uintmax_t, fs::file_time_type>> files;
  for (const auto& entry : fs::recursive_directory_iterator(dir))
    files[entry.path().string()] = {entry.is_regular_file() ? entry.file_size() : 0,
                                    entry.last_write_time()};
  return files;
}

class Plan : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    clips_.emplace();
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=2 -f lavfi -i sine=d=2 -f lavfi -i sine=f=99:d=2 "
        "-map 0 -map 1 -map 2 -c:v libx264 -preset ultrafast -c:a:0 aac -c:a:1 pcm_s16le "
        "-metadata:s:a:0 language=deu",
        clip());
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=10:d=1 -c:v mpeg4", *clips_ / "small.avi");
  }
  static void TearDownTestSuite() { clips_.reset(); }
  static fs::path clip() { return *clips_ / "clip.mkv"; }

  /// Plans, expects that nothing is written, and returns the plan.
  [[nodiscard]] json planned(const Arguments& arguments, int code = 0) const {
    const auto clips = listing(clips_->path());
    const auto mine = listing(dir_.path());
    const CommandResult result = run_program(joined({"plan"}, joined(arguments, {"--json"})));
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(listing(clips_->path()), clips);
    EXPECT_EQ(listing(dir_.path()), mine);
    return json::parse(result.out, nullptr, false);
  }

  /// Runs the command itself, and returns the entry of its report.
  [[nodiscard]] json report_of(const Arguments& arguments) const {
    const CommandResult result =
        run_program(joined(arguments, {"-q", "--report", dir_ / "report.json"}));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(read_file(dir_ / "report.json"))[0];
  }

  static inline std::optional<TemporaryFolder> clips_;
  TemporaryFolder dir_;
};

TEST_F(Plan, TellsWhatTheRunThenDoes) {
  for (const std::string command : {"run", "hide"}) {
    SCOPED_TRACE(command);
    const fs::path output = dir_ / (command + ".mp4");
    const Arguments arguments{command, clip(), "-o", output, "--preset", "fast"};
    const json plan = planned(arguments);
    EXPECT_EQ(plan.at("command"), command);
    const json& input = plan.at("inputs").at(0);
    const json report = report_of(arguments);
    for (const char* const same : {"device", "devices", "engine", "precision", "why", "model"})
      EXPECT_EQ(plan.at(same), report.at(same)) << same;
    for (const char* const same : {"decoder", "encoder", "container", "video_codec", "notices"})
      EXPECT_EQ(input.at(same), report.at(same)) << same;
    for (const char* const same : {"count", "why_one"})
      EXPECT_EQ(input.at("lanes").at(same), report.at("lanes").at(same)) << same;
    EXPECT_EQ(input.at("frames"), report.at("frames").at("decoded"));
    EXPECT_EQ(input.at("status"), "planned");
    EXPECT_EQ(input.at("exit_code"), 0);
    // What is kept must be in the output, in the same order.
    std::vector<std::string> kept;
    for (const json& stream : input.at("streams"))
      if (stream.at("action") != "drop")
        kept.push_back(stream.at("type").get<std::string>() + " " +
                       stream.at("to_codec").get<std::string>());
    std::vector<std::string> written;
    const json probed = probe(output);
    for (const json& stream : probed.at("streams"))
      written.push_back(stream.at("codec_type").get<std::string>() + " " +
                        stream.at("codec_name").get<std::string>());
    EXPECT_EQ(kept, written);
    // The trial is the whole clip, so its size is exact but for MP4's tables of chunks, which
    // depend on the order in which packets of sound and pictures come.
    constexpr double kTablesOfChunks = 512;
    const auto size = static_cast<double>(fs::file_size(output));
    for (const char* const bound : {"low", "high"})
      EXPECT_NEAR(input.at("takes").at("bytes").at(bound).get<double>(), size, kTablesOfChunks);
    EXPECT_TRUE(input.at("trials").at(0).at("whole"));
    fs::remove(dir_ / "report.json");
  }
}

TEST_F(Plan, TellsTheStreamsOfTheInput) {
  const json plan = planned({"run", clip(), "-o", dir_ / "out.mp4"});
  const json streams = plan.at("inputs").at(0).at("streams");
  const json found = probe(clip()).at("streams");
  ASSERT_EQ(streams.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(streams[i].at("index"), found[i].at("index"));
    EXPECT_EQ(streams[i].at("type"), found[i].at("codec_type"));
    EXPECT_EQ(streams[i].at("codec"), found[i].at("codec_name"));
  }
  EXPECT_EQ(streams[1].at("language"), "deu");
  EXPECT_EQ(streams[0].at("action"), "encode");
  EXPECT_EQ(streams[1].at("action"), "copy");
}

TEST_F(Plan, IsOneLineForEachOfSeveralInputs) {
  const Arguments arguments{"plan", "run", clips_->path(), "-o", dir_.path() / ""};
  const CommandResult result = run_program(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("clip.mkv -> " + (dir_ / "clip_faces.mkv").string()));
  EXPECT_THAT(result.out, HasSubstr("small.avi -> " + (dir_ / "small_faces.avi").string()));
  EXPECT_THAT(result.out, HasSubstr("all: 2 inputs\n"));
  EXPECT_THAT(dir_.names(), ElementsAre());
  const json plan = planned({"run", clips_->path(), "-o", dir_.path() / ""});
  double seconds = plan.at("all").at("load_s");
  std::int64_t low = 0;
  for (const json& input : plan.at("inputs")) {
    seconds += input.at("takes").at("seconds").get<double>();
    low += input.at("takes").at("bytes").at("low").get<std::int64_t>();
  }
  EXPECT_EQ(plan.at("all").at("inputs"), 2);
  EXPECT_NEAR(plan.at("all").at("seconds").get<double>(), seconds, 0.01);
  EXPECT_EQ(plan.at("all").at("bytes").at("low"), low);
  // The program and the model need more than this.
  EXPECT_GT(plan.at("all").at("memory_bytes"), 30'000'000);
}

TEST_F(Plan, TriesEachKindOfInputOnce) {
  fs::copy_file(clip(), dir_ / "a.mkv");
  fs::copy_file(clip(), dir_ / "b.mkv");
  const json plan = planned({"run", dir_ / "a.mkv", dir_ / "b.mkv"});
  const json& inputs = plan.at("inputs");
  EXPECT_EQ(inputs.at(0).at("trials").size(), 1U);
  EXPECT_TRUE(inputs.at(0).at("tried_as").is_null());
  EXPECT_EQ(inputs.at(1).at("trials").size(), 0U);
  EXPECT_EQ(inputs.at(1).at("tried_as"), (dir_ / "a.mkv").string());
  EXPECT_GT(inputs.at(1).at("takes").at("seconds"), 0);
}

TEST_F(Plan, TriesSeveralPlacesOfALongInput) {
  // The pictures are large, so that the trial at the beginning can't reach the second place. A
  // trial ends with a whole frame, so each frame should take little time.
  constexpr int kSeconds = 120;
  make_long_clip("1920x1080:r=25", kSeconds, dir_ / "long.mp4");
  const json input =
      planned({"run", dir_ / "long.mp4", "--codec", "mpeg4", "--detect-size", "640x384"})
          .at("inputs")
          .at(0);
  const json& trials = input.at("trials");
  ASSERT_GT(trials.size(), 1U) << input;
  EXPECT_EQ(trials[0].at("from_s"), 0);
  EXPECT_FALSE(trials[0].at("whole"));
  EXPECT_GT(trials[1].at("from_s"), 0);
  int frames = 0;
  for (const json& trial : trials) frames += trial.at("frames").get<int>();
  EXPECT_LT(frames, kSeconds * 25) << "the trials don't go through the whole input";
  EXPECT_LT(input.at("takes").at("bytes").at("low"), input.at("takes").at("bytes").at("high"));
}

TEST_F(Plan, KnowsTheTimeOfTwoPasses) {
  const json input =
      planned({"hide", clip(), "--two-pass", "-o", dir_ / "out.mkv"}).at("inputs").at(0);
  EXPECT_EQ(input.at("status"), "planned") << input;
  EXPECT_GT(input.at("takes").at("seconds"), 0);
  EXPECT_GT(input.at("takes").at("bytes").at("high"), 0);
}

TEST_F(Plan, SpeaksToPeople) {
  const CommandResult result =
      run_program({"plan", "run", clip(), "-o", dir_ / "out.mp4", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("h264 160x120, 50 frames, decoded by h264"),
                    HasSubstr("libx264 in mp4"), HasSubstr("0 video h264: encoded again as h264\n"),
                    HasSubstr("1 audio aac (deu): copied\n"), HasSubstr("device   cpu, "),
                    HasSubstr("time     about "), HasSubstr("memory   "), EndsWith("\n")));
}

TEST_F(Plan, RefusesWhatTheRunRefuses) {
  dir_.write("there.mp4");
  dir_.write("report.json");
  const std::vector<std::pair<Arguments, int>> refused{
      {{"run", dir_ / "missing.mp4"}, 3},
      {{"run", dir_ / "there.mp4", "-o", dir_ / "out.mp4"}, 3},  // it is not a video
      {{"run", clip(), "-o", dir_ / "there.mp4"}, 5},
      {{"run", clip(), "-o", dir_ / "out.mp4", "--report", dir_ / "report.json"}, 5},
      {{"run", clip(), "-o", dir_ / "none" / "out.mp4"}, 5},
      {{"run", clip(), "-o", dir_ / "there.mp4" / "out.mp4"}, 5},
      {{"run", clip(), "-o", dir_ / "there.mp4" / "sub" / ""}, 5},
      {{"run", clip(), "-o", dir_ / "out.mp4", "--report", dir_ / "none" / "r.json"}, 5},
      {{"hide", clip(), "-o", dir_ / "out.xyz"}, 5},
      {{"run", clip(), "-o", dir_ / "out.mp4", "--engine", "cuda-plain", "--device", "cpu"}, 2},
      {{"run", clip(), "-o", dir_ / "out.mp4", "--codec", "nonsense"}, 2},
      {{"hide", clip(), "-o", dir_ / "out.mp4", "--region", "x=9000,9000,10,10"}, 2},
      {{"run", clip(), "--no-video", "-o", dir_ / "out.mp4"}, 2},
      {{"run", clip(), "--scor", "1"}, 2},
      {{"run"}, 2}};
  for (const auto& [arguments, code] : refused) {
    SCOPED_TRACE(testing::PrintToString(arguments));
    const auto before = listing(dir_.path());
    const CommandResult run = run_program(joined(arguments, {"-q"}));
    const CommandResult plan = run_program(joined({"plan"}, joined(arguments, {"-q"})));
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_EQ(plan.exit_code, run.exit_code) << plan.err;
    EXPECT_EQ(plan.out, "");
    EXPECT_EQ(listing(dir_.path()), before);
    if (code != 2) {
      EXPECT_EQ(plan.err, run.err);
    }
  }
}

TEST_F(Plan, TellsThatTheUserMayNotWriteToTheFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const fs::path closed = dir_ / "closed";
  fs::create_directory(closed);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec);
  expect_refused(run_program({"plan", "run", clip(), "-o", closed / "out.mp4", "-q"}), 5,
                 "out.mp4: can't be written: Permission denied");
  fs::permissions(closed, fs::perms::owner_all);
}

TEST_F(Plan, TellsNoMemoryOfAGpuWithoutOne) {
  const json plan = planned({"run", clip(), "-o", dir_ / "out.mp4", "--device", "cpu"});
  EXPECT_GT(plan.at("all").at("memory_bytes"), 0);
  EXPECT_TRUE(plan.at("all").at("device_memory_bytes").is_null());
}

TEST_F(Plan, ListsFailuresBesideWhatItPlans) {
  const json plan = planned({"run", clip(), dir_ / "missing.mp4", "-o", dir_.path() / ""}, 3);
  EXPECT_EQ(plan.at("inputs").at(0).at("status"), "planned");
  EXPECT_EQ(plan.at("inputs").at(1).at("status"), "failed");
  EXPECT_EQ(plan.at("inputs").at(1).at("exit_code"), 3);
  EXPECT_THAT(plan.at("inputs").at(1).at("error"), HasSubstr("no such file"));
  EXPECT_EQ(plan.at("all").at("inputs"), 1);
  const CommandResult told =
      run_program({"plan", "run", clip(), dir_ / "missing.mp4", "-o", dir_.path() / ""});
  EXPECT_THAT(told.out, HasSubstr("failed: " + (dir_ / "missing.mp4").string() + ": no such file"));
  EXPECT_THAT(told.out, HasSubstr("all: 1 of 2 inputs\n"));
}

TEST_F(Plan, SkipsWhatTheRunSkips) {
  dir_.write("clip_faces.mkv");
  const json plan = planned({"run", clip(), "-o", dir_.path() / "", "--skip-existing"});
  EXPECT_EQ(plan.at("inputs").at(0).at("status"), "skipped");
  EXPECT_TRUE(plan.at("device").is_null());
  EXPECT_TRUE(plan.at("all").at("seconds").is_null());
}

TEST_F(Plan, RefusesPipes) {
  expect_refused(run_program({"plan", "run", "-"}), 2, "-: plan reads parts of its inputs");
}

TEST_F(Plan, HasOptionsOfItsCommandsAlone) {
  expect_refused(run_program({"plan", "detect", clip()}), 2, "plan detect: unknown command");
  expect_refused(run_program({"plan"}), 2, "the commands are plan run, plan hide");
  expect_refused(run_program({"run", clip(), "--json"}), 2, "--json");
  expect_refused(run_program({"plan", "run", clip(), "--careful"}), 2, "--careful");
}

}  // namespace
}  // namespace facepipe::test
