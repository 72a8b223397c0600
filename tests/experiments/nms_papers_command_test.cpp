// These tests check the command lines of bench_nms_papers and bench_nms_papers_cpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <vector>

#include "experiments/programs/nms_papers/verbs.h"

namespace facepipe::nms_papers {
namespace {

using testing::ElementsAre;

bench::Command parsed(const std::vector<std::string>& words) {
  return bench::parse_command(papers_verbs(), words);
}

TEST(NmsPapersCommand, HasDefaults) {
  EXPECT_THAT(parsed({"matrix", "list"}).ks, ElementsAre(1, 2, 4, 8, 16, 32, 64, 128));
  EXPECT_THAT(parsed({"printed", "list"}).ks, ElementsAre(4, 8, 16, 32, 64));
  for (const char* const verb : {"cores", "grid", "energy"})
    EXPECT_THAT(parsed({verb, "list"}).ks, ElementsAre(32)) << verb;
  EXPECT_EQ(parsed({"bitmask", "list", "--replays", "1"}).replays, 1);
  const bench::Command energy = parsed({"energy", "list"});
  EXPECT_EQ(energy.seconds, 2);
  const bench::Command matrix = parsed({"matrix", "list"});
  EXPECT_TRUE(matrix.parts.empty());
  EXPECT_FALSE(matrix.as_published);
}

TEST(NmsPapersCommand, TakesPartsPredicateAndSeconds) {
  const bench::Command matrix =
      parsed({"matrix", "list", "--multiprocessors", "8,40", "--published", "--k", "4"});
  EXPECT_THAT(matrix.parts, ElementsAre(8, 40));
  EXPECT_TRUE(matrix.as_published);
  EXPECT_THAT(matrix.ks, ElementsAre(4));
  EXPECT_EQ(parsed({"energy", "list", "--seconds", "0.5"}).seconds, 0.5);
}

TEST(NmsPapersCommand, RefusesWhatAVerbDoesNotHave) {
  const std::vector<std::vector<std::string>> refused{
      {"bitmask", "list", "--k", "4"},      {"bitmask", "list", "--multiprocessors", "8"},
      {"printed", "list", "--published"},   {"matrix", "list", "--multiprocessors", "0"},
      {"matrix", "list", "--seconds", "2"}, {"energy", "list", "--replays", "2"},
      {"energy", "list", "--seconds", "0"}, {"rcnn", "list"}};
  for (const std::vector<std::string>& words : refused)
    EXPECT_THROW(static_cast<void>(parsed(words)), std::exception) << words[0] << ' ' << words[2];
}

TEST(NmsPapersCommand, OfTheCpuHasItsOwnVerbs) {
  for (const char* const verb : {"rcnn", "variations", "energy"})
    EXPECT_EQ(bench::parse_command(papers_cpu_verbs(), {verb, "list"}).verb, verb);
  EXPECT_THROW(static_cast<void>(bench::parse_command(papers_cpu_verbs(), {"matrix", "list"})),
               std::exception);
}

}  // namespace
}  // namespace facepipe::nms_papers
