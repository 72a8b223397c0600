// These tests check that all rules give the same bits with all instruction sets, and that these
// bits equal those of predicate.h applied to one pair at a time. They also check relations between
// the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/nms/on_cpu.h"
#include "tests/support/instruction_sets.h"

namespace facepipe::test {
namespace {

std::vector<nms::NmsOptions> settings() {
  std::vector<nms::NmsOptions> out;
  for (const float threshold : {0.0F, 0.1F, 0.3F, 0.5F, 1.0F}) {
    for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast})
      for (const nms::NmsOverlap overlap :
           {nms::NmsOverlap::iou, nms::NmsOverlap::diou, nms::NmsOverlap::winner_area,
            nms::NmsOverlap::smaller_area}) {
        nms::NmsOptions options = by_rule(rule, threshold);
        options.overlap = overlap;
        out.push_back(options);
        options.voting = true;
        options.matrix.squares = options.matrix.plus_one = rule == nms::NmsRule::matrix;
        out.push_back(options);
      }
    out.push_back(by_rule(nms::NmsRule::soft, threshold));
    out.push_back(by_rule(nms::NmsRule::soft, threshold));
    out.back().soft.decay = nms::SoftDecay::linear;
  }
  return out;
}

std::vector<NmsCase> cases(std::size_t count) {
  std::vector<NmsCase> out = exact_cases(count, 20);
  for (TimedCase& timed : timed_cases(count)) out.push_back(std::move(timed.candidates));
  out.push_back(degenerate(count));
  out.push_back(in_raster_order(wide_faces(count)));
  return out;
}

class NmsOnEachInstructionSet : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override { test::force_instruction_set(GetParam()); }
  void TearDown() override { test::use_best_instruction_set(); }
};

TEST_P(NmsOnEachInstructionSet, IsTheOneInUse) { EXPECT_EQ(test::instruction_set(), GetParam()); }

TEST_P(NmsOnEachInstructionSet, GivesTheBitsOfTheScalarDefinition) {
  for (const std::size_t count : {1U, 15U, 16U, 17U, 33U, 129U, 300U})
    for (const NmsCase& all : cases(count))
      for (const nms::NmsOptions& options : settings()) {
        const nms::NmsCandidates candidates = candidates_of(all);
        ASSERT_EQ(on_cpu(options, candidates), NmsScalar(options, candidates).answer())
            << all.name << ' ' << count << ' ' << nms::name_of(options.rule) << ' '
            << nms::name_of(options.overlap) << ' ' << options.threshold;
      }
}

INSTANTIATE_TEST_SUITE_P(Names, NmsOnEachInstructionSet,
                         testing::ValuesIn(test::instruction_sets()),
                         [](const auto& set) { return std::string(set.param); });

TEST(InstructionSets, RefusesOneThatIsNotThere) {
  EXPECT_THROW(test::force_instruction_set("abacus"), std::invalid_argument);
}

TEST(NmsRules, MatrixKeepsASubsetOfGreedyAndEqualsFast) {
  for (const float threshold : {0.0F, 0.3F, 0.5F, 0.8F})
    for (const NmsCase& all : cases(300)) {
      const auto greedy = greedy_on_cpu(all, threshold);
      const auto matrix = kept_on_cpu(by_rule(nms::NmsRule::matrix, threshold), all);
      EXPECT_EQ(matrix, kept_on_cpu(by_rule(nms::NmsRule::fast, threshold), all)) << all.name;
      for (const auto i : matrix)
        EXPECT_NE(std::find(greedy.begin(), greedy.end(), i), greedy.end()) << all.name;
    }
}

}  // namespace
}  // namespace facepipe::test
