#include "core/slots.h"

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

TEST(Slots, NumbersAreDistinctAndInRange) {
  Slots slots(4);
  std::vector<Slots::Permit> permits;
  std::set<int> numbers;
  for (int i = 0; i < 4; ++i) {
    permits.push_back(slots.acquire({}));
    numbers.insert(permits.back().number());
  }
  EXPECT_EQ(numbers, (std::set<int>{0, 1, 2, 3}));
}

TEST(Slots, AReleasedNumberIsGivenAgain) {
  Slots slots(2);
  const Slots::Permit kept = slots.acquire({});
  int number = -1;
  {
    const Slots::Permit lent = slots.acquire({});
    number = lent.number();
  }
  EXPECT_EQ(slots.acquire({}).number(), number);
}

TEST(Slots, AnEmptyPermitIsFalse) {
  Slots slots(1);
  Slots::Permit permit;
  EXPECT_FALSE(permit);
  permit = slots.acquire({});
  EXPECT_TRUE(permit);
  permit.release();
  EXPECT_FALSE(permit);
  permit.release();  // a second call does nothing
  EXPECT_TRUE(slots.acquire({}));
}

TEST(Slots, MovingAPermitReleasesItOnlyOnce) {
  Slots slots(2);
  Slots::Permit first = slots.acquire({});
  Slots::Permit second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): what a moved-from permit is
  EXPECT_TRUE(second);
  Slots::Permit& same = second;
  second = std::move(same);
  EXPECT_TRUE(second);
  second = slots.acquire({});  // this assignment returns the first permit
  const Slots::Permit third = slots.acquire({});
  EXPECT_NE(second.number(), third.number());
}

TEST(Slots, AWaiterGetsWhatAnotherThreadReleases) {
  Slots slots(1);
  std::optional<Slots::Permit> held(slots.acquire({}));
  std::atomic<bool> got = false;
  std::jthread waiter([&](const std::stop_token& stop) {
    const Slots::Permit permit = slots.acquire(stop);
    got = true;
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(got);
  held.reset();
  waiter.join();
  EXPECT_TRUE(got);
}

TEST(Slots, AStopEndsTheWait) {
  Slots slots(1);
  const Slots::Permit held = slots.acquire({});
  std::atomic<bool> stopped = false;
  std::jthread waiter([&](const std::stop_token& stop) {
    try {
      (void)slots.acquire(stop);
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

TEST(Slots, AStopBeforeTheWaitThrowsAtOnceAndLosesNoPermit) {
  Slots slots(1);
  std::stop_source source;
  source.request_stop();
  {
    const Slots::Permit held = slots.acquire({});
    EXPECT_THROW((void)slots.acquire(source.get_token()), Stopped);
  }
  EXPECT_TRUE(slots.acquire({}));
}

TEST(Slots, PermitsOutliveTheirSlots) {
  auto slots = std::make_unique<Slots>(2);
  Slots::Permit first = slots->acquire({});
  Slots::Permit second = slots->acquire({});
  slots.reset();
  EXPECT_EQ(first.number() + second.number(), 1);
  first.release();  // the address sanitizer would report a use after free
  second = {};
}

TEST(Slots, NeverMoreThanCountAreOut) {
  constexpr int kCount = 3;
  Slots slots(kCount);
  std::atomic<int> out = 0;
  std::atomic<int> most = 0;
  std::vector<std::jthread> threads;
  threads.reserve(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const Slots::Permit permit = slots.acquire({});
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

TEST(Slots, AreGivenToWhoWantsTheirNumber) {
  Slots slots(3);
  const auto odd = [](int number) { return number % 2 != 0; };
  Slots::Permit first = slots.acquire({}, odd);
  EXPECT_EQ(first.number(), 1);
  std::stop_source never;
  never.request_stop();
  EXPECT_THROW((void)slots.acquire(never.get_token(), odd), Stopped) << "the others are free";
  const Slots::Permit other = slots.acquire({});
  int got = -1;
  std::jthread waiting([&] { got = slots.acquire({}, odd).number(); });
  first.release();
  waiting.join();
  EXPECT_EQ(got, 1);
}

}  // namespace
}  // namespace facepipe
