// These tests check Ctrl-C: the first signal asks the program to stop, and the second signal ends
// it.
#include "app/stop_signals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace facepipe::app {
namespace {

using namespace std::chrono_literals;

bool stops_within(const std::stop_token& token, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!token.stop_requested() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(1ms);
  return token.stop_requested();
}

class StopSignalsTest : public testing::TestWithParam<int> {};

TEST_P(StopSignalsTest, FirstSignalRequestsAStop) {
  const StopSignals signals;
  EXPECT_FALSE(signals.token().stop_requested());
  std::raise(GetParam());
  EXPECT_TRUE(stops_within(signals.token(), 5s));
}

TEST_P(StopSignalsTest, SecondSignalEndsTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const StopSignals signals;
        std::raise(SIGINT);
        std::raise(GetParam());
      },
      testing::KilledBySignal(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, StopSignalsTest, testing::Values(SIGINT, SIGTERM, SIGHUP));

/// nohup makes the system ignore SIGHUP before it starts a program.
TEST(StopSignals, AHangupThatWasIgnoredStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  {
    const StopSignals signals;
    std::raise(SIGHUP);
    std::raise(SIGINT);  // this signal must still work
    EXPECT_TRUE(stops_within(signals.token(), 5s));
    std::raise(SIGHUP);  // this signal must not make a second request
  }
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

TEST(StopSignals, EndsQuietlyAndMayBeMadeAgain) {
  for (int i = 0; i < 3; ++i) {
    const StopSignals signals;
    EXPECT_FALSE(signals.token().stop_requested());
  }
  struct sigaction now {};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

}  // namespace
}  // namespace facepipe::app
