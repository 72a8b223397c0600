// These tests check which options are refused, and the names of options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "nms/cpu/suppressor.h"
#include "tests/support/expect_error.h"

namespace facepipe::nms {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  const char* names;  // text that the message must contain
  std::uint32_t capacity;
  NmsRule rule;
  std::function<void(NmsOptions&)> change;
};

const std::vector<Case>& refused() {
  using enum NmsRule;
  static const std::vector<Case> cases{
      // Columns: text in the message, capacity, rule, change.
      {"threshold", 100, greedy, [](auto& o) { o.threshold = -0.1F; }},
      {"threshold", 100, soft, [](auto& o) { o.threshold = 1.1F; }},
      {"threshold", 100, matrix, [](auto& o) { o.threshold = kNan; }},
      {"capacity", 0, greedy, [](auto&) {}},
      {"capacity", kMaxNmsCapacity + 1, greedy, [](auto&) {}},
      {"matrix.squares", 100, greedy, [](auto& o) { o.matrix.squares = true; }},
      {"matrix.plus_one", 100, fast, [](auto& o) { o.matrix.plus_one = true; }},
      {"overlap", 100, soft, [](auto& o) { o.overlap = NmsOverlap::diou; }},
      {"overlap", 100, soft, [](auto& o) { o.overlap = NmsOverlap::winner_area; }},
      {"voting", 100, soft, [](auto& o) { o.voting = true; }},
      {"soft.min_score", 100, soft, [](auto& o) { o.soft.min_score = 0; }},
      {"soft.min_score", 100, soft, [](auto& o) { o.soft.min_score = kNan; }},
      {"soft.sigma", 100, soft, [](auto& o) { o.soft.sigma = 0; }},
      {"soft.sigma", 100, soft, [](auto& o) { o.soft.sigma = kNan; }},
      {"overlap", 100, groups, [](auto& o) { o.overlap = NmsOverlap::diou; }},
      {"voting", 100, groups, [](auto& o) { o.voting = true; }},
      {"matrix.squares", 100, groups, [](auto& o) { o.matrix.squares = true; }},
      {"matrix.plus_one", 100, groups, [](auto& o) { o.matrix.plus_one = true; }},
      {"groups.min_neighbours", 100, groups, [](auto& o) { o.groups.min_neighbours = 0; }},
      {"groups.min_neighbours", 100, groups, [](auto& o) { o.groups.min_neighbours = 65537; }},
      {"matrix.d_max", 100, matrix, [](auto& o) { o.matrix.d_max = 0; }},
      {"matrix.d_max", 100, matrix, [](auto& o) { o.matrix.d_max = kMaxMatrixSide + 1; }},
      {"matrix.d_max", 4097, matrix, [](auto&) {}},
      {"matrix.k", 100, matrix, [](auto& o) { o.matrix.k = 0; }},
      {"matrix.k", 100, matrix, [](auto& o) { o.matrix.k = 4097; }},
      {"matrix.k", 100, matrix, [](auto& o) { o.matrix.k = 3; }},  // 4096 / 3 threads would be too
                                                                   // many
  };
  return cases;
}

std::string refusal_of(const Case& c) {
  NmsOptions options;
  options.rule = c.rule;
  c.change(options);
  try {
    check_nms_options(options, c.capacity);
  } catch (const Error& refusal) {
    EXPECT_EQ(refusal.kind(), ErrorKind::usage);
    return refusal.what();
  }
  return "accepted";
}

TEST(NmsOptionsCheck, RefusesByName) {
  for (const Case& c : refused())
    EXPECT_THAT(refusal_of(c), testing::HasSubstr(std::string(c.names) + ":"));
}

TEST(NmsOptionsCheck, SaysWhatARuleDoesNotWorkWith) {
  using enum NmsRule;
  EXPECT_EQ(refusal_of({"", 100, soft, [](auto& o) { o.overlap = NmsOverlap::diou; }}),
            "NMS overlap: rule 'soft' works only with 'iou'");
  EXPECT_EQ(refusal_of({"", 100, soft, [](auto& o) { o.voting = true; }}),
            "NMS voting: doesn't work with rule 'soft', which only lowers scores");
}

TEST(NmsOptionsCheck, IsMadeByTheSuppressor) {
  NmsOptions options;
  options.threshold = 2;
  test::expect_error(ErrorKind::usage, "NMS threshold: ", [&] { CpuSuppressor(options, 10); });
  test::expect_error(ErrorKind::usage,
                     "NMS threshold: ", [&] { (void)CpuSuppressor::scratch_bytes(options, 10); });
}

TEST(NmsOptionsCheck, AcceptsTheEndsOfEachRange) {
  using enum NmsRule;
  const std::vector<Case> accepted{
      // Columns: what is tested, capacity, rule, change.
      {"least threshold", 4096, greedy, [](auto& o) { o.threshold = 0; }},
      {"largest threshold", 4096, soft, [](auto& o) { o.threshold = 1; }},
      {"largest capacity", kMaxNmsCapacity, greedy, [](auto&) {}},
      {"as published", 4096, matrix,
       [](auto& o) {
         o.matrix = {4096, 4, true, true};
       }},
      {"largest matrix", 16384, matrix,
       [](auto& o) {
         o.matrix = {16384, 16, false, false};
       }},
      {"smallest matrix", 1, matrix,
       [](auto& o) {
         o.matrix = {1, 1, false, false};
       }},
      {"least groups", 100, groups, [](auto& o) { o.groups.min_neighbours = 1; }},
      {"largest groups", 100, groups, [](auto& o) { o.groups.min_neighbours = 65536; }},
      {"another overlap", 1, fast, [](auto& o) { o.overlap = NmsOverlap::diou; }},
      {"sigma without use", 1, soft,
       [](auto& o) {
         o.soft.decay = SoftDecay::linear;
         o.soft.sigma = 0;
       }},
  };
  for (const Case& c : accepted) EXPECT_EQ(refusal_of(c), "accepted") << c.names;
}

TEST(NmsNames, AreThoseOfTheCommandLine) {
  EXPECT_EQ(name_of(NmsRule::greedy), "greedy");
  EXPECT_EQ(name_of(NmsRule::matrix), "matrix");
  EXPECT_EQ(name_of(NmsRule::fast), "fast");
  EXPECT_EQ(name_of(NmsRule::soft), "soft");
  EXPECT_EQ(name_of(NmsRule::groups), "opencv-groups");
  EXPECT_EQ(name_of(NmsOverlap::iou), "iou");
  EXPECT_EQ(name_of(NmsOverlap::diou), "diou");
  EXPECT_EQ(name_of(NmsOverlap::winner_area), "winner-area");
  EXPECT_EQ(name_of(NmsOverlap::smaller_area), "smaller-area");
  EXPECT_EQ(name_of(SoftDecay::linear), "linear");
  EXPECT_EQ(name_of(SoftDecay::gaussian), "gaussian");
}

}  // namespace
}  // namespace facepipe::nms
