// These tests check capacity and memory: candidates beyond the capacity are counted, and a call
// allocates no memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/nms/allocations.h"
#include "tests/nms/on_cpu.h"
#include "tests/support/expect_error.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;

NmsCase first(const NmsCase& all, std::size_t count) {
  NmsCase out;
  for (std::size_t i = 0; i < count; ++i) out.add(all.boxes[i], all.scores[i]);
  return out;
}

TEST(NmsCapacity, IsFilledExactly) {
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast,
                                  nms::NmsRule::soft, nms::NmsRule::groups})
    for (const std::uint32_t capacity : {1U, 63U, 64U, 1000U}) {
      const NmsCase all = wide_faces(capacity);
      nms::CpuSuppressor suppressor(by_rule(rule), capacity);
      const nms::NmsKept kept = suppressor.run(candidates_of(all));
      EXPECT_EQ(kept.beyond_capacity, 0U);
      EXPECT_EQ(answer_of(kept), on_cpu(by_rule(rule), all));
    }
}

TEST(NmsCapacity, WhatIsBeyondIsCountedAndNotLookedAt) {
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast,
                                  nms::NmsRule::soft, nms::NmsRule::groups})
    for (const std::uint32_t more : {1U, 200U}) {
      const NmsCase all = wide_faces(1000 + more);
      nms::CpuSuppressor suppressor(by_rule(rule), 1000);
      const nms::NmsKept kept = suppressor.run(candidates_of(all));
      EXPECT_EQ(kept.beyond_capacity, more);
      EXPECT_EQ(answer_of(kept), on_cpu(by_rule(rule), first(all, 1000)));
    }
}

TEST(NmsCapacity, CanBeTheLargest) {
  nms::CpuSuppressor suppressor({}, nms::kMaxNmsCapacity);
  EXPECT_EQ(suppressor.run(candidates_of(disjoint(nms::kMaxNmsCapacity))).indices.size(),
            nms::kMaxNmsCapacity);
  const nms::NmsKept one = suppressor.run(candidates_of(identical(nms::kMaxNmsCapacity + 1)));
  EXPECT_THAT(one.indices, ElementsAre(0));
  EXPECT_EQ(one.beyond_capacity, 1U);
}

TEST(NmsMemory, IsBoundedByTheCapacity) {
  nms::NmsOptions everything = by_rule(nms::NmsRule::matrix);
  everything.voting = everything.matrix.squares = true;
  for (const nms::NmsOptions& options : {by_rule(nms::NmsRule::greedy), by_rule(nms::NmsRule::soft),
                                         by_rule(nms::NmsRule::groups), everything})
    for (const std::uint32_t capacity : {1U, 100U, 4096U}) {
      const std::size_t bytes = nms::CpuSuppressor::scratch_bytes(options, capacity);
      EXPECT_LE(bytes, 400U * capacity + (2U << 20));
    }
  EXPECT_LE(nms::CpuSuppressor::scratch_bytes({}, nms::kMaxNmsCapacity), 32U << 20);
}

TEST(NmsMemory, ACallAllocatesNothing) {
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast,
                                  nms::NmsRule::soft, nms::NmsRule::groups}) {
    nms::NmsOptions options = by_rule(rule);
    options.voting = rule != nms::NmsRule::soft && rule != nms::NmsRule::groups;
    nms::CpuSuppressor suppressor(options, 4096);
    const NmsCase all = wide_faces(4096);
    const int before = allocations_so_far();
    (void)suppressor.run(candidates_of(all));
    EXPECT_EQ(allocations_so_far() - before, 0) << nms::name_of(rule);
  }
}

TEST(CpuSuppressorCalls, DoNotDependOnTheOnesBefore) {
  for (const nms::NmsRule rule :
       {nms::NmsRule::greedy, nms::NmsRule::fast, nms::NmsRule::soft, nms::NmsRule::groups}) {
    nms::CpuSuppressor suppressor(by_rule(rule), 2048);
    for (const std::size_t count : {1000U, 3U, 0U, 2048U, 65U}) {
      const NmsCase all = wide_faces(count);
      EXPECT_EQ(answer_of(suppressor.run(candidates_of(all))), on_cpu(by_rule(rule), all));
    }
  }
}

TEST(CpuSuppressorCalls, RefuseUnequalLengths) {
  nms::CpuSuppressor suppressor({}, 10);
  const std::vector<Box> boxes(2);
  const std::vector<float> three(3);
  expect_error(ErrorKind::internal, "the numbers of boxes and scores differ", [&] {
    (void)suppressor.run({boxes, three});
  });
}

TEST(CpuSuppressorCalls, GoOnAfterAMove) {
  nms::CpuSuppressor made(by_rule(nms::NmsRule::greedy), 100);
  nms::CpuSuppressor suppressor = std::move(made);
  EXPECT_EQ(suppressor.capacity(), 100U);
  EXPECT_EQ(suppressor.options().rule, nms::NmsRule::greedy);
  EXPECT_THAT(suppressor.run(candidates_of(identical(9))).indices, ElementsAre(0));
}

}  // namespace
}  // namespace facepipe::test
