// These tests run the real program: parts that are made twice at once, without working locks, on a
// full disk, or of an input that changes meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/app/parts_fixture.h"
#include "tests/app/program.h"
#include "tests/app/started.h"
#include "tests/support/clips.h"
#include "tests/support/failing_calls.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kNoSuchCall = 38;  // ENOSYS

class PartsFaults : public PartsTest {
 protected:
  static void SetUpTestSuite() {
    clips_ = new TemporaryFolder;
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x96:r=25:d=4 -c:v libx264 -preset ultrafast "
        "-x264-params keyint=25:min-keyint=25",
        clip());
    // A part of this clip takes longer than a change of the file.
    ffmpeg("-f lavfi -i testsrc2=s=160x96:r=25:d=120 -c:v libx264 -preset ultrafast", long_clip());
  }
  static void TearDownTestSuite() {
    delete clips_;
    clips_ = nullptr;
  }
  static fs::path clip() { return *clips_ / "clip.mp4"; }
  static fs::path long_clip() { return *clips_ / "long.mp4"; }

  [[nodiscard]] Arguments part_words(int number) const {
    return {"part", plan(), std::to_string(number), "--out", folder(), "-q"};
  }
  /// Starts each part twice. Expects one of these exit codes of both programs.
  void make_twice_at_once(const std::vector<std::string>& environment,
                          const testing::Matcher<int>& code) const {
    for (const int number : {1, 2}) {
      Arguments words = program(part_words(number));
      words.insert(words.begin(), environment.begin(), environment.end());
      Started first(words);
      Started second(words);
      EXPECT_THAT(first.exit_code(), code) << number;
      EXPECT_THAT(second.exit_code(), code) << number;
    }
    for (const int number : {1, 2}) EXPECT_EQ(part(number).exit_code, 0) << "a later attempt";
  }
  /// Expects that the parts make what one run makes.
  void expect_a_run_in_parts(const Arguments& options) const {
    const CommandResult whole = run_program(
        joined({"run", clip(), "-o", dir_ / "whole.mkv", "--parts", "2", "--overwrite"}, options));
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    ASSERT_EQ(join("joined.mkv").exit_code, 0);
    EXPECT_EQ(sorted_packets(dir_ / "joined.mkv"), sorted_packets(dir_ / "whole.mkv"));
  }
  /// Returns the beginning of a command whose locks don't work: flock(2) ends with this errno, or
  /// has no effect (0).
  [[nodiscard]] static Arguments with_locks(int code) {
    return {"env", std::string("LD_PRELOAD=") + FACEPIPE_FAILING_CALLS,
            "FACEPIPE_FAIL=flock own 1 " + std::to_string(code), "FACEPIPE_FAIL_ON=1"};
  }

  static inline TemporaryFolder* clips_ = nullptr;
  const Arguments options_ = joined(kQuick, {"--codec", "mjpeg", "--format", "matroska"});
};

TEST_F(PartsFaults, MadeTwiceAtOnceAreWhole) {
  split("run", clip(), 2, options_);
  // Both may find that nobody makes the part. Then the slower one is tried again.
  make_twice_at_once({}, AnyOf(0, 75));
  EXPECT_EQ(part_files().size(), 2U);
  expect_a_run_in_parts(options_);
}

TEST_F(PartsFaults, MadeTwiceWithoutLocksAreWhole) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  split("run", clip(), 2, options_);
  make_twice_at_once(with_locks(kNoSuchCall), AnyOf(0, 75));
  expect_a_run_in_parts(options_);
}

TEST_F(PartsFaults, MadeTwiceWithLocksThatNobodySeesAreWhole) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  split("run", clip(), 2, options_);
  make_twice_at_once(with_locks(0), AnyOf(0, 75));
  expect_a_run_in_parts(options_);
}

TEST_F(PartsFaults, OnAFullDiskAreTriedAgain) {
  if (!kCanFailCalls) GTEST_SKIP() << "a sanitizer has these calls";
  split("run", clip(), 2, options_);
  int full = 0;
  for (const int nth : {1, 2, 4}) {  // the record, the head, a frame
    const CommandResult result = run_failing("write own " + std::to_string(nth) + " 28",
                                             part_words(1), Failing::from_then_on);
    if (result.exit_code == 0) continue;  // it has fewer calls
    EXPECT_EQ(result.exit_code, 75) << nth << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr("No space left on device")) << nth;
    EXPECT_THAT(part_files(), testing::IsEmpty()) << nth;
    for (const std::string& name : names()) EXPECT_THAT(name, Not(HasSubstr(".tmp-"))) << nth;
    ++full;
  }
  EXPECT_GT(full, 1);
  make({1, 2});
  expect_a_run_in_parts(options_);
}

TEST_F(PartsFaults, OfAnInputThatChangesMeanwhileAreNotMade) {
  const fs::path input = dir_ / "input.mp4";
  fs::copy_file(long_clip(), input);
  split("run", input, 2, {"--detect-size", "256x160", "--device", "cpu", "-q"});
  Started run(program(part_words(2)));
  ASSERT_TRUE(comes_true([&] { return !names().empty(); }));
  {
    std::fstream file(input, std::ios::binary | std::ios::in | std::ios::out);
    const auto size = static_cast<std::streamoff>(fs::file_size(input));
    for (std::streamoff at = size / 2; at < size * 95 / 100; at += 4096) {
      file.seekp(at);
      file.put('\x55');
    }
  }
  EXPECT_EQ(run.exit_code(), 3);
  EXPECT_THAT(part_files(), testing::IsEmpty());
  EXPECT_TRUE(names().empty());
}

TEST_F(PartsFaults, MakeTheirFolder) {
  split("run", clip(), 2, options_);
  fs::remove(folder());
  const fs::path deep = folder() / "of" / "parts";
  const auto part_in = [&](const fs::path& there, const char* sandbox) {
    return run_program({"part", plan(), "1", "--out", there, "-q", "--sandbox", sandbox});
  };
  for (const char* const sandbox : {"auto", "off"}) {
    const CommandResult made = part_in(deep, sandbox);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_FALSE(fs::is_empty(deep)) << sandbox;
    fs::remove_all(folder());
  }
  std::ofstream(folder()) << "a file";
  const CommandResult none = part_in(deep, "off");
  EXPECT_EQ(none.exit_code, 5) << none.err;
  EXPECT_THAT(none.err, HasSubstr("can't be made"));
}

TEST_F(PartsFaults, OfADamagedInputCanBeTolerated) {
  const fs::path input = dir_ / "cut_off.mkv";
  ffmpeg("-i " + clip().string() + " -c copy", input);
  fs::resize_file(input, fs::file_size(input) * 8 / 10);
  split("run", input, 2, options_);
  const int last = static_cast<int>(nlohmann::json::parse(read_file(plan()))["parts"].size());
  const auto tolerant = [&] {
    return run_program(joined(part_words(last), {"--tolerate-damage"})).exit_code;
  };
  EXPECT_EQ(part(last).exit_code, 6);
  EXPECT_EQ(tolerant(), 0) << "the part exists already";
  EXPECT_EQ(part(last).exit_code, 6);
  fs::remove(part_files().front());
  EXPECT_EQ(tolerant(), 0);
  EXPECT_EQ(part(last).exit_code, 6) << "its record tells the damage";
}

}  // namespace
}  // namespace facepipe::test
