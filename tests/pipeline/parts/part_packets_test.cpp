// Tests which packets belong to a part, and what identifies them.
#include "pipeline/parts/part_packets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "pipeline/parts/part_window.h"
#include "tests/support/packets.h"
#include "video/bitstream/packet_hash.h"

namespace facepipe::test {
namespace {

video::UniqueAVPacket packet(std::int64_t number) {
  video::UniqueAVPacket made = packet_of({static_cast<std::uint8_t>(number), 7});
  made->pts = made->dts = 40 * number;
  made->duration = 40;
  return made;
}

std::uint64_t hash_of(std::int64_t first, std::int64_t end) {
  video::PacketHash hash;
  for (std::int64_t i = first; i < end; ++i) hash.add(*packet(i));
  EXPECT_EQ(hash.packets(), end - first);
  return hash.value();
}

TEST(PacketHashes, OfAPartFollowFromThoseOfTheWhole) {
  for (const std::int64_t first : {0, 1, 9, 20})
    for (const std::int64_t end : {20, 21, 57})
      EXPECT_EQ(video::hash_of_last(hash_of(0, end), hash_of(0, first), end - first),
                hash_of(first, end))
          << first << " to " << end;
}

TEST(PacketHashes, OfTwoSeriesFollowFromThoseOfEach) {
  for (const std::int64_t middle : {0, 1, 9, 20, 57})
    EXPECT_EQ(video::hash_of_both(hash_of(0, middle), hash_of(middle, 57), 57 - middle),
              hash_of(0, 57))
        << middle;
}

TEST(PacketHashes, NoticeEachChange) {
  const std::vector<std::function<void(AVPacket&)>> changes{[](AVPacket& changed) { changed.data[1] ^= 1; },
                                                            [](AVPacket& changed) { ++changed.pts; },
                                                            [](AVPacket& changed) { ++changed.dts; },
                                                            [](AVPacket& changed) { ++changed.duration; },
                                                            [](AVPacket& changed) { changed.flags = 0; },
                                                            [](AVPacket& changed) { --changed.size; }};
  for (const auto& change : changes) {
    video::PacketHash hash;
    hash.add(*packet(0));
    const video::UniqueAVPacket changed = packet(1);
    change(*changed);
    hash.add(*changed);
    EXPECT_NE(hash.value(), hash_of(0, 2));
  }
  video::PacketHash swapped;
  swapped.add(*packet(1));
  swapped.add(*packet(0));
  EXPECT_NE(swapped.value(), hash_of(0, 2));
}

/// Gives the part a packet, or without `ordinal` the end of a segment. Returns the number that the
/// segment has in the part; nullopt if the part doesn't take the packet.
std::optional<std::int64_t> take(pipeline::PartPackets& part, std::int64_t segment,
                                 std::optional<std::int64_t> ordinal, bool decode_only = false) {
  video::SegmentPacket given;
  given.segment = given.read.segment = segment;
  given.ordinal = ordinal.value_or(0);
  if (ordinal) given.read.packet = packet(*ordinal);
  given.read.decode_only = decode_only;
  if (!part.take(given)) return std::nullopt;
  EXPECT_EQ(given.segment, given.read.segment);
  return given.segment;
}

/// Gives the part the first packet of its segment.
void begin(pipeline::PartPackets& part, const pipeline::PartJob& job) {
  const std::int64_t first = job.number == 0 ? 0 : job.cuts.at(job.number - 1);
  EXPECT_EQ(take(part, static_cast<std::int64_t>(job.number), first), 0);
}

TEST(PartPackets, AreThoseBetweenTwoCuts) {
  const std::vector<std::int64_t> cuts{10, 25};
  const std::vector<std::uint64_t> expected{hash_of(0, 10), hash_of(10, 25), hash_of(25, 40)};
  for (std::size_t number = 0; number < expected.size(); ++number) {
    pipeline::PartJob job;
    job.cuts = cuts;
    job.number = number;
    pipeline::PartPackets part(job);
    for (std::int64_t i = 0; i < 40; ++i) part.see(*packet(i));
    begin(part, job);
    job.hash = expected[number];
    EXPECT_TRUE(part.are_of(job)) << number;
    ++job.hash;
    EXPECT_FALSE(part.are_of(job)) << number;
  }
}

TEST(PartPackets, AreAlsoThoseUpToTheNextScene) {
  pipeline::PartJob job;
  job.cuts = {10, 25, 30};
  job.number = 1;
  job.hash = hash_of(10, 25);
  job.next = pipeline::SceneAfterCut{5, hash_of(25, 30), 3};
  pipeline::PartPackets part(job);
  for (std::int64_t i = 0; i < 40; ++i) part.see(*packet(i));
  begin(part, job);
  EXPECT_TRUE(part.are_of(job));
  ++job.next->hash;
  EXPECT_FALSE(part.are_of(job));
  EXPECT_EQ(take(part, 0, 11), std::nullopt);
  EXPECT_EQ(take(part, 1, 11), 0);
  EXPECT_EQ(take(part, 2, 25), 1);
  EXPECT_EQ(take(part, 1, std::nullopt), 0);
  EXPECT_FALSE(part.ended()) << "the packets up to the scene are missing";
  EXPECT_EQ(take(part, 2, std::nullopt), 1);
  EXPECT_TRUE(part.ended());
  EXPECT_EQ(take(part, 3, 30), std::nullopt);
}

TEST(PartPackets, MayBeSeenFromThePacketsBeforeThePartOn) {
  pipeline::PartJob job;
  job.cuts = {10, 25};
  job.number = 1;
  job.hash = hash_of(10, 25);
  pipeline::PartPackets part(job, 7);
  for (std::int64_t i = 7; i < 40; ++i) part.see(*packet(i));
  begin(part, job);
  EXPECT_TRUE(part.are_of(job));
}

TEST(PartPackets, MustBeCutWhereThePartBegins) {
  pipeline::PartJob job;
  job.cuts = {10, 25};
  job.number = 1;
  job.hash = hash_of(10, 25);
  pipeline::PartPackets part(job);
  for (std::int64_t i = 0; i < 40; ++i) part.see(*packet(i));
  EXPECT_FALSE(part.are_of(job)) << "nothing is decoded";
  EXPECT_EQ(take(part, 1, 25), std::nullopt);
  EXPECT_FALSE(part.are_of(job)) << "there was no cut before packet 10";
}

TEST(PartWindows, LeaveOutTheFramesOfOtherParts) {
  using pipeline::FrameUse;
  const auto uses = [](const pipeline::PartJob& job, const std::vector<std::int64_t>& segments) {
    pipeline::PartWindow window(job);
    std::vector<FrameUse> all;
    for (const std::int64_t segment : segments) all.push_back(window.next(segment));
    return all;
  };
  constexpr FrameUse kOut = FrameUse::leave_out;
  constexpr FrameUse kWork = FrameUse::work;
  EXPECT_THAT(uses({}, {0, 0}), testing::ElementsAre(kWork, kWork)) << "a part without scenes";
  pipeline::PartJob job;
  job.left_out = 2;
  job.next = pipeline::SceneAfterCut{9, 0, 1};
  EXPECT_THAT(
      uses(job, {0, 0, 0, 0, 1, 1, 1, 1}),
      testing::ElementsAre(kOut, kOut, kWork, kWork, kWork, FrameUse::begins_next, kOut, kOut));
}

TEST(PartPackets, OfTheDecoderAreThoseOfTheSegment) {
  pipeline::PartJob job;
  job.cuts = {10, 25};
  job.number = 1;
  pipeline::PartPackets part(job);
  EXPECT_EQ(take(part, 0, 0), std::nullopt);
  EXPECT_EQ(take(part, 1, 10), 0);
  EXPECT_EQ(take(part, 2, 25), std::nullopt);
  EXPECT_FALSE(part.ended());
  EXPECT_EQ(take(part, 1, std::nullopt), 0);
  EXPECT_TRUE(part.ended());
}

/// The input is cut before the packets 5, 10, 17 and 25. Two packets behind each cut also belong to
/// the segment before.
TEST(PartPackets, MayBeCutIntoMoreSegments) {
  pipeline::PartJob job;
  job.cuts = {10, 25};
  job.number = 1;
  pipeline::PartPackets part(job);
  EXPECT_EQ(take(part, 1, 9), std::nullopt);
  EXPECT_EQ(take(part, 1, 10, true), std::nullopt) << "of the part before";
  EXPECT_EQ(take(part, 2, 10), 0);
  EXPECT_EQ(take(part, 1, 11, true), std::nullopt);
  EXPECT_EQ(take(part, 2, 11), 0);
  EXPECT_EQ(take(part, 2, 17, true), 0);
  EXPECT_EQ(take(part, 3, 17), 1);
  EXPECT_EQ(take(part, 2, std::nullopt), 0);
  EXPECT_FALSE(part.ended());
  EXPECT_EQ(take(part, 3, 25, true), 1);
  EXPECT_EQ(take(part, 4, 25), std::nullopt) << "of the next part";
  EXPECT_EQ(take(part, 3, 26, true), 1);
  EXPECT_EQ(take(part, 4, 26), std::nullopt);
  EXPECT_EQ(take(part, 3, std::nullopt), 1);
  EXPECT_TRUE(part.ended());
}

}  // namespace
}  // namespace facepipe::test
