// These tests compare the hashes of bytes and files with the standard's examples and with
// coreutils.
#include "core/files/sha256.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stop_token>
#include <string>

#include "core/error.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

// The examples come from FIPS 180-4 and its validation suite.
TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(FileHash, IsThatOfTheStandard) {
  const TemporaryFolder dir;
  EXPECT_EQ(sha256_of_file(dir.write("empty", "")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of_file(dir.write("abc", "abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(FileHash, GoesOverAllPartsOfALargeFile) {
  const TemporaryFolder dir;
  std::string bytes(5'000'001, 'x');
  bytes.back() = 'y';
  const std::filesystem::path file = dir.write("large", bytes);
  EXPECT_EQ(sha256_of_file(file), run_command({"sha256sum", file.string()}).out.substr(0, 64));
}

TEST(FileHash, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder dir;
  for (const std::filesystem::path& path : {dir.path(), dir / "none"})
    expect_error(ErrorKind::input, path.string() + ": is not a regular file",
                 [&] { (void)sha256_of_file(path); });
  expect_error(ErrorKind::input, "is not a regular file",
               [] { (void)sha256_of_file("/dev/null"); });
}

TEST(FileHash, IsGivenUpWhereSomebodyStopsIt) {
  const TemporaryFolder dir;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW((void)sha256_of_file(dir.write("a"), stop.get_token()), Stopped);
}

}  // namespace
}  // namespace facepipe::test
