// These tests check TrackQueue, the queue before the tracker. It must keep the order of the stream,
// answer in the order of each lane's frames, and end. It must never block the segment whose turn it
// is.
#include "pipeline/lanes/track_queue.h"

#include <gmock/gmock.h>

#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/expect_error.h"

namespace facepipe::pipeline {
namespace {

using testing::ElementsAre;

constexpr TrackQueue::Limits kWide{1000, 1000, false};
constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

void ignore(std::int64_t /*head*/) {}

/// Uses the queue like a lane. Frames are only numbers.
class TestLane {
 public:
  explicit TestLane(TrackQueue& queue) : queue_(queue) {}

  /// Returns false if the queue no longer wants frames.
  bool admit(std::int64_t segment) {
    std::optional<TrackQueue::Room> room = queue_.admit(segment, {});
    if (room) rooms_.push_back(std::move(*room));
    return room.has_value();
  }
  /// Gives the first frame that was admitted but not given yet.
  void give(std::int64_t index) {
    TrackQueue::Given given;
    given.frame.index = index;
    queue_.give(rooms_[given_++], std::move(given), answers_);
  }
  bool admit_and_give(std::int64_t segment, std::int64_t index) {
    if (!admit(segment)) return false;
    give(index);
    return true;
  }
  /// Takes the answer to the first given frame, and removes the frame. Returns its index in the
  /// stream, or -1 if there is no verdict.
  std::int64_t leave() {
    const std::optional<Verdict> verdict = *answers_.pop();
    rooms_.pop_front();
    --given_;
    return verdict ? verdict->index : -1;
  }

