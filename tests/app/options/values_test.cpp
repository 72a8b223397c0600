// These tests check which texts the options accept, and which they refuse.
#include "app/options/values.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace facepipe::app {
namespace {

using test::expect_error;

OptionText given(std::string_view text) { return {"--option", text}; }

TEST(ParseNumber, ReadsWholeTextInRange) {
  EXPECT_EQ(parse_number(given("0"), 0, 1), 0);
  EXPECT_EQ(parse_number(given("0.25"), 0, 1), 0.25);
  EXPECT_EQ(parse_number(given("1e-1"), 0, 1), 0.1);
  EXPECT_EQ(parse_number(given("1"), 0, 1), 1);
}

TEST(ParseNumber, RefusesTheRest) {
  for (const char* text :
       {"", " ", "x", "0.5x", "0,5", " 0.5", "-0.1", "1.01", "nan", "-nan", "inf", "1e999", "0x1"})
    expect_error(ErrorKind::usage, std::string("--option: '") + text + "' is not a number from 0",
                 [&] { (void)parse_number(given(text), 0, 1); });
}

TEST(ParseInteger, ReadsDecimalOnly) {
  EXPECT_EQ(parse_integer(given("010"), 0, 64), 10);
  for (const char* text : {"", "0x10", "4.5", "65", "-1", "1e1", "99999999999999999999"})
    expect_error(ErrorKind::usage, "is not an integer from 0 to 64",
                 [&] { (void)parse_integer(given(text), 0, 64); });
}

TEST(ParseTime, ReadsSecondsAndClockTimes) {
  struct Case {
    const char* text;
    double seconds;
  };
  for (const Case& c : {Case{"0", 0}, Case{"12.5", 12.5}, Case{"90", 90}, Case{"1:30", 90},
                        Case{"90:00", 5400}, Case{"1:02:03.5", 3723.5}, Case{"00:00:00", 0}})
    EXPECT_DOUBLE_EQ(parse_time(given(c.text)), c.seconds) << c.text;
}

TEST(ParseTime, RefusesTheRest) {
  for (const char* text : {"", "-1", "nan", "inf", "1:60", "1:60:00", "1:-1", "1.5:00", ":30",
                           "1:", "1:2:3:4", "1:2x", "1e8", "9000000:00", "1:nan"})
    expect_error(ErrorKind::usage, "is not a time", [&] { (void)parse_time(given(text)); });
}

TEST(ParseSize, ReadsWidthAndHeight) {
  EXPECT_EQ(parse_size(given("640x360"), 16, 8192), (Size{640, 360}));
}

TEST(ParseSize, RefusesTheRest) {
  for (const char* text :
       {"", "640", "x", "640x", "x360", "640x360x1", "640X360", "8x640", "640x9000", "-64x64"})
    expect_error(ErrorKind::usage, "is not WIDTHxHEIGHT",
                 [&] { (void)parse_size(given(text), 16, 8192); });
}

TEST(ParseAssignment, SplitsAtTheFirstEqualsSign) {
  EXPECT_EQ(parse_assignment(given("tune=film")),
            (std::pair<std::string, std::string>{"tune", "film"}));
  EXPECT_EQ(parse_assignment(given("x264-params=a=1:b=2")),
            (std::pair<std::string, std::string>{"x264-params", "a=1:b=2"}));
  EXPECT_EQ(parse_assignment(given("tune=")), (std::pair<std::string, std::string>{"tune", ""}));
  for (const char* text : {"", "tune", "=film"})
    expect_error(ErrorKind::usage, "is not NAME=VALUE",
                 [&] { (void)parse_assignment(given(text)); });
}

TEST(ParseDraw, SetsExactlyWhatIsNamed) {
  const overlay::OverlayStyle some = parse_draw("--draw", {"scores", "count"});
  EXPECT_FALSE(some.boxes);
  EXPECT_TRUE(some.scores);
  EXPECT_FALSE(some.landmarks);
  EXPECT_TRUE(some.count);
  EXPECT_FALSE(parse_draw("--draw", {"none"}).any());
}

TEST(ParseDraw, RefusesUnknownWordsAndNoneAmongOthers) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {""}, {"box"}, {"boxes", "none"}, {"Boxes"}})
    expect_error(ErrorKind::usage, "--draw: '", [&] { (void)parse_draw("--draw", words); });
}

