// These tests limit child processes, because nothing can free a process that has been limited.
#include "app/sandbox/landlock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/sandbox/seccomp.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

constexpr int kLimitFailed = 200;

class LimitedFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (test::kSanitized || landlock_version() == 0 || !can_limit_calls())
      GTEST_SKIP() << "this kernel or this build can't limit a process";
    for (const char* const name : {"read/file", "write/file", "other/file", "write/empty/file"})
      static_cast<void>(dir_.write(name));
    fs::remove(dir_ / "write/empty/file");
    fs::create_directory(dir_ / "read/empty");
  }

  /// Returns the errno of a system call in a child that is limited to the folders "read" and
  /// "write"; 0 if the call succeeds.
  [[nodiscard]] int code_of(const std::function<int()>& call,
                            std::vector<AllowedPath> more = {}) const {
    more.push_back({dir_ / "read", FileAccess::read});
    more.push_back({dir_ / "write", FileAccess::write});
    const pid_t child = fork();
    if (child == 0) {
      if (limit_files(more, Network::none) != 0) _exit(kLimitFailed);
      _exit(call() >= 0 ? 0 : errno);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] int opened(const char* name, int flags) const {
    return code_of([&] { return open((dir_ / name).c_str(), flags, 0600); });
  }

  const test::TemporaryFolder dir_;
};

TEST_F(LimitedFiles, AFolderToReadCantBeWritten) {
  EXPECT_EQ(opened("read/file", O_RDONLY), 0);
  EXPECT_EQ(opened("read", O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(opened("read/file", O_WRONLY), EACCES);
  EXPECT_EQ(opened("read/new", O_WRONLY | O_CREAT), EACCES);
  EXPECT_EQ(code_of([&] { return unlink((dir_ / "read/file").c_str()); }), EACCES);
}

TEST_F(LimitedFiles, AFolderToWriteCanBeReadAndWritten) {
  EXPECT_EQ(opened("write/file", O_RDWR | O_TRUNC), 0);
  EXPECT_EQ(opened("write/new", O_WRONLY | O_CREAT), 0);
  const auto renamed = [&] {
    return rename((dir_ / "write/file").c_str(), (dir_ / "write/new").c_str());
  };
  EXPECT_EQ(code_of(renamed), 0);
  EXPECT_EQ(code_of([&] { return mkdir((dir_ / "write/folder").c_str(), 0700); }), 0);
  EXPECT_EQ(code_of([&] { return rmdir((dir_ / "write/empty").c_str()); }), 0);
  EXPECT_EQ(code_of([&] { return symlink("/", (dir_ / "write/link").c_str()); }), EACCES);
}

TEST_F(LimitedFiles, EverythingElseIsRefused) {
  EXPECT_EQ(opened("other/file", O_RDONLY), EACCES);
  EXPECT_EQ(opened("other/new", O_WRONLY | O_CREAT), EACCES);
  EXPECT_EQ(opened(".", O_RDONLY | O_DIRECTORY), EACCES);
  EXPECT_EQ(opened("none", O_RDONLY), ENOENT) << "there is nothing to refuse";
  const auto out = [&] {
    return rename((dir_ / "write/file").c_str(), (dir_ / "other/new").c_str());
  };
  EXPECT_NE(code_of(out), 0);
}

TEST_F(LimitedFiles, ASingleFileIsAllowedWithoutItsFolder) {
  const auto file = [&] { return open((dir_ / "other/file").c_str(), O_RDONLY); };
  EXPECT_EQ(code_of(file, {{dir_ / "other/file", FileAccess::read}}), 0);
  const auto folder = [&] { return open((dir_ / "other").c_str(), O_RDONLY | O_DIRECTORY); };
  EXPECT_EQ(code_of(folder, {{dir_ / "other/file", FileAccess::read}}), EACCES);
}

TEST_F(LimitedFiles, EmptyFoldersCanBeRemovedAlone) {
  const std::vector<AllowedPath> folder{{dir_ / "read", FileAccess::remove_empty}};
  EXPECT_EQ(code_of([&] { return rmdir((dir_ / "read/empty").c_str()); }, folder), 0);
  EXPECT_EQ(code_of([&] { return unlink((dir_ / "read/file").c_str()); }, folder), EACCES);
}

TEST_F(LimitedFiles, PathsThatDontExistAreLeftOut) {
  const auto nothing = [] { return 0; };
  EXPECT_EQ(code_of(nothing, {{dir_ / "none/at/all", FileAccess::write}}), 0);
  EXPECT_EQ(code_of(nothing, {{dir_ / "read/file/below", FileAccess::read}}), 0);
}

TEST_F(LimitedFiles, APipeNeedsNoRule) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string name = "/proc/self/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(code_of([] { return 0; }, {{name, FileAccess::read}}), 0);
}

TEST_F(LimitedFiles, ProcStaysReadableThoughTheKernelForgetsItsFiles) {
  const auto again = [] {
    // Dropping what the kernel remembers needs root; without it, this test only reads twice.
    const int drop = open("/proc/sys/vm/drop_caches", O_WRONLY);
    if (drop >= 0 && write(drop, "2", 1) != 1) return -1;
    return open("/proc/self/status", O_RDONLY) >= 0 ? open("/proc/cpuinfo", O_RDONLY) : -1;
  };
  EXPECT_EQ(code_of(again, {{"/proc/sys/vm/drop_caches", FileAccess::write},
                            {"/proc/self", FileAccess::read},
                            {"/proc/cpuinfo", FileAccess::read}}),
            0);
}

}  // namespace
}  // namespace facepipe::app
