// Checks a thrown facepipe::Error, and the error that a program prints.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "core/error.h"
#include "tests/support/clips.h"

namespace facepipe::test {

/// Expects that `work` throws an Error of `kind`, whose text is one line that contains `text`.
inline void expect_error(ErrorKind kind, const std::string& text,
                         const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << "nothing was thrown; expected: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(kind)) << error.what();
    EXPECT_THAT(error.what(), testing::HasSubstr(text));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("\n")));
  }
}

/// Expects that a program ended with the exit code `code` and wrote exactly one line to stderr,
/// which contains `reason`.
inline void expect_refused(const CommandResult& result, int code, const std::string& reason) {
  EXPECT_EQ(result.exit_code, code) << result.err;
  EXPECT_THAT(result.err, testing::HasSubstr(reason));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_THAT(result.err, testing::EndsWith("\n"));
}

}  // namespace facepipe::test
