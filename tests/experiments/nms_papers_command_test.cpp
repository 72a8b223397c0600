// These tests check the command line of bench_nms_papers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/programs/nms_papers/verbs.h"

namespace facepipe::nms_papers {
namespace {

using testing::ElementsAre;

TEST(NmsPapersCommand, HasDefaults) {
  const auto parsed = [](const char* verb) {
    return bench::parse_command(papers_verbs(), {verb, "list", "--replays", "1"});
  };
  EXPECT_THAT(parsed("matrix").ks, ElementsAre(1, 2, 4, 8, 16, 32, 64, 128));
  EXPECT_THAT(parsed("cores").ks, ElementsAre(32));
  EXPECT_EQ(parsed("bitmask").replays, 1);
}

}  // namespace
}  // namespace facepipe::nms_papers
