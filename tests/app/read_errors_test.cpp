// These tests run the real program on an input that can't be read to its end; a later run can
// succeed. If the part that was read is damaged, each run that keeps the output must report the
// damage again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/failing_calls.h"
#include "tests/support/loopback_server.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Returns an answer that announces the length of the whole file, and sends only its first half.
LoopbackServer::Answer first_half_of(const fs::path& file) {
  return [bytes = read_file(file)](const std::string&) {
    return http_answer(bytes, bytes.size() / 2);
  };
}

class ReadErrors : public testing::Test {
 protected:
  static constexpr std::size_t kFrames = 50;

  static void SetUpTestSuite() {
    clips_.emplace();
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25:d=2 -c:v mjpeg -q:v 2", clip());
  }
  static void TearDownTestSuite() { clips_.reset(); }
  static fs::path clip() { return *clips_ / "clip.mkv"; }

  [[nodiscard]] Arguments run_words(const std::string& input, const Arguments& more = {}) const {
    return joined({"run", input, "-o", dir_ / "out.mkv", "-q", "--detect-size", "64x64"}, more);
  }
  /// Makes a clip, and truncates it to the first half of its bytes.
  static void make_cut_clip(const fs::path& file) {
    ffmpeg("-f lavfi -i testsrc2=s=128x96:r=25:d=4 -c:v mjpeg -q:v 2", file);
    fs::resize_file(file, fs::file_size(file) / 2);
  }
  /// Expects that the output holds the first half of the clip, and that its name says that it is
  /// partial.
  void expect_part(const CommandResult& result, const std::string& reason) {
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_THAT(result.err, HasSubstr("can't be read any further: " + reason));
    EXPECT_THAT(result.err, HasSubstr("the output so far is kept as "));
    EXPECT_THAT(dir_.names(), ElementsAre(".out.mkv.facepipe", "out.partial.mkv"));
    const std::size_t frames = video_stamps(dir_ / "out.partial.mkv").size();
    EXPECT_GT(frames, 5U);
    EXPECT_LT(frames, kFrames);
  }

  static inline std::optional<TemporaryFolder> clips_;
  const TemporaryFolder dir_;
};

TEST_F(ReadErrors, C1AServerThatCutsGivesAPartAndThree) {
  const LoopbackServer server(first_half_of(clip()));
  expect_part(run_program(run_words(server.url("clip.mkv"))), "Input/output error");
  const CommandResult again = run_program(run_words(server.url("clip.mkv"), {"--skip-existing"}));
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_THAT(dir_.names(), Not(testing::Contains("out.mkv")));
  EXPECT_EQ(run_program(run_words(clip(), {"--skip-existing"})).exit_code, 0);
  EXPECT_THAT(dir_.names(), ElementsAre("out.mkv"));
}

TEST_F(ReadErrors, C1ADiskThatFailsGivesAPartAndThree) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  // FFmpeg reads about 32 KiB at a time, and the first reads serve to probe the file.
  const long reads = static_cast<long>(fs::file_size(clip()) >> 15U);
  ASSERT_GT(reads, 6);
  const std::string fault = "read libavformat " + std::to_string(reads / 2) + " 5";
  expect_part(run_failing(fault, run_words(clip()), Failing::from_then_on), "Input/output error");
}

TEST_F(ReadErrors, C1WithoutAVideoNothingIsSaidToBeKept) {
  const LoopbackServer server(first_half_of(clip()));
  const CommandResult result =
      run_program({"run", server.url("clip.mkv"), "--no-video", "--detections", dir_ / "d.jsonl",
                   "-q", "--detect-size", "64x64", "--report", dir_ / "r.json"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("kept as")));
  EXPECT_THAT(dir_.names(), testing::Contains("d.partial.jsonl"));
  EXPECT_THAT(dir_.names(), Not(testing::Contains("d.jsonl")));
  const json report = json::parse(read_file(dir_ / "r.json"));
  EXPECT_EQ(report[0]["status"], "partial");
  EXPECT_EQ(report[0]["exit_code"], 3);
}

TEST_F(ReadErrors, C1VerifyDoesNotPassWhatItCouldNotRead) {
  const LoopbackServer server(first_half_of(clip()));
  const CommandResult result = run_program(
      {"verify", clip(), server.url("clip.mkv"), "-q", "--quick", "--detect-size", "64x64"});
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.err, HasSubstr("can't be read any further"));
}

TEST_F(ReadErrors, C1AFileThatWasCutOffIsDamagedAsBefore) {
  make_cut_clip(dir_ / "cut.mkv");
  EXPECT_EQ(run_program(run_words(dir_ / "cut.mkv")).exit_code, 6);
  EXPECT_THAT(dir_.names(), testing::Contains("out.mkv"));
}

TEST_F(ReadErrors, C9DamageIsToldAgainByARunThatSkips) {
  const TemporaryFolder in;
  make_cut_clip(in / "cut.mkv");
  EXPECT_EQ(run_program(run_words(in / "cut.mkv")).exit_code, 6);
  const CommandResult skips = run_program(run_words(in / "cut.mkv", {"--skip-existing"}));
  EXPECT_EQ(skips.exit_code, 6) << skips.err;
  EXPECT_EQ(
      run_program(run_words(in / "cut.mkv", {"--skip-existing", "--tolerate-damage"})).exit_code,
      0);
  const CommandResult tells = run_program(
      {"run", in / "cut.mkv", "-o", dir_ / "out.mkv", "--skip-existing", "--detect-size", "64x64"});
  EXPECT_THAT(tells.err, HasSubstr("skipped; an earlier run found damage in it: 0 frames lost"));
  EXPECT_THAT(tells.err, HasSubstr("the file ends early"));
  EXPECT_EQ(run_program(run_words(clip(), {"--overwrite"})).exit_code, 0);
  EXPECT_EQ(run_program(run_words(clip(), {"--skip-existing"})).exit_code, 0);
  EXPECT_THAT(dir_.names(), ElementsAre("out.mkv")) << "nothing is left of it";
}

}  // namespace
}  // namespace facepipe::test
