#include "app/output/line_spool.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/error.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::app {
namespace {

std::string text_of(const LineSpool& spool) {
  std::string text;
  spool.give([&](std::string_view part) { text += part; });
  return text;
}

TEST(LineSpool, GivesWhatItGot) {
  SpoolFile file;
  LineSpool spool(file);
  EXPECT_EQ(text_of(spool), "");
  spool.append("a\n");
  spool.append("b\n");
  EXPECT_EQ(text_of(spool), "a\nb\n");
}

// Several spools exist at the same time, and each has more lines than it keeps in memory.
TEST(LineSpool, KeepsMoreThanMemoryHolds) {
  SpoolFile file;
  std::vector<LineSpool> spools(3, LineSpool(file));
  std::vector<std::string> expected(3);
  for (int i = 0; i < 200000; ++i) {
    const auto which = static_cast<std::size_t>(i % 3);
    const std::string line = "line " + std::to_string(i) + " of some length\n";
    spools[which].append(line);
    expected[which] += line;
  }
  for (std::size_t i = 0; i < spools.size(); ++i) EXPECT_EQ(text_of(spools[i]), expected[i]);
}

TEST(LineSpool, GivesWhatWasPutAway) {
  SpoolFile file;
  for (const std::size_t size : {0U, 10U, 10000U, 1500000U}) {
    LineSpool spool(file);
    const std::string text(size, 'x');
    spool.append(text);
    spool.put_away();
    EXPECT_EQ(text_of(spool), text);
  }
}

TEST(LineSpool, TellsThatItsFolderIsNotThere) {
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  setenv("TMPDIR", "/nonexistent", 1);
  SpoolFile file;
  LineSpool spool(file);
  spool.append("short\n");
  EXPECT_FALSE(spool.failure());
  spool.append(std::string(2 << 20, 'x'));
  if (before != nullptr)
    setenv("TMPDIR", kept.c_str(), 1);
  else
    unsetenv("TMPDIR");
  ASSERT_TRUE(spool.failure());
  EXPECT_NE(spool.failure()->message.find("temp"), std::string::npos) << spool.failure()->message;
  EXPECT_THROW(static_cast<void>(text_of(spool)), Error);
}

TEST(LineSpool, LeavesNoFile) {
  const test::TemporaryFolder folder;
  setenv("TMPDIR", folder.path().c_str(), 1);
  {
    SpoolFile file;
    LineSpool spool(file);
    spool.append(std::string(3 << 20, 'x'));
    EXPECT_FALSE(spool.failure());
    EXPECT_TRUE(folder.names().empty());
  }
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace facepipe::app
