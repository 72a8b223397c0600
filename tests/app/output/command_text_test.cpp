// These tests check that reports show no secret of an address, and commands that a shell reads
// back.
#include "app/output/command_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace facepipe::app {
namespace {

TEST(CommandText, LeavesOutWhatMayGiveAccess) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"clip.mp4", "clip.mp4"},
      {"https://host/a.mp4", "https://host/a.mp4"},
      {"https://host/a.mp4?token=secret", "https://host/a.mp4?..."},
      {"https://host/a.mp4#secret", "https://host/a.mp4?..."},
      {"https://host?secret/x", "https://host?..."},
      {"rtsp://user:secret@host:554/live", "rtsp://host:554/live"},
      {"rtsp://a@b:secret@host/live", "rtsp://host/live"},
      {"https://host/a@b", "https://host/a@b"},
      {"https://host/a?secret: not found", "https://host/a?...: not found"},
      {"from https://h/a?s to https://h/b?s", "from https://h/a?... to https://h/b?..."},
      {"a?b", "a?b"},
      {"://", "://"},
      {"", ""},
  };
  for (const auto& [text, shown] : table) EXPECT_EQ(without_queries(text), shown) << text;
}

TEST(CommandText, QuotesWordsForAShell) {
  EXPECT_EQ(command_text({}), "");
  EXPECT_EQ(command_text({"facepipe", "run", "a b.mp4", "-o", "x.mp4"}),
            "facepipe run 'a b.mp4' -o x.mp4");
  EXPECT_EQ(command_text({"it's", "$(rm -r x)", "", "a;b"}), "'it'\\''s' '$(rm -r x)' '' 'a;b'");
  EXPECT_EQ(command_text({"https://host/a?k=v"}), "'https://host/a?...'");
}

}  // namespace
}  // namespace facepipe::app
