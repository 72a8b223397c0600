// These tests check the real program's outputs: it must not overwrite a file of the user, and must
// not leave an incomplete file.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>

#include "core/files/output_lock.h"
#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Outputs : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    clips_.emplace();
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25:d=0.4 -c:v libx264 -preset ultrafast", clip());
  }
  static void TearDownTestSuite() { clips_.reset(); }
  static fs::path clip() { return *clips_ / "clip.mp4"; }

  static CommandResult run(const Arguments& arguments) {
    return run_program(joined({"run", "-q"}, arguments));
  }
  static void expect_refusal(int code, const std::string& reason, const Arguments& arguments) {
    expect_refused(run(arguments), code, reason);
  }
  static void expect_played(const fs::path& video) {
    EXPECT_EQ(video_stamps(video).size(), 10U) << video;
  }

  static inline std::optional<TemporaryFolder> clips_;
  TemporaryFolder dir_;
};

TEST_F(Outputs, AnInputUnderAnySpellingIsNoOutput) {
  fs::copy(clip(), dir_ / "foo.partial.mp4");
  fs::create_symlink("foo.partial.mp4", dir_ / "soft.mp4");
  fs::create_hard_link(dir_ / "foo.partial.mp4", dir_ / "hard.mp4");
  const std::string before = read_file(clip());
  const std::string input = dir_ / "foo.partial.mp4";
  const std::string output = dir_ / "foo.mp4";
  for (const std::string& spelled :
       {input, (dir_ / "soft.mp4").string(), (dir_ / "hard.mp4").string(), "file://" + input,
        "cache:file://" + input, "async:file://" + input, "cache:async:file://" + input,
        "subfile,,start,0,end,0,,:file://" + input, "concat:file://" + input + "|file://" + input,
        dir_.path().string() + "/./x/../foo.partial.mp4"}) {
    fs::create_directory(dir_ / "x");
    expect_refusal(2, "is an input, but would also be the unfinished output",
                   {spelled, "-o", output});
    expect_refusal(2, "is an input, but would also be the output",
                   {spelled, "-o", dir_ / "hard.mp4", "--overwrite"});
    fs::remove(dir_ / "x");
  }
  EXPECT_THAT(dir_.names(), ElementsAre("foo.partial.mp4", "hard.mp4", "soft.mp4"));
  EXPECT_EQ(read_file(input), before);
}

TEST_F(Outputs, ATemporaryFileOfADeadRunIsNoInputOfTheNext) {
  fs::copy(clip(), dir_ / "o.mp4.tmp-0123456789");
  dir_.write(".o.mp4.facepipe", "facepipe output 1\nwrites o.mp4.tmp-0123456789\n");
  fs::create_symlink("o.mp4.tmp-0123456789", dir_ / "link.mp4");
  for (const char* input : {"o.mp4.tmp-0123456789", "link.mp4"})
    expect_refusal(2, "would also be the unfinished output", {dir_ / input, "-o", dir_ / "o.mp4"});
  EXPECT_EQ(read_file(dir_ / "o.mp4.tmp-0123456789"), read_file(clip()));
}

TEST_F(Outputs, SideFilesAreNoInputsEither) {
  fs::copy(clip(), dir_ / "d.partial.csv");
  expect_refusal(2, "d.partial.csv: is named twice",
                 {dir_ / "d.partial.csv", "--no-video", "--detections", dir_ / "d.csv"});
  EXPECT_EQ(read_file(dir_ / "d.partial.csv"), read_file(clip()));
}

TEST_F(Outputs, LinksInTheWayAreNotWrittenThrough) {
  dir_.write("precious.txt", "precious");
  fs::create_symlink("precious.txt", dir_ / "s.partial.mp4");
  EXPECT_EQ(run({clip(), "-o", dir_ / "s.mp4"}).exit_code, 0);
  expect_played(dir_ / "s.mp4");
  EXPECT_FALSE(fs::is_symlink(dir_ / "s.mp4"));
  fs::create_symlink("precious.txt", dir_ / "t.mp4");
  expect_refusal(5, "t.mp4: exists already", {clip(), "-o", dir_ / "t.mp4"});
  expect_refusal(5, "t.mp4: is a symbolic link", {clip(), "-o", dir_ / "t.mp4", "--overwrite"});
  EXPECT_EQ(read_file(dir_ / "precious.txt"), "precious");
  EXPECT_THAT(dir_.names(), ElementsAre("precious.txt", "s.mp4", "s.partial.mp4", "t.mp4"));
}

TEST_F(Outputs, TwoRunsToOneNameDoNotMeet) {
  {
    const OutputLock other(dir_ / "out.mp4");
    expect_refusal(5, "out.mp4: another run is writing it", {clip(), "-o", dir_ / "out.mp4"});
    const OutputLock latency(dir_ / "l.csv");
    expect_refusal(5, "l.csv: another run is writing it",
                   {clip(), "-o", dir_ / "b.mp4", "--latency", dir_ / "l.csv"});
  }
  EXPECT_TRUE(dir_.names().empty());
}

