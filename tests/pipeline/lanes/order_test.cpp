// These tests check Order alone. Several threads give items segment by segment, and Order must
// return the items in the order of the stream. The head is the segment whose turn it is. A limit
// must never block the head, and a stop must end every wait.
#include "pipeline/lanes/order.h"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace facepipe::pipeline {
namespace {

using testing::ElementsAre;

constexpr Order::Limits kWide{1000, std::int64_t{1} << 30};

/// Returns a frame that has `name` as its number.
FinishedFrame frame(std::int64_t name) {
  FinishedFrame result;
  result.encoded.record.index = name;
  return result;
}

/// Returns a packet of another stream that has `name` as its stamp.
SidePacket side(std::int64_t name) {
  SidePacket result{video::new_av_packet()};
  result.packet->pts = name;
  return result;
}

/// Returns "f7" for frame 7, "s7" for packet 7 of another stream, and "end" after the last item.
std::string name_of(const std::optional<OrderedItem>& item) {
  if (!item) return "end";
  if (const auto* packet = std::get_if<SidePacket>(&*item))
    return "s" + std::to_string(packet->packet->pts);
  return "f" + std::to_string(std::get<FinishedFrame>(*item).encoded.record.index);
}

std::vector<std::string> take_all(Order& order) {
  std::vector<std::string> names;
  while (const std::optional<OrderedItem> item = order.next()) names.push_back(name_of(item));
  return names;
}

void give_frames(Order& order, std::int64_t segment, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    order.admit(segment);
    order.give(segment, frame(first + i));
  }
}

std::vector<std::string> frames_until(std::int64_t end) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < end; ++i) names.push_back("f" + std::to_string(i));
  return names;
}

TEST(Order, GivesSegmentsInOrderThatThreadsGaveBackwards) {
  constexpr std::int64_t kThreads = 7;
  constexpr std::int64_t kSegments = 21;
  constexpr std::int64_t kFrames = 5;
  Order order({2, std::int64_t{1} << 30}, {});
  order.end(kSegments);
  std::vector<std::jthread> threads;
  for (std::int64_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&order, thread] {
      for (std::int64_t i = kSegments - 1 - thread; i >= 0; i -= kThreads) {
        give_frames(order, i, i * kFrames, kFrames);
        order.expect(i, kFrames);
      }
    });
  EXPECT_EQ(take_all(order), frames_until(kSegments * kFrames));
}

TEST(Order, PutsSidePacketsBehindTheFramesThatTheyFollow) {
  Order order(kWide, {});
  order.give(0, side(0), 0);
  order.give(0, side(1), 2);
  order.give(0, side(2), 2);
  order.give(1, side(3), 0);  // no frame of segment 1 comes before packet 3
  order.give(1, side(4), 1);
  give_frames(order, 1, 3, 1);
  give_frames(order, 0, 0, 3);
  order.expect(0, 3);
  order.expect(1, 1);
  order.end(2);
  EXPECT_THAT(take_all(order), ElementsAre("s0", "f0", "f1", "s1", "s2", "f2", "s3", "f3", "s4"));
}

TEST(Order, KeepsASidePacketUntilItsFrameHasCome) {
  Order order(kWide, {});
  order.give(0, side(0), 1);
  std::string first;
  std::latch waits(1);
  std::jthread taker([&] {
    waits.count_down();
    first = name_of(order.next());
  });
  waits.wait();
  order.give(0, frame(0));
  taker.join();
  EXPECT_EQ(first, "f0");
  EXPECT_EQ(name_of(order.next()), "s0");
}

// The packet should follow more frames than the segment has. Order must return it at the segment's
// end, and not lose it.
TEST(Order, GivesSidePacketsThatAreLeftOverAtTheEndOfTheirSegment) {
  Order order(kWide, {});
  give_frames(order, 0, 0, 2);
  order.give(0, side(0), 5);
  order.give(0, side(1), 9);
  order.expect(0, 2);
  give_frames(order, 1, 2, 1);
  order.give(1, side(2), 7);
  order.expect(1, 5);
  order.complete(1);
  order.end(2);
  EXPECT_THAT(take_all(order), ElementsAre("f0", "f1", "s0", "s1", "f2", "s2"));
}

