// These tests give the program too few threads or too little memory. The program must end with an
// exit code and one line, not by a signal. It must not wait for ever, and must not leave an
// unfinished file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/app/program.h"
#include "tests/support/clips.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::joined;

/// This user has no other processes, so the limit counts only the program's threads.
constexpr const char* kUser = "--reuid=64123";
constexpr const char* kGroup = "--regid=64123";

/// Returns the number of facepipe's lines that report an error.
long error_lines(const std::string& text) {
  long lines = 0;
  for (std::size_t at = 0; (at = text.find("facepipe: error: ", at)) != std::string::npos; ++at)
    ++lines;
  return lines;
}

class Limits : public testing::Test {
 protected:
  void SetUp() override {
    if (test::kSanitized) GTEST_SKIP() << "sanitizers take memory and threads of their own";
  }

  Limits() {
    test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p", clip_);
    fs::permissions(folder_.path(), fs::perms::all);
  }

  /// Runs the program with limits. After a minute, which is enough even on a busy machine, the
  /// program is stopped.
  test::CommandResult run(const Arguments& limits) {
    fs::remove_all(out_);
    fs::create_directory(out_);
    fs::permissions(out_, fs::perms::all);
    const Arguments limited = joined({"timeout", "--kill-after=5", "60"}, limits);
    return test::run_command(joined(
        limited,
        test::program({"run", clip_, "-o", out_ + "/o.mkv", "--device", "cpu", "--detections",
                       out_ + "/d.jsonl", "--report", out_ + "/r.json", "--quiet"})));
  }

  void expect_honest_end(const test::CommandResult& result) {
    // timeout and signals use the codes from 124 on.
    EXPECT_LT(result.exit_code, 124) << result.err;
    EXPECT_GE(result.exit_code, 0) << result.err;
    EXPECT_EQ(error_lines(result.err), result.exit_code == 0 ? 0 : 1) << result.err;
  }

  /// Expects only complete files if the run succeeded, and otherwise no file but the report.
  void expect_nothing_unfinished(const test::CommandResult& result) {
    for (const auto& entry : fs::directory_iterator(out_)) {
      const std::string name = entry.path().filename();
      const bool whole = name == "o.mkv" || name == "d.jsonl";
      EXPECT_TRUE(name == "r.json" || (result.exit_code == 0 && whole)) << name;
    }
  }

  test::TemporaryFolder folder_;
  const std::string clip_ = folder_ / "clip.mp4";
  const std::string out_ = folder_ / "out";
};

TEST_F(Limits, TooFewThreads) {
  const Arguments as_nobody{"setpriv", kUser, kGroup, "--clear-groups"};
  const Arguments can_run = joined(as_nobody, test::program({"--version"}));
  if (geteuid() != 0 || test::run_command(can_run).exit_code != 0)
    GTEST_SKIP() << "needs root, and a program that another user may run";
  bool refused = false;
  for (const int threads : {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 20, 32}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    Arguments limits = as_nobody;
    limits.insert(limits.end(),
                  {"prlimit", "--core=0", "--nproc=" + std::to_string(threads), "--"});
    const test::CommandResult result = run(limits);
    expect_honest_end(result);
    expect_nothing_unfinished(result);
    refused = refused || result.exit_code != 0;
  }
  EXPECT_TRUE(refused);
}

TEST_F(Limits, TooLittleMemory) {
  bool refused = false;
  for (const std::int64_t mib : {400, 500, 600, 700, 800, 900, 1200, 2000}) {
    SCOPED_TRACE(std::to_string(mib) + " MiB");
    const test::CommandResult result =
        run({"prlimit", "--core=0", "--as=" + std::to_string(mib << 20), "--"});
    if (result.err.find("loading shared libraries") != std::string::npos)
      continue;  // the program failed before main()
    expect_honest_end(result);
    expect_nothing_unfinished(result);
    refused = refused || result.exit_code != 0;
  }
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace facepipe::app