 private:
  TrackQueue& queue_;
  TrackQueue::Answers answers_{kUnbounded, {}};
  std::deque<TrackQueue::Room> rooms_;
  std::size_t given_ = 0;
};

/// Takes the next frame and returns its index, or -1 at the end.
std::int64_t take(TrackQueue& queue) {
  const std::optional<TrackQueue::Given> given = queue.next();
  return given ? given->frame.index : -1;
}
void answer(TrackQueue& queue, std::int64_t index) {
  Verdict verdict;
  verdict.index = index;
  queue.answer(std::move(verdict));
}

TEST(TrackQueue, GivesSegmentsInOrderAndEachLaneItsAnswers) {
  std::vector<std::int64_t> heads;
  TrackQueue queue(kWide, [&](std::int64_t head) { heads.push_back(head); }, {});
  TestLane one(queue);
  TestLane other(queue);
  for (const int i : {2, 3}) EXPECT_TRUE(other.admit_and_give(1, i));
  queue.expect(1, 2);
  for (const int i : {0, 1}) EXPECT_TRUE(one.admit_and_give(0, i));
  queue.expect(0, 2);
  EXPECT_TRUE(one.admit_and_give(2, 4));
  queue.expect(2, 1);
  queue.end(3);
  for (const int i : {0, 1, 2, 3, 4, -1}) EXPECT_EQ(take(queue), i);
  EXPECT_THAT(heads, ElementsAre(0, 1, 2, 3));
  for (int i = 0; i < 5; ++i) answer(queue, i);
  queue.finish();
  for (const int i : {0, 1, 4}) EXPECT_EQ(one.leave(), i);
  for (const int i : {2, 3}) EXPECT_EQ(other.leave(), i);
}

TEST(TrackQueue, GivesNoMoreFramesOnceThereAreNoMoreVerdicts) {
  TrackQueue queue(kWide, ignore, {});
  TestLane lane(queue);
  EXPECT_TRUE(lane.admit_and_give(0, 0));
  EXPECT_EQ(take(queue), 0);
  // This call begins before or after finish().
  std::jthread taker([&] { EXPECT_EQ(take(queue), -1); });
  queue.finish();
  taker.join();
  EXPECT_FALSE(lane.admit(0));
  EXPECT_EQ(take(queue), -1);
  EXPECT_EQ(lane.leave(), -1);
}

TEST(TrackQueue, RefusesAVerdictOnAFrameThatNobodyGave) {
  TrackQueue queue(kWide, ignore, {});
  test::expect_error(ErrorKind::internal, "nobody gave", [&] { answer(queue, 0); });
}

/// Returns whether the queue admits the segment's next frame without waiting.
bool has_room(TrackQueue& queue, std::int64_t segment) {
  std::stop_source stop;
  std::atomic<bool> in = false;
  std::jthread asking([&] {
    try {
      in = queue.admit(segment, stop.get_token()).has_value();
    } catch (const Stopped&) {
    }
  });
  for (int i = 0; i < 50 && !in; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  stop.request_stop();
  asking.join();
  return in;
}

TEST(TrackQueue, LeavesRoomToTheHead) {
  TrackQueue queue({5, 3, false}, ignore, {});
  TestLane head(queue);
  TestLane behind(queue);
  for (const int i : {10, 11, 12}) EXPECT_TRUE(behind.admit_and_give(1, i));
  EXPECT_FALSE(has_room(queue, 1));
  for (const int i : {0, 1}) EXPECT_TRUE(head.admit_and_give(0, i));
  EXPECT_FALSE(has_room(queue, 0)) << "two of its frames are still to be taken";
  EXPECT_EQ(take(queue), 0);
  EXPECT_FALSE(has_room(queue, 0)) << "one is";
  EXPECT_EQ(take(queue), 1);
  EXPECT_TRUE(has_room(queue, 0)) << "or nobody would ever know of the others";
  answer(queue, 0);
  EXPECT_FALSE(has_room(queue, 0)) << "one is about to leave";
  EXPECT_EQ(head.leave(), 0);
  EXPECT_TRUE(has_room(queue, 0));
  EXPECT_FALSE(has_room(queue, 1));
}

// If the search in a frame fails, the frame is removed without being given.
TEST(TrackQueue, CountsWhatLeavesWithoutBeingGiven) {
  TrackQueue queue({2, 1, false}, ignore, {});
  TestLane behind(queue);
  EXPECT_TRUE(behind.admit_and_give(1, 10));
  {
    const std::optional<TrackQueue::Room> lost = queue.admit(0, {});
    EXPECT_FALSE(has_room(queue, 0));
  }
  EXPECT_TRUE(has_room(queue, 0));
  TestLane head(queue);
  EXPECT_TRUE(head.admit_and_give(0, 0));
  EXPECT_EQ(take(queue), 0);
  EXPECT_TRUE(has_room(queue, 0)) << "nothing else leaves";
}

TEST(TrackQueue, MayCountFramesUntilTheyAreTaken) {
  TrackQueue queue({2, 1, true}, ignore, {});
  TestLane lane(queue);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(lane.admit_and_give(0, i));
    EXPECT_EQ(take(queue), i);
  }
  EXPECT_TRUE(has_room(queue, 1));
  EXPECT_TRUE(lane.admit_and_give(0, 10));
  EXPECT_TRUE(lane.admit_and_give(0, 11));
  EXPECT_FALSE(has_room(queue, 0));
}

// A lane must get its answers in the order of its frames, even if some frames get no verdict.
TEST(TrackQueue, EndsWithASegmentThatFails) {
  TrackQueue queue(kWide, ignore, {});
  TestLane failing(queue);
  TestLane other(queue);
  EXPECT_TRUE(other.admit_and_give(0, 0));
  queue.expect(0, 1);
  EXPECT_TRUE(other.admit_and_give(2, 20));
  EXPECT_TRUE(failing.admit_and_give(1, 10));
  EXPECT_TRUE(other.admit(2));
  queue.end_with(1);
  EXPECT_FALSE(other.admit(2)) << "nobody wants it";
  other.give(21);
  EXPECT_TRUE(failing.admit_and_give(1, 11));
  queue.expect(1, 40);
  queue.complete(1);
  queue.end(7);
  for (const int i : {0, 10, 11, -1}) EXPECT_EQ(take(queue), i);
  for (const int i : {0, 10, 11}) answer(queue, i);
  queue.finish();
  EXPECT_EQ(other.leave(), 0);
  for (const int i : {20, 21}) EXPECT_EQ(other.leave(), -1) << i;
  for (const int i : {10, 11}) EXPECT_EQ(failing.leave(), i);
}

TEST(TrackQueue, AnswersNothingMoreWhenItsTakerHasFailed) {
  TrackQueue queue(kWide, ignore, {});
  TestLane lane(queue);
  for (const int i : {0, 1, 2}) EXPECT_TRUE(lane.admit_and_give(0, i));
  EXPECT_TRUE(lane.admit(0));
  for (const int i : {0, 1}) EXPECT_EQ(take(queue), i);
  answer(queue, 0);
  queue.finish();
  lane.give(3);
  EXPECT_EQ(lane.leave(), 0);
  for (const int i : {1, 2, 3}) EXPECT_EQ(lane.leave(), -1) << i;
  EXPECT_FALSE(lane.admit(0));
}

TEST(TrackQueue, AStopEndsEveryWait) {
  std::stop_source stop;
  TrackQueue queue({1, 0, false}, ignore, stop.get_token());
  std::jthread taking([&] { EXPECT_THROW((void)queue.next(), Stopped); });
  std::jthread asking([&] { EXPECT_THROW((void)queue.admit(1, stop.get_token()), Stopped); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  stop.request_stop();
}

// Lanes take segments in turn, with the smallest limits.
TEST(TrackQueue, NoLanesWaitForEachOther) {
  constexpr std::int64_t kSegments = 40;
  constexpr std::int64_t kFrames = 7;
  constexpr std::size_t kAhead = 3;
  for (const int behind : {0, 2, 10}) {
    TrackQueue queue({behind + static_cast<int>(kAhead) + 1, behind, false}, ignore, {});
    std::atomic<std::int64_t> next_segment = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        TrackQueue::Answers answers{kUnbounded, {}};
        Channel<TrackQueue::Room> waiting{kUnbounded, {}};
        std::jthread leaving([&] {
          while (std::optional<TrackQueue::Room> room = waiting.pop()) (void)answers.pop();
        });
        for (std::int64_t s = next_segment++; s < kSegments; s = next_segment++) {
          for (std::int64_t f = 0; f < kFrames; ++f) {
            TrackQueue::Room room = *queue.admit(s, {});
            TrackQueue::Given frame;
            frame.frame.index = s * kFrames + f;
            queue.give(room, std::move(frame), answers);
            waiting.push(std::move(room));
          }
          queue.expect(s, kFrames);
        }
        waiting.close();
      });
    queue.end(kSegments);
    std::deque<std::int64_t> waiting;
    for (std::int64_t i = 0; i < kSegments * kFrames; ++i) {
      ASSERT_EQ(take(queue), i);
      waiting.push_back(i);
      if (waiting.size() <= kAhead) continue;
      answer(queue, waiting.front());
      waiting.pop_front();
    }
    EXPECT_EQ(take(queue), -1);
    for (const std::int64_t index : waiting) answer(queue, index);
    queue.finish();
  }
}

}  // namespace
}  // namespace facepipe::pipeline