// No thread takes items meanwhile. If Order refused the head's items, these calls would wait for
// ever.
TEST(Order, NeverRefusesTheHeadForWhatLiesBehindIt) {
  Order order({1, 1}, {});
  order.give(2, frame(2));  // uses all the room behind the head
  order.give(0, frame(0));
  order.give(0, side(0), 5);  // packets of other streams have their own limit
  order.expect(0, 1);
  order.expect(1, 0);
  order.expect(2, 1);
  order.end(3);
  EXPECT_THAT(take_all(order), ElementsAre("f0", "s0", "f2"));
}

/// This thread gives one item to Order. given() returns whether Order has accepted the item.
class Giver {
 public:
  explicit Giver(std::function<void()> give)
      : thread_([this, give = std::move(give)] {
          starts_.count_down();
          give();
          given_ = true;
        }) {
    starts_.wait();
  }
  [[nodiscard]] bool given() const { return given_; }
  void join() { thread_.join(); }

 private:
  std::latch starts_{1};
  std::atomic<bool> given_ = false;
  std::jthread thread_;
};

TEST(Order, LetsTheHeadWaitForRoomOfItsOwn) {
  Order order({1, 0}, {});
  order.give(0, frame(0));
  order.give(0, side(0), 2);
  Giver next_frame([&] { order.give(0, frame(1)); });
  EXPECT_FALSE(next_frame.given());
  EXPECT_EQ(name_of(order.next()), "f0");
  next_frame.join();
  Giver next_side([&] { order.give(0, side(1), 2); });
  EXPECT_FALSE(next_side.given());
  EXPECT_EQ(name_of(order.next()), "f1");
  EXPECT_EQ(name_of(order.next()), "s0");
  next_side.join();
  EXPECT_EQ(name_of(order.next()), "s1");
}

TEST(Order, LetsTheOthersWaitUntilTheirTurnWhereNoneMayLieBehind) {
  Order order({1, 0}, {});
  order.end(3);
  Giver second([&] { give_frames(order, 1, 50, 1); });
  Giver third([&] { order.give(2, side(60), 0); });
  for (std::int64_t i = 0; i < 50; ++i) {
    order.give(0, frame(i));
    EXPECT_EQ(name_of(order.next()), "f" + std::to_string(i));
    EXPECT_FALSE(second.given());
    EXPECT_FALSE(third.given());
  }
  order.expect(0, 50);
  EXPECT_EQ(name_of(order.next()), "f50");
  second.join();
  EXPECT_FALSE(third.given());
  order.expect(1, 1);
  EXPECT_EQ(name_of(order.next()), "s60");
  third.join();
  order.expect(2, 0);
  EXPECT_EQ(name_of(order.next()), "end");
}

// An admitted frame holds resources that lanes share, and the head can wait for these resources. So
// Order must accept the frame without waiting for the head.
TEST(Order, TakesWhatWasAdmittedWhateverLiesBehindTheHead) {
  Order order({1, 1}, {});
  order.admit(1);
  order.admit(1);
  give_frames(order, 2, 3, 1);
  order.give(1, frame(1));
  order.give(1, frame(2));
  give_frames(order, 0, 0, 1);
  for (std::int64_t segment = 0; segment < 3; ++segment)
    order.expect(segment, segment == 1 ? 2 : 1);
  order.end(3);
  EXPECT_EQ(take_all(order), frames_until(4));
}

