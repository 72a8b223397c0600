// These tests check that an output file appears only when it is complete, and that no other file is
// changed.
#include "core/files/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "core/error.h"
#include "tests/core/output_text.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/killed_program.h"
#include "tests/support/temporary_folder.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::FileSizeLimit;
using test::in_killed_program;
using test::read_file;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::IsEmpty;

class OutputFileTest : public testing::Test {
 protected:
  /// Returns the names of all files except lock files and temporary files.
  [[nodiscard]] std::vector<std::string> visible() const {
    std::vector<std::string> names = dir_.names();
    std::erase_if(names, [](const std::string& name) {
      return name.starts_with('.') || name.find(".tmp-") != std::string::npos;
    });
    return names;
  }

  TemporaryFolder dir_;
};

TEST_F(OutputFileTest, AppearsUnderItsNameOnlyWhenCommitted) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  EXPECT_EQ(write(file, "one\n"), 0);
  EXPECT_THAT(visible(), IsEmpty());
  EXPECT_EQ(write(file, "two\n"), 0);
  file.commit();
  EXPECT_EQ(read_file(dir_ / "out.txt"), "one\ntwo\n");
}

TEST_F(OutputFileTest, LeavesNothingBesideIt) {
  {
    OutputFile file(dir_ / "out.txt", kRefuse);
    file.commit();
  }
  EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
}

TEST_F(OutputFileTest, LeavesNothingWithoutCommit) {
  dir_.write("out.txt", "before");
  {
    OutputFile file(dir_ / "out.txt", kReplace);
    EXPECT_EQ(write(file, std::string(1'000'000, 'x')), 0);
  }
  EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
  EXPECT_EQ(read_file(dir_ / "out.txt"), "before");
}

TEST_F(OutputFileTest, ObeysTheUmask) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  file.commit();
  const mode_t mask = umask(0);
  umask(mask);
  struct stat found {};
  ASSERT_EQ(stat((dir_ / "out.txt").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0666 & ~mask);
}

TEST_F(OutputFileTest, ReplacesWhatWasThereAtOnceIfItMay) {
  dir_.write("out.txt", "before");
  OutputFile file(dir_ / "out.txt", kReplace);
  EXPECT_EQ(write(file, "after"), 0);
  EXPECT_EQ(read_file(dir_ / "out.txt"), "before");
  file.commit();
  EXPECT_EQ(read_file(dir_ / "out.txt"), "after");
}

TEST_F(OutputFileTest, WhatAppearsMeanwhileIsKeptAndSoIsOurs) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  EXPECT_EQ(write(file, "ours"), 0);
  dir_.write("out.txt", "theirs");
  expect_error(ErrorKind::output, "out.partial.txt", [&] { file.commit(); });
  EXPECT_EQ(read_file(dir_ / "out.txt"), "theirs");
  EXPECT_EQ(read_file(dir_ / "out.partial.txt"), "ours");
}

TEST_F(OutputFileTest, ASecondWriterIsRefusedAtOnce) {
  OutputFile first(dir_ / "out.txt", kReplace);
  expect_error(ErrorKind::output, "out.txt: another run is writing it",
               [&] { OutputFile second(dir_ / "out.txt", kReplace); });
  OutputFile other(dir_ / "out2.txt", kReplace);
  first.commit();
  other.commit();
  EXPECT_THAT(visible(), ElementsAre("out.txt", "out2.txt"));
}

TEST_F(OutputFileTest, PartsHaveNamesOfTheirOwn) {
  dir_.write("out.partial.txt", "kept by the user");
  for (const char* text : {"first", "second"}) {
    OutputFile file(dir_ / "out.txt", kRefuse);
    EXPECT_EQ(write(file, text), 0);
    static_cast<void>(file.keep_partial());
  }
  EXPECT_EQ(read_file(dir_ / "out.partial.txt"), "kept by the user");
  EXPECT_EQ(read_file(dir_ / "out.partial-2.txt"), "first");
  EXPECT_EQ(read_file(dir_ / "out.partial-3.txt"), "second");
  EXPECT_EQ(dir_.names().size(), 4U) << "and the record of ours";
}

TEST_F(OutputFileTest, NoLinkIsWrittenThrough) {
  dir_.write("precious.txt", "precious");
  for (const char* name : {"out.txt", "out.partial.txt", ".out.txt.facepipe"}) {
    fs::remove(dir_ / ".out.txt.facepipe");  // the lock file, which names a partial file
    fs::create_symlink("precious.txt", dir_ / name);
    try {
      OutputFile file(dir_ / "out.txt", kReplace);
      EXPECT_EQ(write(file, "x"), 0);
      static_cast<void>(file.keep_partial());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::output);
      EXPECT_THAT(error.what(), testing::HasSubstr("link"));
    }
    EXPECT_TRUE(fs::is_symlink(dir_ / name)) << name;
    fs::remove(dir_ / name);
  }
  EXPECT_EQ(read_file(dir_ / "precious.txt"), "precious");
}

TEST_F(OutputFileTest, WhatWasReadMayBeReplacedUnlessItHasChanged) {
  for (const bool changes : {false, true}) {
    dir_.write("out.txt", "before");
    OutputFile file(dir_ / "out.txt", kRefuse);
    file.may_replace_what_is_there();
    EXPECT_EQ(write(file, "after"), 0);
    if (!changes) {
      file.commit();
      EXPECT_EQ(read_file(dir_ / "out.txt"), "after");
      continue;
    }
    dir_.write("out.txt", "the user's now");
    expect_error(ErrorKind::output, "out.partial.txt", [&] { file.commit(); });
    EXPECT_EQ(read_file(dir_ / "out.txt"), "the user's now");
  }
}

