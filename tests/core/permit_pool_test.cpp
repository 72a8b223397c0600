#include "core/permit_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"

namespace facepipe {
namespace {

using namespace std::chrono_literals;

TEST(PermitPool, NumbersAreDistinctAndInRange) {
  PermitPool pool(4);
  std::vector<PermitPool::Permit> permits;
  std::set<int> numbers;
  for (int i = 0; i < 4; ++i) {
    permits.push_back(pool.acquire({}));
    numbers.insert(permits.back().number());
  }
  EXPECT_EQ(numbers, (std::set<int>{0, 1, 2, 3}));
}

TEST(PermitPool, AReleasedNumberIsGivenAgain) {
  PermitPool pool(2);
  const PermitPool::Permit kept = pool.acquire({});
  int number = -1;
  {
    const PermitPool::Permit lent = pool.acquire({});
    number = lent.number();
  }
  EXPECT_EQ(pool.acquire({}).number(), number);
}

TEST(PermitPool, AnEmptyPermitIsFalse) {
  PermitPool pool(1);
  PermitPool::Permit permit;
  EXPECT_FALSE(permit);
  permit = pool.acquire({});
  EXPECT_TRUE(permit);
  permit.release();
  EXPECT_FALSE(permit);
  permit.release();  // the second call does nothing
  EXPECT_TRUE(pool.acquire({}));
}

TEST(PermitPool, MovingAPermitReleasesItOnlyOnce) {
  PermitPool pool(2);
  PermitPool::Permit first = pool.acquire({});
  PermitPool::Permit second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): the test checks the moved-from permit
  EXPECT_TRUE(second);
  PermitPool::Permit& same = second;
  second = std::move(same);
  EXPECT_TRUE(second);
  second = pool.acquire({});  // this assignment returns the first permit
  const PermitPool::Permit third = pool.acquire({});
  EXPECT_NE(second.number(), third.number());
}

TEST(PermitPool, AWaiterGetsWhatAnotherThreadReleases) {
  PermitPool pool(1);
  std::optional<PermitPool::Permit> held(pool.acquire({}));
  std::atomic<bool> got = false;
  std::jthread waiter([&](const std::stop_token& stop) {
    const PermitPool::Permit permit = pool.acquire(stop);
    got = true;
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(got);
  held.reset();
  waiter.join();
  EXPECT_TRUE(got);
}

TEST(PermitPool, AStopEndsTheWait) {
  PermitPool pool(1);
  const PermitPool::Permit held = pool.acquire({});
  std::atomic<bool> stopped = false;
  std::jthread waiter([&](const std::stop_token& stop) {
    try {
      (void)pool.acquire(stop);
    } catch (const Stopped&) {
      stopped = true;
    }
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(stopped);
  waiter.request_stop();
  waiter.join();
  EXPECT_TRUE(stopped);
}

TEST(PermitPool, AStopBeforeTheWaitThrowsAtOnceAndLosesNoPermit) {
  PermitPool pool(1);
  std::stop_source source;
  source.request_stop();
  {
    const PermitPool::Permit held = pool.acquire({});
    EXPECT_THROW((void)pool.acquire(source.get_token()), Stopped);
  }
  EXPECT_TRUE(pool.acquire({}));
}

TEST(PermitPool, PermitsOutliveTheirPool) {
  auto pool = std::make_unique<PermitPool>(2);
  PermitPool::Permit first = pool->acquire({});
  PermitPool::Permit second = pool->acquire({});
  pool.reset();
  EXPECT_EQ(first.number() + second.number(), 1);
  first.release();  // the pool no longer exists; the address sanitizer reports any use of its
                    // memory
  second = {};
}

TEST(PermitPool, NeverMoreThanCountAreOut) {
  constexpr int kCount = 3;
  PermitPool pool(kCount);
  std::atomic<int> out = 0;
  std::atomic<int> most = 0;
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const PermitPool::Permit permit = pool.acquire({});
        const int now = ++out;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) {
        }
        --out;
      }
    });
  threads.clear();
  EXPECT_LE(most, kCount);
  EXPECT_EQ(out, 0);
}

TEST(PermitPool, AreGivenToWhoWantsTheirNumber) {
  PermitPool pool(3);
  const auto odd = [](int number) { return number % 2 != 0; };
  PermitPool::Permit first = pool.acquire({}, odd);
  EXPECT_EQ(first.number(), 1);
  std::stop_source never;
  never.request_stop();
  EXPECT_THROW((void)pool.acquire(never.get_token(), odd), Stopped) << "the others are free";
  const PermitPool::Permit other = pool.acquire({});
  int got = -1;
  std::jthread waiting([&] { got = pool.acquire({}, odd).number(); });
  first.release();
  waiting.join();
  EXPECT_EQ(got, 1);
}

}  // namespace
}  // namespace facepipe
