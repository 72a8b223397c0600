// These tests check what a run records for later runs: which partial files a later success must
// remove, and whether an output was made from a damaged input. No other file may remain, even if a
// step fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <new>
#include <string_view>

#include "core/files/output_file.h"
#include "core/files/output_lock.h"
#include "core/files/output_names.h"
#include "tests/core/failing_allocations.h"
#include "tests/core/output_text.h"
#include "tests/support/temporary_folder.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using test::TemporaryFolder;
using testing::ElementsAre;

class OutputRecord : public testing::Test {
 protected:
  void keep_partial(std::string_view text) {
    OutputFile file(target_, kRefuse);
    EXPECT_EQ(write(file, text), 0);
    static_cast<void>(file.keep_partial());
  }
  void commit(std::string_view text, const std::string& damage = {}) {
    OutputFile file(target_, kReplace);
    EXPECT_EQ(write(file, text), 0);
    file.lock()->ends_damaged(damage);
    file.commit();
  }

  TemporaryFolder dir_;
  const fs::path target_ = dir_ / "out.txt";
};

TEST_F(OutputRecord, C8PartialFilesGoWithTheNextSuccess) {
  for (const char* text : {"first", "second", "third"}) keep_partial(text);
  EXPECT_THAT(dir_.names(), ElementsAre(".out.txt.facepipe", "out.partial-2.txt",
                                        "out.partial-3.txt", "out.partial.txt"));
  { const OutputFile fails(target_, kRefuse); }
  EXPECT_EQ(dir_.names().size(), 4U) << "only a success makes them needless";
  commit("all");
  EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
}

TEST_F(OutputRecord, C8NothingOfTheUsersGoes) {
  dir_.write("out.partial.txt", "kept by the user");
  for (const char* text : {"first", "second", "third", "fourth"}) keep_partial(text);
  dir_.write("out.partial-2.txt", "what the user made of the first");
  fs::create_hard_link(dir_ / "out.partial-3.txt", dir_ / "kept.txt");
  fs::rename(dir_ / "out.partial-4.txt", dir_ / "mine.txt");
  fs::create_symlink("mine.txt", dir_ / "out.partial-4.txt");
  commit("all");
  EXPECT_THAT(dir_.names(),
              ElementsAre("kept.txt", "mine.txt", "out.partial-2.txt", "out.partial-3.txt",
                          "out.partial-4.txt", "out.partial.txt", "out.txt"))
      << "the last one of ours is gone";
  EXPECT_EQ(read_file(dir_ / "out.partial.txt"), "kept by the user");
  EXPECT_EQ(read_file(dir_ / "out.partial-2.txt"), "what the user made of the first");
}

TEST_F(OutputRecord, C8APartialFileThatChangesMeanwhileStays) {
  keep_partial("ours");
  OutputFile file(target_, kRefuse);
  EXPECT_EQ(write(file, "all"), 0);
  dir_.write("out.partial.txt", "the user's");
  file.commit();
  EXPECT_THAT(dir_.names(), ElementsAre("out.partial.txt", "out.txt"));
}

// Somebody who can write a record must not make the program remove files that only look like its
// own.
TEST_F(OutputRecord, C8ARecordReachesNoOtherNames) {
  dir_.write("thesis.txt", "12345");
  dir_.write("a/out.partial.txt", "12345");
  const auto identity = identity_of_name(dir_ / "thesis.txt");
  fs::last_write_time(dir_ / "a/out.partial.txt", fs::last_write_time(dir_ / "thesis.txt"));
  const std::string begin = "partial 5 " + std::to_string(identity->written_ns) + " ";
  dir_.write(".out.txt.facepipe", "facepipe output 1\n" + begin + "thesis.txt\n" + begin +
                                      "a/out.partial.txt\n" + begin +
                                      "%\npartial 5\npartial x y\n");
  commit("all");
  EXPECT_THAT(dir_.names(), ElementsAre("a", "a/out.partial.txt", "out.txt", "thesis.txt"));
}

TEST_F(OutputRecord, C9DamageIsKnownAsLongAsTheFileStands) {
  EXPECT_EQ(OutputLock::damage_of(target_), std::nullopt);
  commit("most of it", "3 frames\nlost");
  EXPECT_THAT(dir_.names(), ElementsAre(".out.txt.facepipe", "out.txt"));
  EXPECT_EQ(OutputLock::damage_of(target_), "3 frames\nlost");
  { const OutputLock looks(target_); }
  { const OutputFile fails(target_, kReplace); }
  EXPECT_EQ(OutputLock::damage_of(target_), "3 frames\nlost") << "the file still stands there";
  commit("less", "4 lost");
  EXPECT_EQ(OutputLock::damage_of(target_), "4 lost");
  dir_.write("out.txt", "the user's own");
  EXPECT_EQ(OutputLock::damage_of(target_), std::nullopt);
}

TEST_F(OutputRecord, C9DamageIsForgottenWithTheFirstWholeFile) {
  commit("most of it", "3 lost");
  commit("all");
  EXPECT_EQ(OutputLock::damage_of(target_), std::nullopt);
  EXPECT_THAT(dir_.names(), ElementsAre("out.txt"));
}

TEST_F(OutputRecord, D7NothingStaysWhereMemoryRunsOut) {
  bool succeeds = false;
  for (long allocations = 0; !succeeds; ++allocations) {
    ASSERT_LT(allocations, 10'000);
    try {
      const test::FailingAllocations fail(allocations);
      const OutputFile file(target_, kRefuse);
      succeeds = true;
    } catch (const std::bad_alloc&) {
      // The checks below examine the remaining files.
    }
    ASSERT_THAT(dir_.names(), ElementsAre()) << "after " << allocations << " allocations";
  }
}

TEST_F(OutputRecord, D7AFileThatCannotBeRemovedIsTold) {
  fs::create_directory(dir_ / "out.txt.tmp-0123456789");
  remove_file(dir_ / "not there");
  remove_file(dir_ / "out.txt.tmp-0123456789");
  EXPECT_THAT(take_files_left_behind(),
              ElementsAre(testing::HasSubstr("out.txt.tmp-0123456789: can't be removed: ")));
  EXPECT_THAT(take_files_left_behind(), ElementsAre());
}

}  // namespace
}  // namespace facepipe
