#include "verify/pairing.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace facepipe::verify {
namespace {

/// Pairs the frames of two videos until both end. Returns p for each pair, m for a missing frame,
/// and x for an extra frame.
std::string met(const std::vector<double>& original, const std::vector<double>& hidden) {
  const auto at = [](const std::vector<double>& times, std::size_t i) {
    return i < times.size() ? std::optional(times[i]) : std::nullopt;
  };
  std::string text;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < original.size() || k < hidden.size()) {
    const Meeting meeting = meet({i > 0 ? at(original, i - 1) : std::nullopt, at(original, i),
                                  at(original, i + 1), at(hidden, k)});
    text += meeting == Meeting::pair ? 'p' : (meeting == Meeting::missing ? 'm' : 'x');
    i += meeting == Meeting::extra ? 0 : 1;
    k += meeting == Meeting::missing ? 0 : 1;
  }
  return text;
}

TEST(Pairing, EqualStampsArePairs) {
  EXPECT_EQ(met({0, 0.04, 0.08}, {0, 0.04, 0.08}), "ppp");
  EXPECT_EQ(met({0, 0.0333, 0.0667}, {0, 0.033, 0.067}), "ppp");  // times are rounded to
                                                                  // milliseconds
}

TEST(Pairing, WhatIsMissingShiftsNothing) {
  EXPECT_EQ(met({0, 1, 2, 3}, {0, 2, 3}), "pmpp");
  EXPECT_EQ(met({0, 1, 2, 3}, {1, 2, 3}), "mppp");
  EXPECT_EQ(met({0, 1, 2, 3}, {0, 1}), "ppmm");
  EXPECT_EQ(met({0, 1, 2}, {}), "mmm");
}

TEST(Pairing, WhatIsTooMuchShiftsNothing) {
  EXPECT_EQ(met({0, 1, 2}, {0, 0.3, 1, 2}), "pxpp");
  EXPECT_EQ(met({0, 1}, {0, 1, 2}), "ppx");
  EXPECT_EQ(met({}, {0, 1}), "xx");
}

TEST(Pairing, AStampThatIsALittleOffIsAPair) {
  EXPECT_EQ(met({0, 1, 2}, {0.2, 1.2, 2.2}), "ppp");
  EXPECT_EQ(met({0, 0.1, 5}, {0, 0.1, 4}), "ppp");  // the distance between frames is different
}

TEST(FrameDifference, KeepsTheFirst) {
  FrameComparison frames;
  EXPECT_TRUE(frames.equal());
  frames.missing.add(2.5, 60);
  frames.missing.add(3.5, 90);
  EXPECT_EQ(frames.missing.count, 2);
  EXPECT_EQ(frames.missing.first_s, 2.5);
  EXPECT_EQ(frames.missing.first_frame, 60);
  EXPECT_FALSE(frames.equal());
}

}  // namespace
}  // namespace facepipe::verify
