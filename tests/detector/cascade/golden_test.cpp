// These tests check that the golden file fits the generated pictures and the installed cascades.
#include "tests/detector/cascade/golden.h"

#include <gtest/gtest.h>

#include "detector/cascade/model/cascade.h"
#include "tests/detector/cascade/files.h"

namespace facepipe::test {
namespace {

TEST(GoldenCascades, PicturesAreThoseThatOpencvHasSeen) {
  for (const auto& [name, picture] : read_window_lists().pictures) {
    SCOPED_TRACE(name);
    const std::vector<std::uint8_t> pixels = make_picture(picture.recipe);
    EXPECT_EQ(fnv_hash(pixels), picture.hash);
  }
}

TEST(GoldenCascades, AreTheInstalledOnes) {
  for (const auto& [name, sha256] : read_window_lists().cascades)
    EXPECT_EQ(detector::cascade::read_cascade(installed_cascade(name)).sha256, sha256) << name;
}

TEST(GoldenCascades, ListedBoxesHaveTheirCountAndHash) {
  const WindowLists golden = read_window_lists();
  std::size_t listed = 0;
  for (const GoldenCase& one : golden.cases) {
    SCOPED_TRACE(one.picture + " " + one.cascade);
    EXPECT_EQ(golden.pictures.count(one.picture), 1U);
    EXPECT_EQ(golden.cascades.count(one.cascade), 1U);
    if (one.windows.listed.empty()) continue;
    ++listed;
    EXPECT_EQ(one.windows.listed.size(), one.windows.count);
    EXPECT_EQ(hash_of(one.windows.listed), one.windows.hash);
    ASSERT_TRUE(one.groups.has_value());
    EXPECT_EQ(one.groups->listed.size(), one.groups->count);
    EXPECT_EQ(hash_of(one.groups->listed), one.groups->hash);
  }
  EXPECT_GT(listed, 10U);
}

/// The test vectors come from Landon Curt Noll's page about FNV.
TEST(FnvHash, IsThePublishedOne) {
  EXPECT_EQ(fnv_hash({}), 0xcbf29ce484222325U);
  constexpr std::uint8_t kText[] = {'f', 'o', 'o', 'b', 'a', 'r'};
  EXPECT_EQ(fnv_hash(kText), 0x85944171f73967e8U);
}

}  // namespace
}  // namespace facepipe::test
