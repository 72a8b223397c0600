// These tests check that text from outside can't become markup, and that references stay beside the
// page.
#include "app/output/html/markup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "app/output/html/base64.h"

namespace facepipe::app {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Markup, EscapesWhatCouldBecomeAnElementOrEndAnAttribute) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"plain name.mp4", "plain name.mp4"},
      {"<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
      {"\"><img src=x onerror=alert(1)>", "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"},
      {"a & b's", "a &amp; b&#39;s"},
      {"&lt;", "&amp;lt;"},
      {"two\nlines\t", "two\\x0alines\\x09"},
      {std::string("nul\0l", 5), "nul\\x00l"},
      {"\x1b[2J", "\\x1b[2J"},
      {"gnp.\u202e4pm", "gnp.\\u{202e}4pm"},
      {"bad\xff utf8", "bad\\xff utf8"},
      {"größe – 日本", "größe – 日本"},
  };
  for (const auto& [text, shown] : table) {
    EXPECT_EQ(escaped_text(text).string(), shown);
    EXPECT_EQ(element("i", {{"title", text}}).string(), "<i title=\"" + shown + "\"></i>");
  }
}

TEST(Markup, ClosesEachElement) {
  EXPECT_EQ(element("p", "note", escaped_text("a") + element("b", {}, escaped_text("c"))).string(),
            "<p class=\"note\">a<b>c</b></p>");
  EXPECT_EQ(element("p", "", Markup()).string(), "<p></p>");
  EXPECT_EQ(void_element("meta", {{"name", "x"}}).string(), "<meta name=\"x\">");
}

TEST(Markup, ReferencesHaveNoSchemeAndNoHost) {
  EXPECT_EQ(reference_to("r/a.mp4.html"), "./r/a.mp4.html");
  EXPECT_EQ(reference_to("javascript:alert(1)"), "./javascript%3Aalert%281%29");
  EXPECT_EQ(reference_to("//host/a"), ".///host/a");
  EXPECT_EQ(reference_to("a b?c#d%\"<\xff"), "./a%20b%3Fc%23d%25%22%3C%FF");
}

TEST(Base64, EncodesAsTheStandardSays) {
  const std::vector<std::pair<std::string, std::string>> table{{"", ""},
                                                               {"f", "Zg=="},
                                                               {"fo", "Zm8="},
                                                               {"foo", "Zm9v"},
                                                               {"foob", "Zm9vYg=="},
                                                               {"fooba", "Zm9vYmE="},
                                                               {"foobar", "Zm9vYmFy"},
                                                               {"\xff\xfe\xfd", "//79"}};
  for (const auto& [bytes, text] : table) EXPECT_EQ(base64(std::as_bytes(std::span(bytes))), text);
}

}  // namespace
}  // namespace facepipe::app