// The threads work like lanes: each takes the next segment. No thread may wait for another, even
// with the smallest limits.
TEST(Order, LetsLanesGoOnWithTheLeastThatMayWait) {
  constexpr std::int64_t kSegments = 40;
  constexpr std::int64_t kFrames = 4;
  for (const std::int64_t bytes : {0, 1, 500}) {
    Order order({1, bytes}, {});
    order.end(kSegments);
    std::atomic<std::int64_t> next = 0;
    std::vector<std::jthread> lanes;
    for (int i = 0; i < 7; ++i)
      lanes.emplace_back([&] {
        for (std::int64_t segment = next++; segment < kSegments; segment = next++) {
          give_frames(order, segment, segment * kFrames, kFrames);
          order.expect(segment, kFrames);
        }
      });
    EXPECT_EQ(take_all(order), frames_until(kSegments * kFrames)) << bytes;
  }
}

TEST(Order, ALaneThatFailsLeavesWhatAnotherGivesToTheEnd) {
  Order order(kWide, {});
  order.end(2);
  give_frames(order, 0, 0, 2);
  order.give(0, side(7), 1);
  const Order::Progress left = order.leave(0);
  EXPECT_FALSE(left.whole);
  EXPECT_EQ(left.frames, 2);
  EXPECT_EQ(left.sides, 1);
  give_frames(order, 0, 2, 1);
  EXPECT_TRUE(order.expect(0, 3));
  EXPECT_TRUE(order.leave(0).whole);
  EXPECT_FALSE(order.expect(1, 1));
  EXPECT_TRUE(order.give(1, frame(3)));
  EXPECT_EQ(take_all(order), (std::vector<std::string>{"f0", "s7", "f1", "f2", "f3"}));
  EXPECT_TRUE(order.leave(0).whole) << "taken long ago";
}

// A lane leaves the head (segment 0) without finishing it. If the items behind the head still
// waited, their lanes could never process the head again.
TEST(Order, LetsTheOthersGoOnBehindAHeadThatIsLeft) {
  Order order({1, 0}, {});
  order.end(2);
  Giver behind([&] { give_frames(order, 1, 50, 1); });
  EXPECT_FALSE(behind.given());
  EXPECT_FALSE(order.leave(0).whole);
  behind.join();
  order.expect(1, 1);
  order.expect(0, 0);
  EXPECT_EQ(take_all(order), (std::vector<std::string>{"f50"}));
}

TEST(Order, WaitsBehindAHeadThatWasDoneAgain) {
  Order order({1, 0}, {});
  EXPECT_FALSE(order.leave(1).whole);
  order.expect(1, 0);  // segment 1 is processed again before the head (segment 0) has ended
  Giver behind([&] { give_frames(order, 2, 50, 1); });
  give_frames(order, 0, 0, 1);
  EXPECT_EQ(name_of(order.next()), "f0");
  EXPECT_FALSE(behind.given());
  order.expect(0, 1);
  EXPECT_EQ(name_of(order.next()), "f50");
}

TEST(Order, RefusesWhatWouldFillTheMemoryBehindAHeadThatIsLeft) {
  Order order({1, 1000, 8}, {});
  EXPECT_FALSE(order.leave(0).whole);
  EXPECT_THROW(give_frames(order, 1, 0, 1000), Error);
}

TEST(Order, EndsEveryWaitWithAStop) {
  std::stop_source stop;
  Order full({1, 0}, stop.get_token());
  Order empty(kWide, stop.get_token());
  full.give(0, frame(0));
  full.give(0, side(0), 9);
  const std::vector<std::function<void()>> waits{
      [&] { full.give(0, frame(1)); },
      [&] { full.give(0, side(1), 9); },
      [&] { full.admit(1); },
      [&] { full.give(1, side(2), 0); },
      [&] { static_cast<void>(empty.next()); },
  };
  std::latch begun(std::ssize(waits));
  std::atomic<int> stopped = 0;
  std::vector<std::jthread> threads;
  for (const auto& wait : waits)
    threads.emplace_back([&begun, &stopped, &wait] {
      begun.count_down();
      try {
        wait();
      } catch (const Stopped&) {
        ++stopped;
      }
    });
  begun.wait();
  stop.request_stop();
  threads.clear();
  EXPECT_EQ(stopped, std::ssize(waits));
  // After the stop, even calls that needn't wait must throw.
  EXPECT_THROW(static_cast<void>(full.next()), Stopped);
  EXPECT_THROW(empty.give(0, frame(0)), Stopped);
}