TEST(ParseColor, ReadsNamesAndHexadecimals) {
  struct Case {
    const char* text;
    overlay::Rgb rgb;
  };
  for (const Case& c :
       {Case{"black", {0, 0, 0}}, Case{"white", {1, 1, 1}}, Case{"#ff0080", {1, 0, 128 / 255.0}},
        Case{"#FFFFFF", {1, 1, 1}}, Case{"green", {0, 0.5, 0}}}) {
    const overlay::Rgb rgb = parse_color(given(c.text));
    EXPECT_DOUBLE_EQ(rgb.r, c.rgb.r) << c.text;
    EXPECT_DOUBLE_EQ(rgb.g, c.rgb.g) << c.text;
    EXPECT_DOUBLE_EQ(rgb.b, c.rgb.b) << c.text;
  }
}

TEST(ParseColor, RefusesTheRest) {
  for (const char* text : {"", "#", "#fff", "#ff00", "#ff00800", "ff0080", "#gg0000", "#-10000",
                           "#+1+1+1", "# 1 1 1", "#0x0x0x", "Black", "pink"})
    expect_error(ErrorKind::usage, "is not a colour: #RRGGBB, or one of black, white",
                 [&] { (void)parse_color(given(text)); });
}

TEST(ParseHideStyle, ReadsEachStyle) {
  EXPECT_EQ(parse_hide_style(given("solid")).style, overlay::HideStyle::solid);
  EXPECT_EQ(parse_hide_style(given("solid")).color.r, 0);
  EXPECT_EQ(parse_hide_style(given("solid:white")).color.g, 1);
  EXPECT_EQ(parse_hide_style(given("solid:#0000ff")).color.b, 1);
  EXPECT_EQ(parse_hide_style(given("blur")).style, overlay::HideStyle::blur);
  EXPECT_EQ(parse_hide_style(given("mosaic")).style, overlay::HideStyle::mosaic);
  const HideStyleChoice image = parse_hide_style(given("image:C:/logo: new.png"));
  EXPECT_EQ(image.style, overlay::HideStyle::image);
  EXPECT_EQ(image.image_file, "C:/logo: new.png");
}

TEST(ParseHideStyle, RefusesTheRest) {
  for (const char* text :
       {"", ":", "Solid", "blur:", "blur:3", "mosaic:8", "image", "image:", "pixelate", " blur"})
    expect_error(ErrorKind::usage, "is not one of solid, solid:COLOUR, blur, mosaic, image:FILE",
                 [&] { (void)parse_hide_style(given(text)); });
  for (const char* text : {"solid:", "solid:pink"})
    expect_error(ErrorKind::usage, "is not a colour", [&] { (void)parse_hide_style(given(text)); });
}

TEST(ParseChoice, ListsTheChoicesWhereItRefuses) {
  EXPECT_TRUE(parse_choice<bool>(given("yes"), {{"yes", true}, {"no", false}}));
  expect_error(ErrorKind::usage, "--option: 'maybe' is not one of yes, no", [] {
    (void)parse_choice<bool>(given("maybe"), {{"yes", true}, {"no", false}});
  });
}

TEST(Values, RegionsAreInPixelsAndMayBeOfATime) {
  const pipeline::Region door = parse_region(given("door=10,20,30,40"));
  EXPECT_EQ(door.name, "door");
  EXPECT_EQ(door.box, (Box{10, 20, 40, 60}));
  EXPECT_FALSE(door.when.from_s || door.when.to_s);
  const pipeline::Region some = parse_region(given("a b@c=0,0,1,1@1:30-2:00.5"));
  EXPECT_EQ(some.name, "a b@c");
  EXPECT_EQ(some.when.from_s, 90);
  EXPECT_EQ(some.when.to_s, 120.5);
  for (const char* text :
       {"", "door", "=1,2,3,4", "door=", "door=1,2,3", "door=1,2,3,4,5", "door=1,2,0,4",
        "door=1,2,3,0", "door=-1,2,3,4", "door=1,2,3,20000", "door=1.5,2,3,4", "door=1,2,3,x",
        "door=1, 2,3,4", "door=1,2,3,4@", "door=1,2,3,4@5", "door=1,2,3,4@later-"})
    expect_error(ErrorKind::usage, "", [&] { (void)parse_region(given(text)); });
}

TEST(Values, SpansHaveOneEndAtLeast) {
  EXPECT_EQ(parse_span(given("1-2.5")).to_s, 2.5);
  EXPECT_FALSE(parse_span(given("1-")).to_s);
  EXPECT_FALSE(parse_span(given("-1")).from_s);
  EXPECT_EQ(parse_span(given("0-1:00:00")).to_s, 3600);
  for (const char* text : {"", "-", "3", "2-2", "3-2", "-0", "1-2-3", "--2", "a-b", "nan-1"})
    expect_error(ErrorKind::usage, "", [&] { (void)parse_span(given(text)); });
}

}  // namespace
}  // namespace facepipe::app