TEST_F(OutputFileTest, TheNewFileHasThePermissionsOfTheOld) {
  dir_.write("out.txt", "before");
  fs::permissions(dir_ / "out.txt", fs::perms::owner_read | fs::perms::owner_write);
  OutputFile file(dir_ / "out.txt", kReplace);
  file.commit();
  EXPECT_EQ(fs::status(dir_ / "out.txt").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputFileTest, NamesAsLongAsTheSystemAllows) {
  const std::string longest = std::string(251, 'n') + ".txt";
  const std::string letters = "\xc3\xa4" + std::string(249, 'n') + ".txt";
  for (const std::string& name : {longest, letters}) {
    OutputFile file(dir_ / name, kRefuse);
    file.commit();
    OutputFile again(dir_ / name, kReplace);
    EXPECT_LE(again.keep_partial().filename().string().size(), 255U);
  }
  EXPECT_EQ(visible().size(), 4U);
}

TEST_F(OutputFileTest, FolderThatIsNotThereIsNamed) {
  expect_error(ErrorKind::output, "no/out.txt: can't be written: No such file",
               [&] { OutputFile file(dir_ / "no/out.txt", kRefuse); });
  expect_error(ErrorKind::output, ": is a directory", [&] { OutputFile(dir_.path(), kReplace); });
}

TEST_F(OutputFileTest, FullDiskIsTold) {
  {
    OutputFile file(dir_ / "out.txt", kRefuse);
    const FileSizeLimit limit(1000);
    EXPECT_EQ(write(file, std::string(100'000, 'x')), EFBIG);
    EXPECT_EQ(file.size(), 1000);
    EXPECT_EQ(file.full(), EFBIG);
    EXPECT_EQ(file.truncate(10), 0);
    EXPECT_EQ(file.size(), 10);
  }
  EXPECT_THAT(dir_.names(), IsEmpty());
}

TEST_F(OutputFileTest, WhatIsReservedIsThereWhenTheDiskIsFull) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  const FileSizeLimit limit(100'000);
  int blocks = 0;
  while (true) {
    file.reserve_to(file.size() + 20'000);
    if (file.full() != 0 || write(file, std::string(1000, 'x')) != 0) break;
    ++blocks;
  }
  EXPECT_EQ(file.full(), EFBIG);
  EXPECT_GE(blocks, 79);
  EXPECT_LE(blocks, 81);
  EXPECT_EQ(write(file, std::string(19'000, 'x')), 0) << "room for the end of the file";
  file.commit();
  EXPECT_EQ(fs::file_size(dir_ / "out.txt"), static_cast<std::uintmax_t>(blocks) * 1000 + 19'000);
}

TEST_F(OutputFileTest, WhatIsReservedAndNotNeededGoesBack) {
  OutputFile file(dir_ / "out.txt", kRefuse);
  file.reserve_to(50'000'000);
  EXPECT_EQ(write(file, "x"), 0);
  file.commit();
  struct stat found {};
  ASSERT_EQ(stat((dir_ / "out.txt").c_str(), &found), 0);
  EXPECT_EQ(found.st_size, 1);
  EXPECT_LT(found.st_blocks * 512, 1'000'000);
}

TEST_F(OutputFileTest, AFifoIsWrittenToAndStaysOne) {
  const fs::path fifo = dir_ / "out.fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  OutputFile file(fifo, kRefuse);
  EXPECT_FALSE(file.seekable());
  EXPECT_EQ(write(file, "through"), 0);
  EXPECT_EQ(file.seek(0), ESPIPE);
  file.commit();
  std::string got(100, '\0');
  got.resize(static_cast<std::size_t>(read(reader, got.data(), got.size())));
  EXPECT_EQ(got, "through");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_EQ(dir_.names().size(), 1U);
}

TEST_F(OutputFileTest, AFifoWithoutAReaderEndsWithTheStop) {
  const fs::path fifo = dir_ / "out.fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(OutputFile(fifo, kRefuse, stop.get_token()), Stopped);
}

TEST_F(OutputFileTest, AReaderThatStallsEndsWithTheStop) {
  const fs::path fifo = dir_ / "out.fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  std::signal(SIGPIPE, SIG_IGN);  // main() also ignores this signal
  std::stop_source stop;
  OutputFile file(fifo, kRefuse, stop.get_token());
  stop.request_stop();
  EXPECT_EQ(write(file, std::string(1'000'000, 'x')), ECANCELED);
  close(reader);
  EXPECT_EQ(write(file, "x"), EPIPE);
}

TEST_F(OutputFileTest, AFullDeviceIsTold) {
  OutputFile file("/dev/full", kRefuse);
  EXPECT_EQ(write(file, "x"), ENOSPC);
  expect_error(ErrorKind::output, "/dev/full: ", [&] { file.write_text("x"); });
}

TEST_F(OutputFileTest, UnfinishedFilesCanBeRemovedWithoutDestructors) {
  in_killed_program([&] {
    new OutputFile(dir_ / "a.txt", kRefuse);
    auto* done = new OutputFile(dir_ / "b.txt", kRefuse);
    done->commit();
    remove_unfinished_outputs();
  });
  EXPECT_THAT(dir_.names(), ElementsAre("b.txt"));
}

TEST_F(OutputFileTest, ASecondFileForTheSameNameReplacesTheFirst) {
  {
    OutputFile file(dir_ / "out.txt", kRefuse);
    EXPECT_EQ(write(file, "draft"), 0);
    file.begin_again();
    EXPECT_EQ(file.size(), 0);
    EXPECT_EQ(write(file, "final"), 0);
    file.commit();
  }
  EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
  EXPECT_EQ(read_file(dir_ / "out.txt"), "final");
}

}  // namespace
}  // namespace facepipe
