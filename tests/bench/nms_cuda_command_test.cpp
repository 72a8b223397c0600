// The command line of bench_nms_cuda: what it reads, and what it refuses in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/nms_cuda/command.h"

namespace facepipe::nms_bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(NmsCudaCommand, HasDefaults) {
  const Command run = parse_command({"run", "list"});
  EXPECT_EQ(run.verb, "run");
  EXPECT_EQ(run.path, "list");
  EXPECT_EQ(run.replays, 200);
  EXPECT_THAT(run.ks, IsEmpty());
  EXPECT_THAT(parse_command({"matrix", "list"}).ks, ElementsAre(1, 2, 4, 8, 16, 32, 64, 128));
  EXPECT_THAT(parse_command({"cores", "list"}).ks, ElementsAre(32));
  EXPECT_EQ(parse_command({"once", "list", "soft linear"}).rule, "soft linear");
}

TEST(NmsCudaCommand, TakesOptionsAnywhere) {
  const Command matrix = parse_command({"matrix", "--k", "4,32,1", "list", "--replays", "100000"});
  EXPECT_EQ(matrix.path, "list");
  EXPECT_EQ(matrix.replays, 100000);
  EXPECT_THAT(matrix.ks, ElementsAre(4, 32, 1));
  EXPECT_EQ(parse_command({"bitmask", "list", "--replays", "1"}).replays, 1);
}

struct Refused {
  std::vector<std::string> words;
  const char* says;
};

TEST(NmsCudaCommand, RefusesInOneLine) {
  const Refused all[] = {
      {{}, "verb is missing"},
      {{"walk", "list"}, "no verb 'walk'"},
      {{"run"}, "takes 1 words, not 0"},
      {{"run", "list", "other"}, "takes 1 words, not 2"},
      {{"once", "list"}, "takes 2 words, not 1"},
      {{"run", "list", "--replays"}, "value is missing"},
      {{"run", "list", "--replays", "0"}, "'0' is not in 1..100000"},
      {{"run", "list", "--replays", "100001"}, "'100001' is not"},
      {{"run", "list", "--replays", "-3"}, "'-3' is not"},
      {{"run", "list", "--replays", "20x"}, "'20x' is not"},
      {{"run", "list", "--replays", ""}, "'' is not"},
      {{"run", "list", "--replays", "99999999999"}, "is not in"},
      {{"matrix", "list", "--k", "4,,8"}, "'' is not in 1..4096"},
      {{"matrix", "list", "--k", "4,"}, "'' is not"},
      {{"matrix", "list", "--k", "0"}, "'0' is not"},
      {{"matrix", "list", "--k", "4097"}, "'4097' is not"},
      {{"run", "list", "--k", "4"}, "run has no option --k"},
      {{"write", "folder", "--replays", "4"}, "write has no option --replays"},
      {{"once", "list", "fast", "--replays", "4"}, "once has no option --replays"},
      {{"run", "list", "--fast", "1"}, "run has no option --fast"},
  };
  for (const Refused& refused : all) {
    try {
      (void)parse_command(refused.words);
      ADD_FAILURE() << "not refused: " << refused.says;
    } catch (const std::invalid_argument& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr(refused.says));
      EXPECT_THAT(refusal.what(), Not(HasSubstr("\n")));
    }
  }
}

}  // namespace
}  // namespace facepipe::nms_bench
