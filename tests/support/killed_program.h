// Runs code like a program that is killed in the middle of its work.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace facepipe::test {

/// Calls work() in another process and then ends this process as kill -9 would: no destructor runs.
inline void in_killed_program(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
}

}  // namespace facepipe::test
