// These tests run the real program with "-" as input and output, in pipes and with files to which
// the shell redirects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class StandardStreams : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    ffmpeg(
        "-f lavfi -i testsrc2=s=128x96:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 "
        "-preset ultrafast -c:a aac",
        *folder_ / "clip.mp4");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  /// Runs a line of bash in an empty folder. "$0" is the program, and "$1" is a clip of ten
  /// pictures with sound. If a command of a pipe fails, returns the exit code of the last one that
  /// fails.
  CommandResult in_shell(const std::string& line) const {
    return run_command({"bash", "-c", "set -o pipefail; cd \"$2\"; " + line, FACEPIPE_PROGRAM,
                        *folder_ / "clip.mp4", dir_.path().string()});
  }
  [[nodiscard]] std::string format_of(const std::string& name) const {
    return probe(dir_ / name)["format"]["format_name"].get<std::string>();
  }

  static inline std::optional<TemporaryFolder> folder_;
  const TemporaryFolder dir_;
};

constexpr const char* kSay =
    " | ffprobe -v error -i - -count_packets -show_entries "
    "format=format_name:stream=codec_name,nb_read_packets -of csv=p=0";

TEST_F(StandardStreams, StandBetweenTwoOthersInAPipe) {
  const CommandResult result = in_shell(
      std::string("ffmpeg -v error -i \"$1\" -c copy -f matroska - | \"$0\" run -q - -o -") + kSay);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("h264,10\naac,"));
  EXPECT_THAT(result.out, HasSubstr("matroska,webm"));
  EXPECT_THAT(dir_.names(), ElementsAre());
}

TEST_F(StandardStreams, GetNothingButTheVideo) {
  const CommandResult result = in_shell("\"$0\" run --log-level debug \"$1\" -o - > got.mkv");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("/dev/stdout"));
  EXPECT_THAT(read_file(dir_ / "got.mkv"), StartsWith("\x1A\x45\xDF\xA3"));
  EXPECT_EQ(video_stamps(dir_ / "got.mkv").size(), 10U);
}

TEST_F(StandardStreams, MayBeFilesThatTheShellHasOpened) {
  const CommandResult result =
      in_shell("{ printf before; \"$0\" run -q - -o - < \"$1\"; printf after; } > got");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string got = read_file(dir_ / "got");
  EXPECT_THAT(got, StartsWith("before\x1A\x45\xDF\xA3"));
  EXPECT_THAT(got, testing::EndsWith("after"));
}

TEST_F(StandardStreams, TakeTheFormatThatIsNamed) {
  const CommandResult result =
      in_shell(std::string("\"$0\" run -q \"$1\" -o - --format mpegts") + kSay);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\nmpegts"));
}

TEST_F(StandardStreams, CannotHoldWhatIsFinishedByGoingBack) {
  const CommandResult result = in_shell("\"$0\" run -q \"$1\" -o - --format mp4 | cat");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("/dev/stdout: mp4 can't be written to a FIFO or device"));
  EXPECT_EQ(result.out, "");
}

TEST_F(StandardStreams, GetDetectionsAsLinesOfJson) {
  const CommandResult piped = in_shell("\"$0\" run -q \"$1\" --no-video --detections - | cat");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  std::istringstream lines(piped.out);
  int frames = 0;
  for (std::string line; std::getline(lines, line); ++frames)
    EXPECT_EQ(nlohmann::json::parse(line)["frame"], frames);
  EXPECT_EQ(frames, 10);
  const CommandResult redirected = in_shell(
      "{ echo before; \"$0\" run -q \"$1\" -o out.mkv --detections -; echo after; } > got");
  EXPECT_EQ(redirected.exit_code, 0) << redirected.err;
  EXPECT_EQ(read_file(dir_ / "got"), "before\n" + piped.out + "after\n");
  EXPECT_THAT(dir_.names(), testing::UnorderedElementsAre("got", "out.mkv"));
}

