// These tests check segments that lanes take, finish or return.
#include "pipeline/lanes/segment_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace facepipe::pipeline {
namespace {

constexpr Segment::Limits kKept{1000, 1 << 20};

video::ReadPacket packet(std::int64_t name, int size = 10) {
  video::UniqueAVPacket made = video::new_av_packet();
  EXPECT_EQ(av_new_packet(made.get(), size), 0);
  made->pts = name;
  return {std::move(made), {}, false, 3, name == 0};
}

SidePacket side(std::int64_t name) { return {packet(name).packet}; }

/// Returns the remaining packets of the video and of other streams, such as "v1 s2 ".
std::string rest_of(Segment& segment) {
  std::string names;
  while (const std::optional<SegmentInput> input = segment.next({}))
    if (const auto* const other = std::get_if<SidePacket>(&*input))
      names += "s" + std::to_string(other->packet->pts) + " ";
    else
      names += "v" + std::to_string(std::get<video::ReadPacket>(*input).packet->pts) + " ";
  return names;
}

std::shared_ptr<Segment> some_segment(std::int64_t number, Segment::Limits limits = kKept) {
  return std::make_shared<Segment>(number, false, limits, std::stop_token());
}

TEST(Segment, BeginsAgainWithAllThatItHad) {
  const auto segment = some_segment(3);
  segment->push(packet(0), 1);
  segment->push(side(1), 1);
  segment->push(packet(2), 1);
  EXPECT_EQ(std::get<video::ReadPacket>(*segment->next({})).packet->pts, 0);
  EXPECT_TRUE(std::holds_alternative<SidePacket>(*segment->next({})));
  EXPECT_TRUE(segment->rewind({false, 5, 1}));
  EXPECT_EQ(segment->given().frames, 5);
  segment->push(packet(3), 1);
  segment->close();
  EXPECT_EQ(rest_of(*segment), "v0 s1 v2 v3 ");
  EXPECT_TRUE(segment->rewind({}));
  const std::optional<SegmentInput> again = segment->next({});
  const auto& read = std::get<video::ReadPacket>(*again);
  EXPECT_EQ(read.packet->size, 10);
  EXPECT_EQ(read.segment, 3);
  EXPECT_TRUE(read.starts_independently);
  EXPECT_EQ(rest_of(*segment), "s1 v2 v3 ");
}

TEST(Segment, ThatIsTooLongToBeKeptDoesNot) {
  const auto segment = some_segment(0, {1000, 5000});
  for (int i = 0; i < 3; ++i) segment->push(packet(i, 1500), 1);
  segment->close();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(segment->next({}));
  EXPECT_TRUE(segment->rewind({}));
  EXPECT_EQ(rest_of(*segment), "v0 v1 v2 ");
  EXPECT_FALSE(segment->rewind({}));
}

TEST(Segment, ThatNobodyGivesBackKeepsNothing) {
  const auto segment = some_segment(0, {1000, 0});
  segment->push(packet(0), 1);
  segment->close();
  EXPECT_EQ(rest_of(*segment), "v0 ");
  EXPECT_FALSE(segment->rewind({}));
}

TEST(Segments, WhatIsGivenBackComesFirst) {
  Segments segments(3, {}, true);
  for (int i = 0; i < 3; ++i) segments.push(some_segment(i));
  const std::shared_ptr<Segment> first = *segments.pop();
  segments.give_back({first});
  EXPECT_EQ((*segments.pop())->number(), 0);
  EXPECT_EQ((*segments.pop())->number(), 1);
}

TEST(Segments, EndOnlyWhenAllAreDone) {
  Segments segments(2, {}, true);
  segments.push(some_segment(0));
  segments.push(some_segment(1));
  const std::shared_ptr<Segment> first = *segments.pop();
  static_cast<void>(segments.pop());
  segments.close();
  segments.done(1);
  EXPECT_TRUE(segments.is_done(1));
  EXPECT_FALSE(segments.is_done(0));
  EXPECT_FALSE(segments.pop_within(std::chrono::milliseconds(1), {}));
  std::atomic<bool> ended = false;
  std::jthread idle([&] {
    EXPECT_EQ((*segments.pop())->number(), 0) << "given back while this lane waited";
    EXPECT_FALSE(segments.pop());
    ended = true;
  });
  segments.give_back({first});
  EXPECT_FALSE(ended);
  segments.done(0);
  idle.join();
  EXPECT_TRUE(ended);
}

TEST(Segments, ThatNobodyGivesBackEndWithTheStream) {
  Segments segments(1, {});
  segments.push(some_segment(0));
  segments.close();
  EXPECT_TRUE(segments.pop());
  EXPECT_FALSE(segments.pop());
  EXPECT_TRUE(segments.is_done(0));
}

TEST(Segments, EndEveryWaitWithAStop) {
  std::stop_source stop;
  Segments full(1, stop.get_token());
  full.push(some_segment(0));
  Segments empty(1, stop.get_token());
  stop.request_stop();
  EXPECT_THROW(full.push(some_segment(1)), Stopped);
  EXPECT_THROW(static_cast<void>(empty.pop()), Stopped);
  EXPECT_THROW(static_cast<void>(empty.pop_within(std::chrono::hours(1), stop.get_token())),
               Stopped);
}

}  // namespace
}  // namespace facepipe::pipeline