TEST(Order, EndsASegmentWhoseEncoderLeftFramesOut) {
  Order order(kWide, {});
  give_frames(order, 0, 0, 3);
  order.expect(0, 5);
  order.complete(0);
  order.complete(1);  // before its frames are given
  give_frames(order, 1, 3, 1);
  order.expect(1, 2);
  give_frames(order, 2, 4, 1);
  order.expect(2, 1);
  order.end(3);
  EXPECT_EQ(take_all(order), frames_until(5));
}

TEST(Order, IgnoresThatASegmentIsCompleteWhichIsOver) {
  Order order(kWide, {});
  give_frames(order, 0, 0, 1);
  order.expect(0, 1);
  give_frames(order, 1, 1, 1);
  EXPECT_EQ(name_of(order.next()), "f0");
  EXPECT_EQ(name_of(order.next()), "f1");
  order.complete(0);
  order.expect(1, 1);
  order.end(2);
  EXPECT_EQ(name_of(order.next()), "end");
}

TEST(Order, PassesSegmentsWithoutFrames) {
  Order order(kWide, {});
  order.expect(0, 0);
  order.expect(1, 0);
  order.give(2, side(0), 3);
  order.expect(2, 0);
  give_frames(order, 3, 0, 1);
  order.expect(3, 1);
  order.expect(4, 0);
  order.end(5);
  EXPECT_THAT(take_all(order), ElementsAre("s0", "f0"));
  EXPECT_EQ(name_of(order.next()), "end") << "asked again";
}

TEST(Order, EndsWhereThereIsNoSegment) {
  Order order(kWide, {});
  order.end(0);
  EXPECT_EQ(name_of(order.next()), "end");
}

TEST(Order, EndsWheneverTheNumberOfSegmentsIsTold) {
  for (const bool first : {true, false}) {
    Order order(kWide, {});
    if (first) order.end(1);
    std::vector<std::string> names;
    std::latch waits(1);
    std::jthread taker([&] {
      waits.count_down();
      names = take_all(order);
    });
    waits.wait();
    give_frames(order, 0, 0, 2);
    order.expect(0, 2);
    if (!first) order.end(1);
    taker.join();
    EXPECT_EQ(names, frames_until(2)) << first;
  }
}

// The head's last frames need frames of the segments behind it, so Order must accept these frames.
TEST(Order, RefusesNothingThatTheHeadNeeds) {
  Order order({1, 0}, {});
  order.need(1);
  give_frames(order, 1, 10, 3);
  order.give(1, side(1), 0);
  order.expect(1, 3);
  give_frames(order, 0, 0, 1);
  order.expect(0, 1);
  order.end(2);
  EXPECT_THAT(take_all(order), ElementsAre("f0", "s1", "f10", "f11", "f12"));
}

// A packet can follow frames that its lane gives only after the packet.
TEST(Order, RefusesNoPacketsBetweenFramesThatWait) {
  Order order({1, 0}, {});
  order.need(0);
  for (const std::int64_t name : {0, 1, 2}) order.give(0, side(name), 1);
  give_frames(order, 0, 0, 1);
  order.expect(0, 1);
  order.end(1);
  EXPECT_THAT(take_all(order), ElementsAre("f0", "s0", "s1", "s2"));
}

TEST(Order, EndsWithASegmentOfWhichFramesAreLost) {
  Order order({2, 0}, {});
  order.need(2);
  give_frames(order, 2, 20, 3);
  give_frames(order, 0, 0, 2);
  order.expect(0, 2);
  order.end_with(1);
  order.admit(2);
  EXPECT_FALSE(order.give(2, frame(23))) << "it goes nowhere";
  order.give(3, side(3), 0);
  give_frames(order, 1, 10, 1);
  order.expect(1, 40);
  order.complete(1);
  order.end(4);
  EXPECT_THAT(take_all(order), ElementsAre("f0", "f1", "f10"));
}

}  // namespace
}  // namespace facepipe::pipeline