// The clip comes through a pipe that stays open. So the first lines come while the run still waits.
TEST_F(StandardStreams, GetDetectionsAsTheFramesAreFinished) {
  const CommandResult result = in_shell(
      "ffmpeg -v error -f lavfi -i testsrc2=s=128x96:r=25:d=4 -c:v mjpeg whole.mkv; "
      "mkfifo in out; \"$0\" run -q in --no-video --detections - > out & "
      "exec 4< out 3> in; cat whole.mkv >&3; read -t 60 -u 4 first; echo \"$first\"; exec 3>&-; "
      "cat <&4; wait $!");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("{\"file\":\"in\",\"frame\":0,"));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 100);
}

TEST_F(StandardStreams, WithoutAReaderAreAnOutputError) {
  const CommandResult result =
      in_shell("mkfifo f; exec 3<>f 4>f 3<&-; exec \"$0\" run -q \"$1\" -o - >&4");
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("/dev/stdout: Broken pipe\n"));
}

TEST_F(StandardStreams, C3WhoeverNeedsOneThatIsClosedIsToldSo) {
  for (const char* to : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    const CommandResult result =
        in_shell(std::string("\"$0\" run -q \"$1\" --format matroska -o ") + to + " >&-");
    EXPECT_EQ(result.exit_code, 5) << to << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr(to[0] == '-' ? "/dev/stdout" : to));
  }
  EXPECT_EQ(in_shell("\"$0\" --version >&-").exit_code, 5);
  EXPECT_EQ(in_shell("\"$0\" run -q \"$1\" --no-video --progress json >&-").exit_code, 5);
  EXPECT_EQ(in_shell("\"$0\" run -q - --no-video <&-").exit_code, 3);
  EXPECT_THAT(dir_.names(), ElementsAre());
}

TEST_F(StandardStreams, C3NoFileIsOpenedInTheirPlace) {
  EXPECT_EQ(in_shell("\"$0\" run \"$1\" -o a.mkv --report r.json <&- >&- 2>&-").exit_code, 0);
  EXPECT_THAT(read_file(dir_ / "a.mkv"), StartsWith("\x1A\x45\xDF\xA3"));
  EXPECT_EQ(video_stamps(dir_ / "a.mkv").size(), 10U);
  EXPECT_THAT(read_file(dir_ / "r.json"), StartsWith("["));
}

TEST_F(StandardStreams, AnInputWithoutANameGivesAnOutputInTheCurrentFolder) {
  EXPECT_EQ(in_shell("cat \"$1\" | \"$0\" run -q -").exit_code, 0);
  EXPECT_EQ(in_shell("\"$0\" run -q - < \"$1\"").exit_code, 0);
  EXPECT_THAT(dir_.names(), ElementsAre("stdin_faces.mkv", "stdin_faces.mov"))
      << "a pipe can't be looked into";
}

TEST_F(StandardStreams, AFormatBeatsTheExtension) {
  EXPECT_EQ(in_shell("\"$0\" run -q \"$1\" -o a.mp4 --format matroska").exit_code, 0);
  EXPECT_EQ(in_shell("\"$0\" run -q \"$1\" -o noextension --format mp4").exit_code, 0);
  EXPECT_EQ(in_shell("\"$0\" run -q \"$1\" -o ./ --format mpegts").exit_code, 0);
  EXPECT_THAT(dir_.names(), ElementsAre("a.mp4", "clip_faces.ts", "noextension"));
  EXPECT_EQ(format_of("a.mp4"), "matroska,webm");
  EXPECT_EQ(format_of("noextension"), "mov,mp4,m4a,3gp,3g2,mj2");
  EXPECT_EQ(format_of("clip_faces.ts"), "mpegts");
}

TEST_F(StandardStreams, AFormatThatFfmpegDoesNotWriteIsAUsageError) {
  for (const char* output : {"-", "a.mkv", "./"}) {
    const CommandResult result =
        in_shell(std::string("\"$0\" run -q \"$1\" --format matrosca -o ") + output);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("--format matrosca: FFmpeg writes no such container"));
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace facepipe::test
