// These tests check which command lines bench_nms_cuda accepts, and which it refuses with a message
// of one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <vector>

#include "bench/nms_cuda/command.h"

namespace facepipe::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Parses a command line. The verbs are those of bench_nms_cuda, and "matrix", which accepts --k
/// like verbs of bench_nms_papers.
Command parsed(const std::vector<std::string>& words) {
  std::vector<Verb> verbs = suppression_verbs();
  verbs.push_back({.name = "matrix", .usual_ks = {1, 2, 32}});
  return parse_command(verbs, words);
}

TEST(NmsCudaCommand, HasDefaults) {
  const Command run = parsed({"run", "list"});
  EXPECT_EQ(run.verb, "run");
  EXPECT_EQ(run.path, "list");
  EXPECT_EQ(run.replays, 200);
  EXPECT_THAT(run.ks, IsEmpty());
  EXPECT_THAT(parsed({"matrix", "list"}).ks, ElementsAre(1, 2, 32));
  EXPECT_EQ(parsed({"once", "list", "soft linear"}).rule, "soft linear");
}

TEST(NmsCudaCommand, TakesOptionsAnywhere) {
  const Command matrix = parsed({"matrix", "--k", "4,32,1", "list", "--replays", "100000"});
  EXPECT_EQ(matrix.path, "list");
  EXPECT_EQ(matrix.replays, 100000);
  EXPECT_THAT(matrix.ks, ElementsAre(4, 32, 1));
  EXPECT_EQ(parsed({"rules", "list", "--replays", "1"}).replays, 1);
}

struct Refused {
  std::vector<std::string> words;
  const char* says;
};

TEST(NmsCudaCommand, RefusesInOneLine) {
  const Refused all[] = {
      {{}, "subcommand is required"},
      {{"walk", "list"}, "subcommand is required"},
      {{"run"}, "PATH is required"},
      {{"run", "list", "other"}, "not expected: other"},
      {{"once", "list"}, "RULE is required"},
      {{"run", "list", "--replays"}, "--replays"},
      {{"run", "list", "--replays", "0"}, "0 not in range 1 to 100000"},
      {{"run", "list", "--replays", "100001"}, "100001 not in range"},
      {{"run", "list", "--replays", "-3"}, "--replays"},
      {{"run", "list", "--replays", "20x"}, "20x not in range"},
      {{"run", "list", "--replays", ""}, "--replays"},
      {{"run", "list", "--replays", "99999999999"}, "not in range"},
      {{"matrix", "list", "--k", "4,x"}, "x not in range"},
      {{"matrix", "list", "--k", "0"}, "0 not in range 1 to 4096"},
      {{"matrix", "list", "--k", "4097"}, "4097 not in range"},
      {{"run", "list", "--k", "4"}, "--k"},
      {{"write", "folder", "--replays", "4"}, "--replays"},
      {{"once", "list", "fast", "--replays", "4"}, "--replays"},
      {{"run", "list", "--fast", "1"}, "--fast"},
      {{"run", "list", "--help"}, "not expected: --help"},
  };
  for (const Refused& refused : all) {
    try {
      (void)parsed(refused.words);
      ADD_FAILURE() << "not refused: " << refused.says;
    } catch (const std::exception& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr(refused.says));
      EXPECT_THAT(refusal.what(), Not(HasSubstr("\n")));
    }
  }
}

}  // namespace
}  // namespace facepipe::bench
