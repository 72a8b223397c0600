#include "core/files/read_stream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

TEST(RestOfAStream, IsAllThatFollows) {
  const TemporaryFolder dir;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 14,
                                 (std::size_t{1} << 14) + 1, std::size_t{100000}}) {
    const std::string bytes(size, 'x');
    std::ifstream stream(dir.write("file", bytes), std::ios::binary);
    EXPECT_EQ(rest_of(stream), bytes) << size;
  }
  std::istringstream text("one two");
  std::string word;
  text >> word;
  EXPECT_EQ(rest_of(text), " two");
}

// The system opens a folder as it opens a file, but reads nothing from it.
TEST(RestOfAStream, IsNotWhatCameBeforeAnError) {
  const TemporaryFolder dir;
  std::ifstream folder(dir.path(), std::ios::binary);
  ASSERT_TRUE(folder.is_open());
  EXPECT_FALSE(rest_of(folder));
}

TEST(RestOfAStream, IsNothingIfTheFileIsNotOpen) {
  std::ifstream none("/none", std::ios::binary);
  EXPECT_FALSE(rest_of(none));
}

}  // namespace
}  // namespace facepipe::test
