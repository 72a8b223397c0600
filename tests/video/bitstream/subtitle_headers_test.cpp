// These tests check that headers of subtitles keep their styles, and that no text of a stranger
// passes.
#include "video/bitstream/subtitle_headers.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace facepipe::video {
namespace {

using namespace std::string_literals;

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// A header that FFmpeg writes. It has nothing to clean but a comment.
const std::string kByFFmpeg =
    "[Script Info]\r\nScriptType: v4.00+\r\nPlayResX: 384\r\nPlayResY: 288\r\n"
    "ScaledBorderAndShadow: yes\r\nYCbCr Matrix: None\r\n[V4+ Styles]\r\n"
    "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, "
    "Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, "
    "Shadow, Alignment, MarginL, MarginR, MarginV, Encoding\r\n"
    "Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1\r\n"
    "[Events]\r\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, "
    "Text\r\n";

TEST(SubtitleHeaders, AHeaderOfKnownLinesStays) {
  const CleanedText cleaned = clean_ass_header(bytes_of(kByFFmpeg));
  EXPECT_EQ(cleaned.header, kByFFmpeg);
  EXPECT_FALSE(cleaned.lost);
}

TEST(SubtitleHeaders, SpellingIsNoLoss) {
  const CleanedText cleaned =
      clean_ass_header(bytes_of("\xEF\xBB\xBF[SCRIPT INFO]\n\nplayresx :384\n[v4+ styles]\n"
                                "format:name,FONTSIZE\nstyle: A , 16.5 \n"));
  EXPECT_EQ(cleaned.header,
            "[Script Info]\r\nPlayResX: 384\r\n[V4+ Styles]\r\nFormat: Name, Fontsize\r\n"
            "Style: A,16.5\r\n");
  EXPECT_FALSE(cleaned.lost);
}

TEST(SubtitleHeaders, AnEmptyValueAtTheEndStays) {
  const std::string kept = "[V4+ Styles]\r\nFormat: Name, Bold\r\nStyle: a,\r\n";
  EXPECT_EQ(
      clean_ass_header(bytes_of("[V4+ Styles]\nFormat: Name, x, Bold\nStyle: a,b,,1\n")).header,
      kept);
  EXPECT_EQ(clean_ass_header(bytes_of(kept)).header, kept);
}

struct Hostile {
  std::string header;
  std::string kept;
};

// In each header, "Anna" is the text that must not pass.
const Hostile kHostile[] = {
    // Sections that aren't known, however similar their titles are.
    {"[V4++ Styles]\nFormat: Name\nStyle: Anna\n", ""},
    {"[v4 Anna]\nStyle: Anna\n", ""},
    {"[V4]\nFormat: Anna\n", ""},
    {"[V4+ Styles\nStyle: Anna\n", ""},
    {"[ V4+ Styles]\nStyle: Anna\n", ""},
    {"[V4+ Styles] Anna\nStyle: Anna\n", ""},
    {"[Fonts]\nfontname: Anna\n[Graphics]\nfilename: Anna\n[Aegisub Extradata]\nData: Anna\n", ""},
    {"[Script Info]\n[V4++ Styles]\nStyle: Anna\nPlayResX: 1\n", "[Script Info]\r\n"},
    {"Style: Anna\nFormat: Anna\nPlayResX: Anna\n", ""},
    // Fields of one section in another.
    {"[Script Info]\nStyle: Anna\nFormat: Anna\nTitle: Anna\n; Anna\n", "[Script Info]\r\n"},
    {"[Events]\nStyle: Anna\nDialogue: 0,0,0,Default,Anna,0,0,0,,Anna\nComment: Anna\n",
     "[Events]\r\n"},
    {"[V4+ Styles]\nPlayResX: 1\nTitle: Anna\nComment: Anna\n", "[V4+ Styles]\r\n"},
    // Values that aren't numbers, colours or known words.
    {"[Script Info]\nPlayResX: Anna\nPlayResY: 2 Anna\nScriptType: Anna\nTimer: 12345678901234567\n"
     "Collisions: Anna\nScaledBorderAndShadow: Anna\nYCbCr Matrix: Anna\nWrapStyle: -\n",
     "[Script Info]\r\n"},
    {"[V4+ Styles]\nFormat: Name, Fontname, Fontsize, Bold\nStyle: A,B,Anna,0\nStyle: A,B,1,Anna\n"
     "Style: A,B,&H0Anna,0\nStyle: A,B,&H001122334455,0\nStyle: A,B,1,0\n",
     "[V4+ Styles]\r\nFormat: Name, Fontname, Fontsize, Bold\r\nStyle: A,B,1,0\r\n"},
    // Columns that aren't known, and more values than columns.
    {"[V4+ Styles]\nFormat: Name, Anna, Fontsize\nStyle: A,Anna,2,Anna\n",
     "[V4+ Styles]\r\nFormat: Name, Fontsize\r\nStyle: A,2\r\n"},
    {"[V4+ Styles]\nFormat: Anna\nStyle: Anna\n", "[V4+ Styles]\r\n"},
    {"[V4 Styles]\nStyle: A,B,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,Anna\n",
     "[V4 Styles]\r\nStyle: A,B,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\r\n"},
    {"[Events]\nFormat: Layer, Anna, Text\n", "[Events]\r\nFormat: Layer, Text\r\n"},
    // Line breaks that only some players know, and a terminal's commands.
    {"[Script Info]\nPlayResX: 1\rTitle: Anna\n", "[Script Info]\r\nPlayResX: 1\r\n"},
    {"[Script Info]\nPlayResX: 1\0Anna\n"s, "[Script Info]\r\nPlayResX: 1\r\n"},
    {"[V4+ Styles]\nFormat: Name\nStyle: \x1b[2JAnna\n", "[V4+ Styles]\r\nFormat: Name\r\n"},
};

TEST(SubtitleHeaders, NothingPassesThatIsNotKnown) {
  for (const Hostile& each : kHostile) {
    SCOPED_TRACE(each.header);
    const CleanedText cleaned = clean_ass_header(bytes_of(each.header));
    EXPECT_EQ(cleaned.header, each.kept);
    EXPECT_TRUE(cleaned.lost);
    EXPECT_EQ(cleaned.header.find("Anna"), std::string::npos);
  }
}

TEST(SubtitleHeaders, ACleanedHeaderStays) {
  for (const Hostile& each : kHostile) {
    SCOPED_TRACE(each.header);
    const CleanedText again = clean_ass_header(bytes_of(each.kept));
    EXPECT_EQ(again.header, each.kept);
    EXPECT_FALSE(again.lost);
  }
}

TEST(SubtitleHeaders, DvdSubtitlesKeepNumbersAndKnownWords) {
  const std::string known =
      "size: 720x480\norg: 0, 0\nscale: 100%, 100%\nsmooth: OFF\nalign: OFF at LEFT TOP\n"
      "palette: 000000, ffAAff\ncustom colors: OFF, tridx: 0000, colors: 000000, 000000\n";
  const CleanedText cleaned = clean_dvd_header(bytes_of(known));
  EXPECT_EQ(cleaned.header, known);
  EXPECT_FALSE(cleaned.lost);
  for (const char* const hostile :
       {"size: Anna\n", "palette: 000000, Ada\n", "palette: 000000 Anna\n", "id: Anna\n",
        "# Anna\n", "align: OFF at Anna\n", "org: 12345678901234567\n"}) {
    const CleanedText other = clean_dvd_header(bytes_of(hostile));
    EXPECT_EQ(other.header, "") << hostile;
    EXPECT_TRUE(other.lost) << hostile;
  }
}

}  // namespace
}  // namespace facepipe::video
