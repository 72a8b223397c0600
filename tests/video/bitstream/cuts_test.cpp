#include "video/bitstream/cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace facepipe::video {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Returns packets in decoding order. Their stamps increase by 1, and none of them is an entry
/// point.
std::vector<PacketFacts> packets(std::int64_t count) {
  std::vector<PacketFacts> made(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) made[static_cast<std::size_t>(i)].pts = 100 + i;
  return made;
}

struct Placed {
  std::vector<std::size_t> begins;
  std::vector<std::size_t> run_on;
  std::vector<std::size_t> leading;
};

Placed placed(const std::vector<PacketFacts>& packets) {
  CutFinder finder;
  std::vector<Placement> all;
  const auto take = [&] {
    while (std::optional<Placement> next = finder.next()) all.push_back(*next);
  };
  for (const PacketFacts& packet : packets) {
    finder.send(packet);
    take();
  }
  finder.finish();
  take();
  EXPECT_EQ(all.size(), packets.size());
  Placed result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].begins) result.begins.push_back(i);
    if (all[i].run_on) result.run_on.push_back(i);
    if (all[i].leading) result.leading.push_back(i);
  }
  return result;
}

TEST(CutFinder, KeepsSegmentsLongEnough) {
  std::vector<PacketFacts> stream = packets(150);
  for (const std::size_t i : {0U, 31U, 40U, 71U, 72U, 118U, 119U})
    stream[i].entry = Entry::starts_independently;
  EXPECT_THAT(placed(stream).begins, ElementsAre(40, 72, 118));
  stream.pop_back();
  EXPECT_THAT(placed(stream).begins, ElementsAre(40, 72)) << "31 packets to the end";
}

TEST(CutFinder, CutsWhereEachPacketIsAnEntry) {
  std::vector<PacketFacts> stream = packets(100);
  for (PacketFacts& packet : stream) packet.entry = Entry::starts_independently;
  EXPECT_THAT(placed(stream).begins, ElementsAre(32, 64));
}

TEST(CutFinder, DecidesAtOnceWhereThereIsNothingToDecide) {
  CutFinder finder;
  for (PacketFacts& packet : packets(100)) {
    finder.send(packet);
    EXPECT_TRUE(finder.next());
  }
  EXPECT_FALSE(finder.next());
}

TEST(CutFinder, FindsLeadingPicturesByStamps) {
  std::vector<PacketFacts> stream = packets(100);
  stream[50].entry = Entry::by_stamps;
  stream[50].pts = 153;
  stream[51].pts = 151;
  stream[52].pts = 154;
  stream[53].pts = 152;
  const Placed found = placed(stream);
  EXPECT_THAT(found.begins, ElementsAre(50));
  EXPECT_THAT(found.run_on, ElementsAre(50, 51, 52, 53));
  EXPECT_THAT(found.leading, ElementsAre(51, 53));
}

TEST(CutFinder, WithoutStampsDoesNotCutWhereTheyAreNeeded) {
  for (const std::size_t missing : {50U, 60U, 81U, 82U}) {
    std::vector<PacketFacts> stream = packets(100);
    stream[50].entry = Entry::by_stamps;
    stream[missing].pts = AV_NOPTS_VALUE;
    EXPECT_EQ(placed(stream).begins.size(), missing == 82 ? 1U : 0U) << missing;
  }
}

TEST(CutFinder, DoesNotCutAtAPacketThatLacksAStampWhereOthersHaveOne) {
  std::vector<PacketFacts> stream = packets(150);
  for (const std::size_t i : {40U, 80U}) stream[i].entry = Entry::starts_independently;
  stream[40].pts = AV_NOPTS_VALUE;
  EXPECT_THAT(placed(stream).begins, ElementsAre(80));
  stream[40].has_dts = true;
  EXPECT_THAT(placed(stream).begins, ElementsAre(40, 80));
  for (PacketFacts& packet : stream) {
    packet.pts = AV_NOPTS_VALUE;
    packet.has_dts = false;
  }
  EXPECT_THAT(placed(stream).begins, ElementsAre(40, 80)) << "none has";
}

TEST(CutFinder, FindsLeadingPicturesByType) {
  std::vector<PacketFacts> stream = packets(100);
  for (const std::size_t i : {50U, 66U}) stream[i].entry = Entry::by_type;
  for (const std::size_t i : {51U, 52U, 67U}) stream[i].leading = true;
  for (PacketFacts& packet : stream) packet.pts = AV_NOPTS_VALUE;
  const Placed found = placed(stream);
  EXPECT_THAT(found.begins, ElementsAre(50));
  EXPECT_THAT(found.run_on, ElementsAre(50, 51, 52));
  EXPECT_THAT(found.leading, ElementsAre(51, 52)) << "what leads packet 66 is in the midst";
}

TEST(CutFinder, ASecondFieldGoesWithItsFirst) {
  std::vector<PacketFacts> stream = packets(100);
  stream[50].entry = Entry::by_stamps;
  stream[50].pts = 160;
  for (std::size_t i = 52; i < 60; ++i) stream[i].pts = i < 56 ? 110 : 170;
  for (const std::size_t i : {51U, 53U, 55U, 57U}) {
    stream[i].second_field = true;
    stream[i].pts = AV_NOPTS_VALUE;
  }
  for (std::size_t i = 60; i < 100; ++i) stream[i].pts = static_cast<std::int64_t>(120 + i);
  const Placed found = placed(stream);
  EXPECT_THAT(found.begins, ElementsAre(50));
  EXPECT_THAT(found.run_on, ElementsAre(50, 51, 52, 53, 54, 55));
  EXPECT_THAT(found.leading, ElementsAre(52, 53, 54, 55));
}

// If the stamps jump back, all packets behind the jump look like leading pictures.
TEST(CutFinder, DoesNotCutWhereTheLeadingPicturesDoNotEnd) {
  for (const std::size_t jump : {51U, 67U, 81U, 82U}) {
    std::vector<PacketFacts> stream = packets(100);
    stream[50].entry = Entry::by_stamps;
    for (std::size_t i = jump; i < stream.size(); ++i) stream[i].pts -= 90;
    const Placed found = placed(stream);
    EXPECT_EQ(found.begins.size(), jump == 82 ? 1U : 0U) << jump;
    EXPECT_THAT(found.leading, IsEmpty());
    EXPECT_THAT(found.run_on, IsEmpty());
  }
}

TEST(CutFinder, TriesTheNextEntryWhereOneWillNotDo) {
  std::vector<PacketFacts> stream = packets(100);
  stream[50].entry = Entry::by_stamps;
  stream[60].entry = Entry::starts_independently;
  stream[70].pts = AV_NOPTS_VALUE;
  EXPECT_THAT(placed(stream).begins, ElementsAre(60));
}

}  // namespace
}  // namespace facepipe::video
