// These tests check text for a terminal. Control characters lose their effect, and all other
// characters stay unchanged.
#include "app/output/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/output/joined.h"

namespace facepipe::app {
namespace {

using namespace std::string_literals;

TEST(TerminalText, D4ControlsAreShownInsteadOfObeyed) {
  const struct {
    std::string text;
    std::string shown;
  } cases[] = {
      {"plain clip.mp4", "plain clip.mp4"},
      {"", ""},
      {"\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"},
      {"a\rb\nc\td\0e"s, "a\\x0db\\x0ac\\x09d\\x00e"},
      {"del\x7f", "del\\x7f"},
      {"c1 \xc2\x9b\x33\x31m", "c1 \\x9b31m"},
      {"a byte that is no UTF-8 \x9b"
       "31m",
       "a byte that is no UTF-8 \\x9b31m"},
      {"right to left \xe2\x80\xae"
       "4pm.exe",
       "right to left \\u{202e}4pm.exe"},
      {"isolate \xe2\x81\xa6 mark \xd8\x9c", "isolate \\u{2066} mark \\u{061c}"},
      {"line \xe2\x80\xa8", "line \\u{2028}"},
      {"Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\x98\x80",
       "Z\xc3\xbcrich \xe6\x9d\xb1\xe4\xba\xac \xf0\x9f\x98\x80"},
      {"too long \xc0\x9b\xe0\x82\x9b", "too long \\xc0\\x9b\\xe0\\x82\\x9b"},
      {"surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80"},
      {"cut \xf0\x9f\x98", "cut \\xf0\\x9f\\x98"},
      {"back\\slash", "back\\slash"},
  };
  for (const auto& each : cases) EXPECT_EQ(terminal_text(each.text), each.shown);
}

TEST(TerminalText, D4LinesKeepTheirBreaksAlone) {
  EXPECT_EQ(terminal_lines("a\x1b\nb\r\n\nc"), "a\\x1b\nb\\x0d\n\nc");
  EXPECT_EQ(terminal_lines("one\n"), "one\n");
  EXPECT_EQ(terminal_lines(""), "");
}

TEST(Text, JoinsAlsoEmptyTexts) {
  EXPECT_EQ(joined_by(std::vector<std::string>{}, "|"), "");
  EXPECT_EQ(joined_by(std::vector<std::string>{"a"}, "|"), "a");
  EXPECT_EQ(joined_by(std::vector<std::string>{"", "a", ""}, "|"), "|a|");
}

}  // namespace
}  // namespace facepipe::app
