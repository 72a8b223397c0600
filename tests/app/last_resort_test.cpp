// These tests check that after an uncaught error the program prints one line, calls the hook of
// at_terminate(), and ends with exit code 1.
#include "app/failure.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

namespace facepipe::app {
namespace {

void fail(const std::string& text) { throw std::runtime_error(text); }
void fail_from_nowhere(const std::string& text) noexcept { fail(text); }

TEST(LastResortDeathTest, AnExceptionThatNobodyCatchesIsOneLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        install_last_resort();
        fail_from_nowhere("a plug-in\nfailed");
      },
      testing::ExitedWithCode(1), "^facepipe: error: a plug-in failed\n$");
}

TEST(LastResortDeathTest, OneOfAnotherThreadToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        install_last_resort();
        std::thread([] { throw std::bad_alloc(); }).join();
      },
      testing::ExitedWithCode(1), "^facepipe: error: out of memory\n$");
}

TEST(LastResortDeathTest, RunsTheHookOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        install_last_resort();
        at_terminate([] { [[maybe_unused]] const auto n = write(STDERR_FILENO, "removed\n", 8); });
        std::terminate();
      },
      testing::ExitedWithCode(1), "^facepipe: error: ended by std::terminate\nremoved\n$");
}

TEST(LastResortDeathTest, ALibraryThatAbortsToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        install_last_resort();
        at_terminate([] { [[maybe_unused]] const auto n = write(STDERR_FILENO, "removed\n", 8); });
        std::abort();
      },
      testing::ExitedWithCode(1),
      "^facepipe: error: a library has aborted the program\nremoved\n$");
}

TEST(ReasonOf, NamesWhatTheSystemLacks) {
  EXPECT_EQ(reason_of(std::bad_alloc()), "out of memory");
  EXPECT_EQ(reason_of(std::runtime_error("two\nlines")), "two lines");
  const std::system_error threads(std::make_error_code(std::errc::resource_unavailable_try_again));
  EXPECT_EQ(reason_of(threads), "can't start a thread: Resource temporarily unavailable");
}

}  // namespace
}  // namespace facepipe::app
