// These tests check what messages show of names that a file contains.
// tests/app/output/text_test.cpp checks each character.
#include "core/terminal_text.h"

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace facepipe {
namespace {

TEST(OneLine, ABlankReplacesALineBreak) {
  EXPECT_EQ(one_line("two\nlines"), "two lines");
  EXPECT_EQ(one_line("a\r\nb\x1b[2J"), "a\\x0d b\\x1b[2J");
  EXPECT_EQ(one_line(""), "");
}

TEST(ShownName, ALongNameIsCut) {
  const std::string longest(64, 'n');
  EXPECT_EQ(shown_name(longest), longest);
  EXPECT_EQ(shown_name(longest + "m"), longest + "...");
  EXPECT_EQ(shown_name("a\nb\x7f"), "a\\x0ab\\x7f");
  EXPECT_EQ(shown_name(""), "");
}

TEST(ShownName, NoCharacterIsCutIntoPieces) {
  const std::string face = "\xf0\x9f\x98\x80";  // 4 bytes
  for (std::size_t before = 60; before <= 64; ++before) {
    const std::string beginning(before, 'n');
    EXPECT_EQ(shown_name(beginning + face + "more"),
              beginning + (before == 60 ? face : std::string()) + "...");
  }
}

TEST(ShownName, BytesThatAreNoCharacterAreCutToo) {
  std::string shown;
  for (int i = 0; i < 61; ++i) shown += "\\x80";
  EXPECT_EQ(shown_name(std::string(100, '\x80')), shown + "...");
}

// Whoever quotes a name forgets nothing: the error itself is one line.
TEST(Error, IsOneLineThatNoTerminalExecutes) {
  const Error error(ErrorKind::input, "a\x1b[2J.mp4: no\nvideo \xff stream");
  EXPECT_STREQ(error.what(), "a\\x1b[2J.mp4: no video \\xff stream");
}

}  // namespace
}  // namespace facepipe