TEST_F(Outputs, TwoRunsAtOnceLeaveOneGoodFile) {
  std::vector<CommandResult> results(4);
  {
    std::vector<std::jthread> runs;
    for (CommandResult& result : results)
      runs.emplace_back([&] { result = run({clip(), "-o", dir_ / "out.mp4"}); });
  }
  EXPECT_EQ(std::count_if(results.begin(), results.end(),
                          [](const CommandResult& result) { return result.exit_code == 0; }),
            1);
  for (const CommandResult& result : results)
    EXPECT_THAT(result.exit_code, testing::AnyOf(0, 5)) << result.err;
  expect_played(dir_ / "out.mp4");
  EXPECT_THAT(dir_.names(), ElementsAre("out.mp4"));
}

TEST_F(Outputs, NamesThatAreAsLongAsTheyMayBe) {
  const std::string name = std::string(247, 'n') + ".mp4";
  fs::copy(clip(), dir_ / name);
  const std::string longest = std::string(251, 'o') + ".mp4";
  const CommandResult result = run(
      {dir_ / name, "-o", dir_ / longest, "--latency", dir_ / (std::string(251, 'l') + ".csv")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_played(dir_ / longest);
  EXPECT_EQ(dir_.names().size(), 3U);
}

/// Reads the FIFO until its writer closes it, and returns the bytes.
std::string read_fifo(const fs::path& fifo) { return read_file(fifo); }

TEST_F(Outputs, AFifoGetsTheVideoAndStaysAFifo) {
  for (const char* name : {"out.mkv", "out.ts"}) {
    const fs::path fifo = dir_ / name;
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    std::string got;
    {
      const std::jthread reader([&] { got = read_fifo(fifo); });
      EXPECT_EQ(run({clip(), "-o", fifo}).exit_code, 0);
    }
    expect_played(dir_.write(std::string("got.") + name, got));
    EXPECT_TRUE(fs::is_fifo(fifo));
  }
}

TEST_F(Outputs, AFifoCannotHoldWhatIsFinishedByGoingBack) {
  ASSERT_EQ(mkfifo((dir_ / "out.mp4").c_str(), 0600), 0);
  expect_refusal(5, "out.mp4: mp4 can't be written to a FIFO or device",
                 {clip(), "-o", dir_ / "out.mp4"});
  EXPECT_TRUE(fs::is_fifo(dir_ / "out.mp4"));
}

TEST_F(Outputs, ReportsGoThroughAFifoToo) {
  const fs::path fifo = dir_ / "d.jsonl";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::string got;
  {
    const std::jthread reader([&] { got = read_fifo(fifo); });
    EXPECT_EQ(run({clip(), "--no-video", "--detections", fifo}).exit_code, 0);
  }
  EXPECT_EQ(std::count(got.begin(), got.end(), '\n'), 10);
  EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST_F(Outputs, ADeviceIsWrittenToAndStaysOne) {
  fs::create_symlink("/dev/null", dir_ / "null.mkv");
  EXPECT_EQ(run({clip(), "-o", dir_ / "null.mkv"}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(dir_ / "null.mkv"));
  fs::create_symlink("/dev/full", dir_ / "full.jsonl");
  expect_refusal(5, "full.jsonl: can't be written: No space left",
                 {clip(), "-o", dir_ / "out.mp4", "--detections", dir_ / "full.jsonl"});
  expect_played(dir_ / "out.mp4");
}

/// Returns the first fields of each line (file, frame, time stamp), without the measured times.
std::string without_times(const fs::path& latencies) {
  std::istringstream lines(read_file(latencies));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    std::size_t end = 0;
    for (int field = 0; field < 3; ++field) end = line.find(',', end + 1);
    text += line.substr(0, end) + '\n';
  }
  return text;
}

TEST_F(Outputs, OfInputsAtOnceAreThoseOfOneAfterTheOther) {
  const fs::path folder = dir_ / "in";
  fs::create_directory(folder);
  for (const char* name : {"a.mp4", "b.mp4", "c.mp4"}) fs::copy(clip(), folder / name);
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x64:r=25:d=24 -c:v libx264 -preset ultrafast -x264-params "
      "keyint=50",
      folder / "long.mp4");
  dir_.write("in/none.mp4", "no video");
  const auto made = [&](const char* lanes) {
    const fs::path out = dir_ / lanes;
    const CommandResult result =
        run({folder, "-o", out.string() + "/", "--codec", "mjpeg", "--lanes", lanes, "--score",
             "0.05", "--device", "cpu", "--threads", "2", "--detections", out.string() + ".jsonl",
             "--latency", out.string() + ".csv"});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.err, HasSubstr("none.mp4"));
    std::string all = read_file(out.string() + ".jsonl") + without_times(out.string() + ".csv");
    for (const char* name : {"a", "b", "c", "long"})
      all += read_file(out / (std::string(name) + "_faces.mp4"));
    return all;
  };
  EXPECT_EQ(made("3"), made("1"));
  EXPECT_FALSE(fs::exists(dir_ / "3/none_faces.mp4"));
}

TEST_F(Outputs, FormatsOfSeveralFilesAreRefused) {
  expect_refusal(5, "hls", {clip(), "-o", dir_ / "out.m3u8"});
  EXPECT_TRUE(dir_.names().empty());
}

}  // namespace
}  // namespace facepipe::test
