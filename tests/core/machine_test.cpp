// These tests check how much of a machine the program believes that it may use.
#include "core/machine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "tests/support/killed_program.h"
#include "tests/support/temporary_folder.h"

namespace facepipe {
namespace {

using test::TemporaryFolder;

class GroupLimitsTest : public testing::Test {
 protected:
  const TemporaryFolder root_;
};

TEST_F(GroupLimitsTest, TheLowestLimitOfTheGroupsAroundItCounts) {
  root_.write("a/cpu.max", "150000 100000\n");
  root_.write("a/memory.max", "8000000\n");
  root_.write("a/b/cpu.max", "max 100000\n");
  root_.write("a/b/memory.max", "9000000\n");
  const GroupLimits limits = limits_of_group("0::/a/b\n", root_ / "");
  EXPECT_EQ(limits.processors, 1.5);
  EXPECT_EQ(limits.bytes, 8'000'000);
}

TEST_F(GroupLimitsTest, AContainerHasItsLimitsAtTheRoot) {
  root_.write("cpu.max", "200000 100000\n");
  root_.write("memory.max", "max\n");
  const GroupLimits limits = limits_of_group("0::/../../path/on/the/host\n", root_ / "");
  EXPECT_EQ(limits.processors, 2);
  EXPECT_EQ(limits.bytes, std::nullopt);
}

TEST_F(GroupLimitsTest, Version1HasAFolderForEachController) {
  root_.write("cpu/job/cpu.cfs_quota_us", "300000\n");
  root_.write("cpu/job/cpu.cfs_period_us", "100000\n");
  root_.write("cpu/cpu.cfs_quota_us", "-1\n");
  root_.write("memory/job/memory.limit_in_bytes", "5000000\n");
  root_.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  const GroupLimits limits =
      limits_of_group("4:memory:/job\n3:cpu,cpuacct:/job\n1:name=systemd:/x\n", root_ / "");
  EXPECT_EQ(limits.processors, 3);
  EXPECT_EQ(limits.bytes, 5'000'000);
}

TEST_F(GroupLimitsTest, NoGroupMeansNoLimit) {
  for (const char* const membership : {"", "0::/none\n", "nonsense\n", "::"}) {
    const GroupLimits limits = limits_of_group(membership, root_ / "");
    EXPECT_EQ(limits.processors, std::nullopt) << membership;
    EXPECT_EQ(limits.bytes, std::nullopt) << membership;
  }
}

TEST(Processors, TheAffinityCounts) {
  test::in_killed_program([] {
    cpu_set_t allowed;
    sched_getaffinity(0, sizeof(allowed), &allowed);
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) ++first;
    CPU_ZERO(&allowed);
    CPU_SET(first, &allowed);
    sched_setaffinity(0, sizeof(allowed), &allowed);
    if (usable_processors() != 1) _exit(1);
  });
}

TEST(Machines, OneKernelOrOneNameIsOneMachine) {
  const Machine here{"boot-1", "host-a"};
  EXPECT_TRUE(here.is_same({"boot-1", "a container"}));
  EXPECT_TRUE(here.is_same({"boot-2", "host-a"})) << "it has started again";
  EXPECT_FALSE(here.is_same({"boot-2", "host-b"}));
  EXPECT_FALSE((Machine{"", "host-a"}).is_same({"", "host-b"}));
  EXPECT_FALSE(this_machine().host.empty());
}

}  // namespace
}  // namespace facepipe
