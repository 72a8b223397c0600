#include "pipeline/lanes/runner.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "core/permit_pool.h"
#include "pipeline/lanes/channel.h"

namespace facepipe::pipeline {
namespace {

using std::chrono_literals::operator""ms;

TEST(Channel, GivesItemsInOrderAndEnds) {
  Channel<int> channel(3, {});
  channel.push(1);
  channel.push(2);
  channel.close();
  EXPECT_EQ(channel.pop(), 1);
  EXPECT_EQ(channel.pop(), 2);
  EXPECT_EQ(channel.pop(), std::nullopt);
  EXPECT_EQ(channel.pop(), std::nullopt);
}

TEST(Channel, EndsWhenEveryProducerHasClosed) {
  Channel<int> channel(8, {}, 2);
  channel.close();
  channel.push(7);
  channel.close();
  EXPECT_EQ(channel.pop(), 7);
  EXPECT_EQ(channel.pop(), std::nullopt);
}

TEST(Channel, RefusesItemsAfterAStop) {
  std::stop_source stop;
  Channel<int> channel(1, stop.get_token());
  stop.request_stop();
  EXPECT_THROW(channel.push(1), Stopped);
  EXPECT_THROW((void)channel.pop(), Stopped);
}

/// Counts how many objects of this type exist.
struct Counted {
  static inline std::atomic<int> live = 0;
  Counted() { ++live; }
  ~Counted() { --live; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
};
using Item = std::unique_ptr<Counted>;

/// Runs a source, three stages and a sink. The stage with the number `failing` throws at its tenth
/// item.
void run_chain(int failing, int items) {
  constexpr int kStages = 5;
  Runner runner;
  std::deque<Channel<Item>> channels;
  for (int i = 1; i < kStages; ++i) channels.emplace_back(2, runner.failed());
  const auto meet = [&](int stage, int count) {
    if (stage == failing && count == 10) throw std::runtime_error("stage " + std::to_string(stage));
  };
  runner.add("source", [&] {
    for (int i = 0; i < items; ++i) {
      meet(0, i);
      channels[0].push(std::make_unique<Counted>());
    }
    channels[0].close();
  });
  for (int stage = 1; stage < kStages; ++stage)
    runner.add("stage" + std::to_string(stage), [&, stage] {
      auto& in = channels[static_cast<std::size_t>(stage - 1)];
      int count = 0;
      while (std::optional<Item> item = in.pop()) {
        meet(stage, count++);
        if (stage < kStages - 1) channels[static_cast<std::size_t>(stage)].push(std::move(*item));
      }
      if (stage < kStages - 1) channels[static_cast<std::size_t>(stage)].close();
    });
  runner.run();
}

class FailingStage : public testing::TestWithParam<int> {};

TEST_P(FailingStage, EndsTheRunWithItsExceptionAndNothingLeftAlive) {
  // The test repeats the run, because a lost wake-up happens only sometimes.
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      run_chain(GetParam(), 1000);
      FAIL() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "stage " + std::to_string(GetParam()));
    }
    EXPECT_EQ(Counted::live, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, FailingStage, testing::Values(0, 1, 2, 3, 4));

TEST(Runner, EndsWithoutFailure) {
  EXPECT_NO_THROW(run_chain(-1, 1000));
  EXPECT_EQ(Counted::live, 0);
}

TEST(Runner, FailureWakesAWaitForAPermit) {
  Runner runner;
  PermitPool pool(1);
  const PermitPool::Permit held = pool.acquire(runner.failed());  // the waiter never gets this
                                                                  // permit
  runner.add("failing", [] {
    std::this_thread::sleep_for(5ms);
    throw std::runtime_error("failed");
  });
  runner.add("waiter", [&] { (void)pool.acquire(runner.failed()); });
  EXPECT_THROW(runner.run(), std::runtime_error);
}

/// The first two stages wait for a value that nobody sends. The thread of the third stage can't be
/// started, and this error must end both stages.
TEST(Runner, AThreadThatCantBeStartedEndsTheStagesThatRun) {
  int started = 0;
  Runner runner([&](std::function<void()> body) {
    if (++started == 3) throw Error(ErrorKind::internal, "can't start a thread: nobody there");
    return std::jthread(std::move(body));
  });
  Channel<int> channel(1, runner.failed());
  std::atomic<int> stopped = 0;
  for (const char* const name : {"first", "second", "third"})
    runner.add(name, [&] {
      try {
        static_cast<void>(channel.pop());
      } catch (const Stopped&) {
        ++stopped;
        throw;
      }
    });
  try {
    runner.run();
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "can't start a thread: nobody there");
  }
  EXPECT_EQ(started, 3);
  EXPECT_EQ(stopped, 2);
}

}  // namespace
}  // namespace facepipe::pipeline
