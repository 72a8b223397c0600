// These tests check that only one program at a time can write to a name. They also check that the
// lock's record tells the next program which temporary file a killed program has left.
#include "core/files/output_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "core/files/output_file.h"
#include "core/machine.h"
#include "core/passing_error.h"
#include "tests/core/output_text.h"
#include "tests/support/expect_error.h"
#include "tests/support/killed_program.h"
#include "tests/support/temporary_folder.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;
using test::expect_error;
using test::in_killed_program;
using test::read_file;
using test::TemporaryFolder;
using testing::ElementsAre;

class OutputLockTest : public testing::Test {
 protected:
  TemporaryFolder dir_;
};

TEST_F(OutputLockTest, TheLockGoesWithItsProgram) {
  in_killed_program([&] {
    auto* file = new OutputFile(dir_ / "out.txt", kRefuse);
    static_cast<void>(write(*file, "torn"));
  });
  EXPECT_EQ(dir_.names().size(), 2U) << "its lock and its temporary file are left";
  {
    OutputFile file(dir_ / "out.txt", kRefuse);
    EXPECT_EQ(dir_.names().size(), 2U) << "a dead program's temporary file goes";
    file.commit();
  }
  EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
}

/// Returns a record of a file that a process makes.
std::string record_of(pid_t process, const Machine& machine, const std::string& file) {
  return "facepipe output 1\nmaker " + std::to_string(process) + ' ' + machine.boot + ' ' +
         machine.host + "\nwrites " + file + '\n';
}

TEST_F(OutputLockTest, ALiveProcessMayStillMakeItsFile) {
  const std::string temporary = "out.txt.tmp-0123456789";
  const Machine another{"another-boot-id", "another-machine"};
  // The parent process lives as long as this test. The process 1 of another machine may live, too.
  for (const auto& [process, machine] :
       {std::pair(getppid(), this_machine()), std::pair(pid_t{1}, another)}) {
    dir_.write(temporary, "half");
    dir_.write(".out.txt.facepipe", record_of(process, machine, temporary));
    OutputFile(dir_ / "out.txt", kReplace).commit();
    EXPECT_EQ(read_file(dir_ / temporary), "half") << machine.host;
    EXPECT_EQ(dir_.names().size(), 3U) << "the record stays, so that a later run removes the file";
  }
}

TEST_F(OutputLockTest, AFileOfADeadProcessGoes) {
  const std::string temporary = "out.txt.tmp-0123456789";
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, nullptr, 0);
  const Machine started_again{"the-boot-before", this_machine().host};
  for (const auto& [process, machine] :
       {std::pair(dead, this_machine()), std::pair(getppid(), started_again)}) {
    dir_.write(temporary, "half");
    dir_.write(".out.txt.facepipe", record_of(process, machine, temporary));
    OutputFile(dir_ / "out.txt", kReplace).commit();
    EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
  }
}

// If a worker is killed, nobody waits for the program that it has started, and that ends then.
TEST_F(OutputLockTest, AFileOfAProcessThatNobodyWaitedForGoes) {
  const std::string temporary = "out.txt.tmp-0123456789";
  const pid_t ended = fork();
  if (ended == 0) _exit(0);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT), 0);
  ASSERT_EQ(kill(ended, 0), 0) << "it still has its number";
  dir_.write(temporary, "half");
  dir_.write(".out.txt.facepipe", record_of(ended, this_machine(), temporary));
  OutputFile(dir_ / "out.txt", kReplace).commit();
  EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
  EXPECT_EQ(waitpid(ended, nullptr, 0), ended);
}

TEST_F(OutputLockTest, AHeldLockNamesItsProcessAndMayPass) {
  const OutputFile file(dir_ / "out.txt", kRefuse);
  try {
    const OutputLock second(dir_ / "out.txt");
    FAIL() << "the lock is held";
  } catch (const LockHeld& error) {
    EXPECT_EQ(std::string(error.what()),
              (dir_ / "out.txt").string() + ": another run is writing it (process " +
                  std::to_string(getpid()) + " on " + this_machine().host + ")");
  }
}

TEST_F(OutputLockTest, ATaskKeepsNoPartialFile) {
  const NoPartialFiles none;
  {
    OutputFile file(dir_ / "out.txt", kRefuse);
    ASSERT_EQ(write(file, "half"), 0);
    EXPECT_EQ(file.keep_partial(), "");
  }
  EXPECT_TRUE(dir_.names().empty());
  {
    OutputFile late(dir_ / "out.txt", kRefuse);
    dir_.write("out.txt", "of another run");
    EXPECT_THROW(late.commit(), PassingError) << "another run was faster";
  }
  EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
}

TEST_F(OutputLockTest, ATaskLeavesCompletePartsForTheNextRun) {
  {
    const NoPartialFiles none;
    OutputFile file(dir_ / "out.txt", kRefuse);
    ASSERT_EQ(write(file, "part"), 0);
    file.lock()->completed({"a", 0, 4});
    EXPECT_EQ(file.keep_partial(), "");
  }
  OutputFile again(dir_ / "out.txt", kRefuse);
  ASSERT_EQ(again.lock()->leftovers().size(), 1U);
  EXPECT_FALSE(again.lock()->leftovers().front().kept);
  EXPECT_EQ(read_file(again.lock()->leftovers().front().path), "part");
}

TEST_F(OutputLockTest, ForeignFileInTheLocksPlaceIsLeftAlone) {
  dir_.write(".out.txt.facepipe", "the user's");
  expect_error(ErrorKind::output, "is in the way", [&] { OutputFile(dir_ / "out.txt", kReplace); });
  EXPECT_EQ(read_file(dir_ / ".out.txt.facepipe"), "the user's");
}

