// These tests check how many heaps the threads share, and on which stack the program runs.
#include "app/process_limits.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/sanitized.h"

namespace facepipe::app {
namespace {

/// Returns the number of heaps that glibc reports.
int heaps_in_use() {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  malloc_info(0, stream);
  std::fclose(stream);
  int heaps = 0;
  for (std::string_view rest(text, size); rest.find("<heap nr=") != std::string_view::npos; ++heaps)
    rest.remove_prefix(rest.find("<heap nr=") + 1);
  std::free(text);  // NOLINT(cppcoreguidelines-no-malloc): open_memstream() requires free()
  return heaps;
}

int heaps_of_many_threads() {
  constexpr int kThreads = 8;
  std::latch all(kThreads);
  std::vector<std::unique_ptr<char[]>> memory(kThreads);
  std::vector<std::jthread> threads;
  for (std::unique_ptr<char[]>& its : memory)
    threads.emplace_back([&all, &its] {
      its = std::make_unique<char[]>(100);
      all.arrive_and_wait();
    });
  threads.clear();
  return heaps_in_use();
}

bool counts_heaps() {
  return !test::kSanitized && std::getenv("MALLOC_ARENA_MAX") == nullptr &&
         std::getenv("GLIBC_TUNABLES") == nullptr;
}

// The heaps are counted in a new process, because glibc never frees a heap that it has made.
TEST(ProcessLimitsDeathTest, D12ThreadsShareFewHeaps) {
  if (!counts_heaps())
    GTEST_SKIP() << "a sanitizer or the environment decides how many heaps there are";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((bound_heaps(), std::exit(heaps_of_many_threads() <= 8 ? 0 : 1)),
              testing::ExitedWithCode(0), "");
}

TEST(ProcessLimitsDeathTest, D12WhatTheUserHasSetStays) {
  if (!counts_heaps())
    GTEST_SKIP() << "a sanitizer or the environment decides how many heaps there are";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      (setenv("MALLOC_ARENA_MAX", "64", 1), bound_heaps(), std::exit(heaps_of_many_threads())),
      testing::ExitedWithCode(9), "");
}

std::size_t stack_of_this_thread() {
  pthread_attr_t attributes{};
  pthread_getattr_np(pthread_self(), &attributes);
  void* begin = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  return size;
}

TEST(ProcessLimitsDeathTest, C7WorkAndItsThreadsHaveStacksWhateverTheLimit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto work = [] {
    std::size_t others = 0;
    std::jthread([&others] { others = stack_of_this_thread(); }).join();
    constexpr std::size_t kEnough = std::size_t{8} << 20U;
    return stack_of_this_thread() >= kEnough && others >= kEnough ? 42 : 1;
  };
  EXPECT_EXIT(
      {
        rlimit limit{};
        getrlimit(RLIMIT_STACK, &limit);
        limit.rlim_cur = 128 << 10;
        setrlimit(RLIMIT_STACK, &limit);
        std::exit(with_enough_stack(work));
      },
      testing::ExitedWithCode(42), "");
}

TEST(ProcessLimits, C7WithEnoughOfItTheStackStays) {
  const std::thread::id here = std::this_thread::get_id();
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  const bool enough = limit.rlim_cur >= (8U << 20U);
  EXPECT_EQ(with_enough_stack([&] { return std::this_thread::get_id() == here ? 1 : 2; }),
            enough ? 1 : 2);
}

}  // namespace
}  // namespace facepipe::app
