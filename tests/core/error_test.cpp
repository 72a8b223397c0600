#include "core/error.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace facepipe {
namespace {

TEST(Error, CarriesKindAndMessage) {
  const Error error(ErrorKind::input, "a.mp4: no video stream");
  EXPECT_EQ(error.kind(), ErrorKind::input);
  EXPECT_STREQ(error.what(), "a.mp4: no video stream");
}

TEST(Error, IsCaughtAsRuntimeError) {
  try {
    throw Error(ErrorKind::output, "b.mp4: disk full");
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "b.mp4: disk full");
  }
}

// docs/exit-codes.md and --help promise these numbers.
TEST(Error, KindsAreTheDocumentedExitCodes) {
  const std::vector<std::pair<ErrorKind, int>> codes{
      {ErrorKind::internal, 1}, {ErrorKind::usage, 2},  {ErrorKind::input, 3},
      {ErrorKind::device, 4},   {ErrorKind::output, 5},
  };
  for (const auto& [kind, code] : codes) EXPECT_EQ(exit_code(kind), code);
}

TEST(Error, StoppedIsNoErrorOfAKind) {
  try {
    throw Stopped();
  } catch (const Error&) {
    FAIL() << "a stop was taken for a failure";
  } catch (const std::exception& stopped) {
    EXPECT_STREQ(stopped.what(), "stopped");
  }
}

}  // namespace
}  // namespace facepipe
