#include "core/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace facepipe {
namespace {

TEST(Workers, DoEachPartOnce) {
  for (const int threads : {1, 2, 7}) {
    Workers workers(threads);
    EXPECT_EQ(workers.threads(), threads);
    for (const std::size_t parts : {0U, 1U, 2U, 1000U}) {
      std::vector<int> done(parts);
      workers.run(parts, [&](std::size_t part, int thread) {
        EXPECT_TRUE(thread >= 0 && thread < threads);
        ++done[part];
      });
      EXPECT_EQ(done, std::vector<int>(parts, 1)) << threads;
    }
  }
}

TEST(Workers, WorkAtOnce) {
  Workers workers(3);
  std::atomic<int> there = 0;
  workers.run(3, [&](std::size_t, int) {
    ++there;
    while (there < 3)
      std::this_thread::yield();  // the loop ends only when all three threads have
                                  // arrived
  });
  EXPECT_EQ(there, 3);
}

TEST(Workers, LeaveTheFirstPartToTheCaller) {
  Workers workers(3);
  for (int round = 0; round < 100; ++round) {
    std::thread::id first;
    workers.run(3, [&](std::size_t part, int thread) {
      if (part != 0) return;
      EXPECT_EQ(thread, 0);
      first = std::this_thread::get_id();
    });
    EXPECT_EQ(first, std::this_thread::get_id());
  }
}

TEST(Workers, GiveNoTwoPartsOneThreadAtOnce) {
  Workers workers(4);
  std::vector<std::atomic<int>> inside(4);
  workers.run(500, [&](std::size_t, int thread) {
    EXPECT_EQ(++inside[static_cast<std::size_t>(thread)], 1);
    std::this_thread::yield();
    --inside[static_cast<std::size_t>(thread)];
  });
}

TEST(Workers, ThrowTheFirstFailureAndWorkOn) {
  Workers workers(3);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> begun = 0;
    try {
      workers.run(10000, [&](std::size_t part, int) {
        ++begun;
        if (part == 5) throw std::runtime_error("part 5");
        // Without this sleep, the other threads could finish all parts before the thread of part 5
        // runs.
        if (part > 5) std::this_thread::sleep_for(std::chrono::microseconds(100));
      });
      ADD_FAILURE() << "no exception";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()), "part 5");
    }
    EXPECT_LT(begun, 10000);
    std::atomic<int> done = 0;
    workers.run(10, [&](std::size_t, int) { ++done; });
    EXPECT_EQ(done, 10);
  }
}

TEST(Workers, ServeSeveralThreads) {
  Workers workers(2);
  std::vector<std::size_t> sums(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t& sum : sums)
      threads.emplace_back([&workers, &sum] {
        for (int round = 0; round < 50; ++round) {
          std::vector<std::size_t> parts(100);
          workers.run(parts.size(), [&](std::size_t part, int) { parts[part] = part; });
          sum += std::accumulate(parts.begin(), parts.end(), std::size_t{0});
        }
      });
  }
  for (const std::size_t sum : sums) EXPECT_EQ(sum, 50U * 4950U);
}

}  // namespace
}  // namespace facepipe
