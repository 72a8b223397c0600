#include "app/run/file_hashes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

// From FIPS 180-4.
constexpr const char* kHashOfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
// The system opens this file, and gives an error for its first byte.
constexpr const char* kUnreadable = "/proc/self/mem";

TEST(FileHashes, AreThoseOfTheFiles) {
  const test::TemporaryFolder dir;
  std::vector<std::string> notices;
  EXPECT_EQ(hash_if_file(dir.write("abc", "abc"), {}, notices), kHashOfAbc);
  EXPECT_EQ(HashInBackground(dir / "abc").result({}, notices), kHashOfAbc);
  EXPECT_EQ(hash_if_file(dir.path(), {}, notices), "");  // a folder has none
  EXPECT_THAT(notices, IsEmpty());
}

TEST(FileHashes, AreMissedInANotice) {
  const auto missed = StartsWith("/proc/self/mem: can't be read, so its SHA-256 is unknown");
  std::vector<std::string> notices;
  EXPECT_EQ(hash_if_file(kUnreadable, {}, notices), "");
  EXPECT_THAT(notices, ElementsAre(missed));
  EXPECT_EQ(HashInBackground(kUnreadable).result({}, notices), "");
  EXPECT_THAT(notices, ElementsAre(missed, missed));
}

}  // namespace
}  // namespace facepipe::app
