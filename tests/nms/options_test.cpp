// Options: what is refused, and the names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "nms/cpu/suppressor.h"

namespace facepipe {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  const char* names;  // the option that the message must name
  std::uint32_t capacity;
  std::function<void(NmsOptions&)> change;
};

void use(NmsOptions& options, NmsRule rule) { options.rule = rule; }

const std::vector<Case>& refused() {
  static const std::vector<Case> cases{
      // names, capacity, what is changed
      {"threshold", 100, [](auto& o) { o.threshold = -0.1F; }},
      {"threshold", 100, [](auto& o) { o.threshold = 1.1F; }},
      {"threshold", 100, [](auto& o) { o.threshold = kNan; }},
      {"capacity", 0, [](auto&) {}},
      {"capacity", kMaxNmsCapacity + 1, [](auto&) {}},
      {"matrix.squares", 100, [](auto& o) { o.matrix.squares = true; }},
      {"matrix.plus_one", 100, [](auto& o) { o.matrix.plus_one = true; }},
      {"overlap", 100,
       [](auto& o) {
         use(o, NmsRule::soft);
         o.overlap = NmsOverlap::diou;
       }},
      {"overlap", 100,
       [](auto& o) {
         use(o, NmsRule::soft);
         o.overlap = NmsOverlap::winner_area;
       }},
      {"voting", 100,
       [](auto& o) {
         use(o, NmsRule::soft);
         o.voting = true;
       }},
      {"soft.min_score", 100,
       [](auto& o) {
         use(o, NmsRule::soft);
         o.soft.min_score = 0;
       }},
      {"soft.min_score", 100,
       [](auto& o) {
         use(o, NmsRule::soft);
         o.soft.min_score = kNan;
       }},
      {"soft.sigma", 100,
       [](auto& o) {
         use(o, NmsRule::soft);
         o.soft.sigma = 0;
       }},
      {"soft.sigma", 100,
       [](auto& o) {
         use(o, NmsRule::soft);
         o.soft.sigma = kNan;
       }},
      {"matrix.d_max", 100,
       [](auto& o) {
         use(o, NmsRule::matrix);
         o.matrix.d_max = 0;
       }},
      {"matrix.d_max", 100,
       [](auto& o) {
         use(o, NmsRule::matrix);
         o.matrix.d_max = kMaxMatrixSide + 1;
       }},
      {"matrix.d_max", 4097, [](auto& o) { use(o, NmsRule::matrix); }},
      {"matrix.k", 100,
       [](auto& o) {
         use(o, NmsRule::matrix);
         o.matrix.k = 0;
       }},
      {"matrix.k", 100,
       [](auto& o) {
         use(o, NmsRule::matrix);
         o.matrix.k = 4097;
       }},
      {"matrix.k", 100,
       [](auto& o) {
         use(o, NmsRule::matrix);
         o.matrix.k = 3;  // 4096 / 3 threads
       }},
  };
  return cases;
}

std::string refusal_of(const Case& c) {
  NmsOptions options;
  c.change(options);
  try {
    check_nms_options(options, c.capacity);
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "accepted";
}

TEST(NmsOptionsCheck, RefusesByName) {
  for (const Case& c : refused())
    EXPECT_THAT(refusal_of(c), testing::HasSubstr(std::string(c.names) + ":"));
}

TEST(NmsOptionsCheck, IsMadeByTheSuppressor) {
  NmsOptions options;
  options.threshold = 2;
  EXPECT_THROW(CpuSuppressor(options, 10), std::invalid_argument);
  EXPECT_THROW((void)CpuSuppressor::scratch_bytes(options, 10), std::invalid_argument);
}

TEST(NmsOptionsCheck, AcceptsTheEndsOfEachRange) {
  const std::vector<std::function<void(NmsOptions&)>> changes{
      [](auto& o) { o.threshold = 0; },
      [](auto& o) { o.threshold = 1; },
      [](auto& o) {
        use(o, NmsRule::soft);
        o.soft.decay = SoftDecay::linear;
        o.soft.sigma = 0;  // of no use to linear
      },
      [](auto& o) {
        use(o, NmsRule::matrix);
        o.matrix = {4096, 4, true, true};
        o.overlap = NmsOverlap::winner_area;
      },
      [](auto& o) {
        use(o, NmsRule::matrix);
        o.matrix = {16384, 16, false, false};
      },
      [](auto& o) {
        use(o, NmsRule::fast);
        o.overlap = NmsOverlap::diou;
        o.voting = true;
      },
  };
  for (const auto& change : changes) {
    NmsOptions options;
    change(options);
    EXPECT_NO_THROW(check_nms_options(options, 1));
    EXPECT_NO_THROW(check_nms_options(options, 4096));
  }
  EXPECT_NO_THROW(check_nms_options({}, kMaxNmsCapacity));
}

TEST(NmsNames, AreThoseOfTheCommandLine) {
  EXPECT_EQ(name_of(NmsRule::greedy), "greedy");
  EXPECT_EQ(name_of(NmsRule::matrix), "matrix");
  EXPECT_EQ(name_of(NmsRule::fast), "fast");
  EXPECT_EQ(name_of(NmsRule::soft), "soft");
  EXPECT_EQ(name_of(NmsOverlap::iou), "iou");
  EXPECT_EQ(name_of(NmsOverlap::diou), "diou");
  EXPECT_EQ(name_of(NmsOverlap::winner_area), "winner-area");
  EXPECT_EQ(name_of(SoftDecay::linear), "linear");
  EXPECT_EQ(name_of(SoftDecay::gaussian), "gaussian");
}

}  // namespace
}  // namespace facepipe
