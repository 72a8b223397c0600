// Runs a program as a user would: arguments in; exit code, stdout and stderr out.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/app/temp_dir.h"

namespace facepipe::test {

struct ProcessResult {
  int code = -1;  ///< exit code, or minus the signal that ended it
  std::string out;
  std::string err;
};

/// @param arguments the program's path first
inline ProcessResult run_process(std::vector<std::string> arguments) {
  const TempDir dir;
  const std::string out = dir / "out";
  const std::string err = dir / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kNew = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), kNew, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), kNew, 0600);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int spawned = posix_spawn(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) {
    ADD_FAILURE() << "can't start " << arguments[0];
    return {};
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_file(out),
          read_file(err)};
}

}  // namespace facepipe::test
