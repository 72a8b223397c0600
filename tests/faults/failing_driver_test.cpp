// Tests the library that makes a GPU's driver fail, with a driver that has no GPU.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

/// Returns what the calls of fake_gpu/caller.cpp return, with these variables.
std::string returned(std::vector<std::string> variables) {
  std::vector<std::string> words{"env", "LD_PRELOAD=" FACEPIPE_FAILING_DRIVER};
  words.insert(words.end(), variables.begin(), variables.end());
  words.insert(words.end(), {FACEPIPE_FAKE_CALLER, FACEPIPE_FAKE_LIBRARY});
  const CommandResult result = run_command(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(FailingDriver, AllCallsDoTheirWorkWithoutAFault) { EXPECT_EQ(returned({}), "0 0 0 0 0\n"); }

TEST(FailingDriver, OneCallFails) {
  EXPECT_EQ(returned({"FACEPIPE_FAIL=cuTakesNine gpu 2 999"}), "0 999 0 0 0\n");
  EXPECT_EQ(returned({"FACEPIPE_FAIL=cuTakesNine gpu 4 2"}), "0 0 0 2 0\n")
      << "cuGetProcAddress() gives the same function";
  EXPECT_EQ(returned({"FACEPIPE_FAIL=cuOther gpu 1 2"}), "0 0 0 0 0\n");
}

TEST(FailingDriver, AllLaterCallsFail) {
  EXPECT_EQ(returned({"FACEPIPE_FAIL=any gpu 2 999", "FACEPIPE_FAIL_ON=1"}), "0 999 999 999 0\n");
}

TEST(FailingDriver, TellsWhichCallsThereAre) {
  const TemporaryFolder folder;
  const std::string sites = folder / "sites";
  returned({"FACEPIPE_FAIL_SITES=" + sites});
  EXPECT_EQ(read_file(sites), "cuTakesNine gpu 4\nany gpu 4\n");
  const std::string log = folder / "log";
  returned({"FACEPIPE_FAIL=cuTakesNine gpu 2 999", "FACEPIPE_FAIL_LOG=" + log});
  EXPECT_EQ(read_file(log), "cuTakesNine gpu 2\n");
}

}  // namespace
}  // namespace facepipe::test
