#include "verify/findings.h"

#include <gtest/gtest.h>

#include "tests/verify/pictures.h"

namespace facepipe::verify {
namespace {

constexpr Size kSize{64, 48};

FoundBox found(std::int64_t frame, float score, double gone = 0) {
  return {frame, static_cast<double>(frame) / 25, {10, 10, 20, 20}, score, {gone, 0, 1 - gone}};
}

TEST(Findings, OneATrackAndKind) {
  const Grey picture = test::textured(kSize, 1);
  Findings findings(false);
  const auto add = [&](FindingKind kind, std::int64_t track, const FoundBox& box) {
    findings.add(kind, FindingSource::detection, track, box, picture, kSize);
  };
  add(FindingKind::only_there, 1, found(0, 0.9F));
  add(FindingKind::leak, 1, found(0, 0.2F));
  add(FindingKind::leak, 1, found(1, 0.4F));
  add(FindingKind::leak, 1, found(2, 0.3F));
  add(FindingKind::leak, 2, found(2, 0.8F));
  add(FindingKind::cosmetic, 1, found(3, 0.3F));
  add(FindingKind::cosmetic, 3, found(3, 0.3F));
  const std::vector<Finding> all = findings.take();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].track, 2);
  EXPECT_EQ(all[1].kind, FindingKind::leak);
  EXPECT_EQ(all[1].frames, 4);
  EXPECT_EQ(all[1].clearest.frame, 1);
  EXPECT_EQ(all[1].last_s, 3 / 25.0);
  EXPECT_EQ(all[1].boxes.size(), 4U);
  EXPECT_TRUE(all[1].thumbnail.samples.empty());
  EXPECT_EQ(all[2].kind, FindingKind::cosmetic);
  EXPECT_EQ(all[3].kind, FindingKind::only_there);
  EXPECT_TRUE(findings.take().empty());
}

TEST(Findings, OfOneFrameTheClearestCounts) {
  const Grey picture = test::textured(kSize, 1);
  Findings findings(false);
  for (const auto& [score, gone] : {std::pair{0.2F, 0.0}, {0.0F, 0.0}, {0.2F, 0.5}})
    findings.add(FindingKind::leak, FindingSource::detection, 1, found(4, score, gone), picture,
                 kSize);
  const std::vector<Finding> all = findings.take();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].frames, 1);
  ASSERT_EQ(all[0].boxes.size(), 1U);
  EXPECT_EQ(all[0].boxes[0].detail.gone, 0);
}

TEST(Findings, ThumbnailsShowTheHiddenVideo) {
  const Grey dark{kSize, std::vector<std::uint8_t>(64 * 48, 10)};
  const Grey bright{kSize, std::vector<std::uint8_t>(64 * 48, 200)};
  Findings findings(true);
  findings.add(FindingKind::leak, FindingSource::edit_file, 1, found(0, 0.2F), dark, kSize);
  findings.add(FindingKind::leak, FindingSource::edit_file, 1, found(1, 0.3F), bright, kSize);
  findings.add(FindingKind::leak, FindingSource::edit_file, 1, found(2, 0.1F), dark, kSize);
  const std::vector<Finding> all = findings.take();
  EXPECT_EQ(all[0].thumbnail.size, (Size{20, 20}));  // the box, and half of its size more on each
                                                     // side
  EXPECT_EQ(all[0].thumbnail.at(5, 5), 200);
}

}  // namespace
}  // namespace facepipe::verify