// Anybody can write such a record. It must not make the program remove other people's files.
TEST_F(OutputLockTest, ARecordReachesNothingButTemporaryFiles) {
  const TemporaryFolder other;
  const std::string temporary = "out.txt.tmp-0123456789";
  other.write(temporary, "far");
  dir_.write("a/" + temporary, "near");
  dir_.write("thesis.txt", "thesis");
  dir_.write("thesis.txt.tmp-0123456789", "of another target");
  dir_.write("thesis.partial.txt", "of another target");
  dir_.write("out.txt.tmp-012345678", "too short");
  dir_.write("out.txt.tmp-012345678Z", "no letter of ours");
  dir_.write("real.txt", "real");
  fs::create_symlink(dir_ / "real.txt", dir_ / "out.txt.tmp-aaaaaaaaaa");
  fs::create_hard_link(dir_ / "real.txt", dir_ / "out.txt.tmp-bbbbbbbbbb");
  const std::vector<std::string> before = dir_.names();
  dir_.write(temporary, "ours");
  dir_.write(".out.txt.facepipe",
             "facepipe output 1\nwrites " + (other / temporary).string() + "\nwrites ../" +
                 temporary + "\nwrites a/" + temporary +
                 "\nwrites ..\nwrites thesis.txt\npart 0 6 x\nwrites thesis.txt%00.tmp-0123456789\n"
                 "writes thesis.txt.tmp-0123456789\nwrites out.txt.tmp-012345678\n"
                 "writes out.txt.tmp-012345678Z\nwrites out.txt.tmp-aaaaaaaaaa\n"
                 "writes out.txt.tmp-bbbbbbbbbb\nwrites out.txt.tmp-cccccccccc\n"
                 "kept thesis.txt\nkept thesis.partial.txt\npart 0 1 x\nwrites %2\nwrites %zz\n"
                 "part 1 2\npart 9 1 x\nnonsense\nwrites " +
                 temporary + "\nwrites x");
  {
    OutputFile file(dir_ / "out.txt", kReplace);
    EXPECT_TRUE(file.lock()->leftovers().empty());
  }
  EXPECT_EQ(read_file(other / temporary), "far");
  EXPECT_EQ(dir_.names(), before) << "the one temporary file of ours is gone";
}

TEST_F(OutputLockTest, ARecordOutlivesAnOwnerThatFails) {
  in_killed_program([&] {
    auto* file = new OutputFile(dir_ / "out.txt", kRefuse);
    static_cast<void>(write(*file, "aa"));
    file->lock()->completed({"a", 0, 2});
  });
  { const OutputFile fails(dir_ / "out.txt", kRefuse); }
  const OutputLock lock(dir_ / "out.txt");
  EXPECT_EQ(lock.leftovers().size(), 1U);
}

TEST_F(OutputLockTest, WhatASecondFileFollowsStaysForTheNextRun) {
  {
    OutputFile file(dir_ / "out.txt", kRefuse);
    EXPECT_EQ(write(file, "aa"), 0);
    file.lock()->completed({"a", 0, 2});
    file.begin_again();
  }
  const OutputLock lock(dir_ / "out.txt");
  ASSERT_EQ(lock.leftovers().size(), 1U);
  EXPECT_EQ(read_file(lock.leftovers()[0].path), "aa");
}

TEST(TemporarySuffix, IsToldFromOtherNames) {
  const std::string suffix = temporary_suffix();
  EXPECT_EQ(without_temporary_suffix("a.mp4" + suffix), "a.mp4");
  EXPECT_NE(temporary_suffix(), suffix);
  for (const char* name : {"", "a.mp4", ".tmp-0123456789", "a.tmp-01234567890", "a.tmp-012345678w"})
    EXPECT_EQ(without_temporary_suffix(name), "") << name;
}

TEST_F(OutputLockTest, TheRecordTellsCompletePartsOfAKilledProgram) {
  in_killed_program([&] {
    auto* file = new OutputFile(dir_ / "out.txt", kRefuse);
    static_cast<void>(write(*file, "aabbb"));
    file->lock()->completed({"a%\n", 0, 2});
    file->lock()->completed({"b", 2, 5});
    file->lock()->completed({"beyond the end", 5, 6});
  });
  OutputFile file(dir_ / "out.txt", kRefuse);
  ASSERT_EQ(file.lock()->leftovers().size(), 1U);
  const Leftover& leftover = file.lock()->leftovers()[0];
  EXPECT_FALSE(leftover.kept);
  EXPECT_EQ(read_file(leftover.path), "aabbb");
  ASSERT_EQ(leftover.parts.size(), 2U);
  EXPECT_EQ(leftover.parts[0].name, "a%\n");
  EXPECT_EQ(leftover.parts[1].begin, 2);
  EXPECT_EQ(leftover.parts[1].end, 5);
}

TEST_F(OutputLockTest, TheRecordFollowsAKeptPart) {
  {
    OutputFile file(dir_ / "out.txt", kRefuse);
    EXPECT_EQ(write(file, "aa"), 0);
    file.lock()->completed({"a", 0, 2});
    file.lock()->keep_record(true);
    EXPECT_EQ(file.keep_partial(), dir_ / "out.partial.txt");
  }
  const OutputLock lock(dir_ / "out.txt");
  ASSERT_EQ(lock.leftovers().size(), 1U);
  EXPECT_EQ(lock.leftovers()[0].path, dir_ / "out.partial.txt");
  EXPECT_TRUE(lock.leftovers()[0].kept);
}

}  // namespace
}  // namespace facepipe
