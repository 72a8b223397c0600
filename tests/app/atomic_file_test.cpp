// A file appears complete or not at all, and a full disk is told.
#include "app/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "tests/app/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe {
namespace {

using test::expect_error;
using test::read_file;
using test::TemporaryFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// The largest file that this process may write: stands in for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(AtomicFile, AppearsUnderItsNameOnlyWhenCommitted) {
  const TemporaryFolder dir;
  AtomicFile file(dir / "out.txt");
  file.write("one\n");
  EXPECT_THAT(dir.names(), Not(Contains("out.txt")));
  EXPECT_EQ(dir.names().size(), 1U) << "the temporary file stands beside the final name";
  file.write("two\n");
  file.commit();
  EXPECT_THAT(dir.names(), ElementsAre("out.txt"));
  EXPECT_EQ(read_file(dir / "out.txt"), "one\ntwo\n");
}

TEST(AtomicFile, ObeysTheUmask) {
  const TemporaryFolder dir;
  AtomicFile file(dir / "out.txt");
  file.commit();
  const mode_t mask = umask(0);
  umask(mask);
  struct stat found {};
  ASSERT_EQ(stat((dir / "out.txt").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0666 & ~mask);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder dir;
  dir.write("out.txt", "before");
  { AtomicFile(dir / "out.txt").write(std::string(1'000'000, 'x')); }
  EXPECT_THAT(dir.names(), ElementsAre("out.txt"));
  EXPECT_EQ(read_file(dir / "out.txt"), "before");
}

TEST(AtomicFile, ReplacesWhatWasThereAtOnce) {
  const TemporaryFolder dir;
  dir.write("out.txt", "before");
  AtomicFile file(dir / "out.txt");
  file.write("after");
  EXPECT_EQ(read_file(dir / "out.txt"), "before");
  file.commit();
  EXPECT_EQ(read_file(dir / "out.txt"), "after");
}

TEST(AtomicFile, TwoAtOnceDoNotMeet) {
  const TemporaryFolder dir;
  AtomicFile first(dir / "out.txt");
  AtomicFile second(dir / "out.txt");
  first.write("first");
  second.write("second");
  second.commit();
  EXPECT_EQ(read_file(dir / "out.txt"), "second");
  first.commit();
  EXPECT_EQ(read_file(dir / "out.txt"), "first");
}

TEST(AtomicFile, CommitsUnderAnotherName) {
  const TemporaryFolder dir;
  AtomicFile file(dir / "out.txt");
  file.commit(dir / "other.txt");
  EXPECT_THAT(dir.names(), ElementsAre("other.txt"));
}

// Sizes below, at and above what is held back before it goes to the disk.
class AtomicFileTruncate : public testing::TestWithParam<std::size_t> {};

TEST_P(AtomicFileTruncate, ForgetsTheTail) {
  const TemporaryFolder dir;
  AtomicFile file(dir / "out.txt");
  const std::string head(GetParam(), 'h');
  file.write(head);
  const std::int64_t place = file.position();
  EXPECT_EQ(place, static_cast<std::int64_t>(head.size()));
  for (const std::size_t size : {10U, 200'000U}) {
    file.write(std::string(size, 't'));
    file.truncate(place);
    EXPECT_EQ(file.position(), place);
  }
  file.write("end");
  file.commit();
  EXPECT_EQ(read_file(dir / "out.txt"), head + "end");
}

INSTANTIATE_TEST_SUITE_P(Sizes, AtomicFileTruncate,
                         testing::Values(0, 1, 65'535, 65'536, 65'537, 300'000));

TEST(AtomicFile, FolderThatIsNotThereIsNamed) {
  const TemporaryFolder dir;
  expect_error(ErrorKind::output, "no/out.txt: can't be written: No such file",
               [&] { AtomicFile file(dir / "no/out.txt"); });
}

TEST(AtomicFile, FullDiskIsToldWhenWriting) {
  const TemporaryFolder dir;
  {
    AtomicFile file(dir / "out.txt");
    const FileSizeLimit limit(1000);
    expect_error(ErrorKind::output, "out.txt: can't be written: File too large",
                 [&] { file.write(std::string(100'000, 'x')); });
  }
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(AtomicFile, FullDiskIsToldAtTheLatestByCommit) {
  const TemporaryFolder dir;
  {
    AtomicFile file(dir / "out.txt");
    const FileSizeLimit limit(1000);
    file.write(std::string(2000, 'x'));
    expect_error(ErrorKind::output, "out.txt: can't be written", [&] { file.commit(); });
  }
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(AtomicFile, WhatCameBeforeAFullDiskCanBeKept) {
  const TemporaryFolder dir;
  AtomicFile file(dir / "out.txt");
  file.write("kept\n");
  const std::int64_t place = file.position();
  {
    const FileSizeLimit limit(1000);
    EXPECT_THROW(file.write(std::string(100'000, 'x')), Error);
    file.truncate(place);
  }
  file.commit();
  EXPECT_EQ(read_file(dir / "out.txt"), "kept\n");
}

}  // namespace
}  // namespace facepipe
