#include "video/bitstream/codec_headers.h"
#include "video/bitstream/packet_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/picture_files.h"
#include "tests/support/remux.h"

namespace facepipe::video {
namespace {

using namespace std::string_literals;
using test::little;

UniqueCodecParameters parameters_of(AVCodecID codec, std::string_view header) {
  UniqueCodecParameters parameters = new_codec_parameters();
  parameters->codec_id = codec;
  test::set_extradata(*parameters,
                      {reinterpret_cast<const std::uint8_t*>(header.data()), header.size()});
  return parameters;
}

std::string text_of(const AVCodecParameters& parameters) {
  const Bytes header = header_of(parameters);
  return {reinterpret_cast<const char*>(header.data()), header.size()};
}

/// Returns the first header packet, which has `size` bytes.
std::string first_packet(char type, const std::string& name, std::size_t size) {
  std::string packet = type + name;
  packet.resize(size);
  return packet;
}

TEST(CodecHeaders, A8XiphCommentsGoFromBothLayouts) {
  struct Case {
    AVCodecID codec;
    std::string name;
    char first, second, third;
  };
  for (const Case& c : {Case{AV_CODEC_ID_VORBIS, "vorbis", 1, 3, 5},
                        Case{AV_CODEC_ID_THEORA, "theora", '\x80', '\x81', '\x82'}}) {
    const std::string facts = first_packet(c.first, c.name, 30);
    std::string comments = c.second + c.name;
    comments.append(little(1, 4)).append("x");
    comments.append(little(1, 4)).append(little(15, 4)).append("ARTIST=Somebody\1");
    const std::string setup = c.third + c.name + "setup";
    const auto sized = [](const std::string& packet) {
      return std::string{0, static_cast<char>(packet.size())} + packet;
    };
    const std::string laced = "\2"s + static_cast<char>(facts.size()) +
                              static_cast<char>(comments.size()) + facts + comments + setup;
    for (const std::string& header : {laced, sized(facts) + sized(comments) + sized(setup)}) {
      const UniqueCodecParameters parameters = parameters_of(c.codec, header);
      EXPECT_EQ(clean_header(*parameters), "ARTIST");
      const std::string cleaned = text_of(*parameters);
      EXPECT_EQ(cleaned.find("Somebody"), std::string::npos);
      EXPECT_NE(cleaned.find(facts), std::string::npos);
      EXPECT_NE(cleaned.find(setup), std::string::npos);
      EXPECT_EQ(clean_header(*parameters), "") << "a clean one stays";
      EXPECT_EQ(text_of(*parameters), cleaned);
    }
  }
}

TEST(CodecHeaders, A8AHeaderThatCannotBeReadGoesAsAWhole) {
  for (const std::string& header : {"\2\xff\xff\xff"s, "\2\x05\x05short"s, "ARTIST=Somebody"s}) {
    const UniqueCodecParameters parameters = parameters_of(AV_CODEC_ID_VORBIS, header);
    EXPECT_FALSE(can_clean_header(*parameters));
    EXPECT_NE(clean_header(*parameters), "");
    EXPECT_TRUE(header_of(*parameters).empty());
  }
}

TEST(CodecHeaders, A8FlacAndOpusKeepTheFactsOfTheSound) {
  const std::string facts(34, 'f');
  const UniqueCodecParameters flac = parameters_of(
      AV_CODEC_ID_FLAC, "fLaC"s + '\0' + "\0\0\x22"s + facts + "\x84\0\0\x08"s + "Somebody");
  EXPECT_NE(clean_header(*flac), "");
  EXPECT_EQ(text_of(*flac), facts);
  std::string head = "OpusHead";
  head.resize(19);
  const UniqueCodecParameters opus = parameters_of(AV_CODEC_ID_OPUS, head + "Somebody");
  EXPECT_NE(clean_header(*opus), "");
  EXPECT_EQ(text_of(*opus), head);
}

TEST(CodecHeaders, A8OtherCodecsKeepTheirHeader) {
  const UniqueCodecParameters aac = parameters_of(AV_CODEC_ID_AAC, "\x12\x10");
  EXPECT_EQ(clean_header(*aac), "");
  EXPECT_EQ(text_of(*aac), "\x12\x10");
  const UniqueCodecParameters dvd = parameters_of(
      AV_CODEC_ID_DVD_SUBTITLE, "# by Somebody\nsize: 720x480\npalette: 000000, ffffff\n");
  EXPECT_NE(clean_header(*dvd), "");
  EXPECT_EQ(text_of(*dvd), "size: 720x480\npalette: 000000, ffffff\n");
}

TEST(CodecHeaders, A8TextSubtitlesLoseTheirHeader) {
  for (const AVCodecID codec : {AV_CODEC_ID_SUBRIP, AV_CODEC_ID_WEBVTT, AV_CODEC_ID_SAMI,
                                AV_CODEC_ID_JACOSUB, AV_CODEC_ID_MICRODVD, AV_CODEC_ID_TTML}) {
    const UniqueCodecParameters parameters = parameters_of(codec, "by Somebody");
    EXPECT_NE(clean_header(*parameters), "") << avcodec_get_name(codec);
    EXPECT_EQ(text_of(*parameters), "") << avcodec_get_name(codec);
  }
}

TEST(CodecHeaders, A8TimedTextKeepsNumbersAndFonts) {
  const std::string numbers(30, '\1');
  const std::string fonts =
      "\0\0\0\x12"
      "ftab\0\1\0\1\5Serif"s;
  const struct {
    const char* what;
    std::string header;
    std::string kept;
  } cases[] = {
      {"known parts", numbers + fonts, numbers + fonts},
      {"numbers alone", numbers, numbers},
      {"another box", numbers + "\0\0\0\x10udtaSomebody"s + fonts, numbers + fonts},
      {"bytes behind", numbers + fonts + "Somebody", numbers + fonts},
      {"more in the table than fonts",
       numbers + "\0\0\0\x12"
                 "ftab\0\0Somebody"s,
       numbers},
      {"a name beyond the table",
       numbers + "\0\0\0\x12"
                 "ftab\0\1\0\1\xffSerif"s,
       numbers},
      {"a name with a line break",
       numbers + "\0\0\0\x12"
                 "ftab\0\1\0\1\5Ser\nf"s,
       numbers},
      {"too short", "Somebody", ""},
  };
  for (const auto& each : cases) {
    const UniqueCodecParameters parameters = parameters_of(AV_CODEC_ID_MOV_TEXT, each.header);
    EXPECT_EQ(clean_header(*parameters).empty(), each.header == each.kept) << each.what;
    EXPECT_EQ(text_of(*parameters), each.kept) << each.what;
  }
}

TEST(CodecHeaders, BitRatesOfTimedTextAreLeftOutAndNothingIsSaid) {
  const std::string numbers(30, '\1');
  const std::string rates = "\0\0\0\x14"s + "btrt" + std::string(12, '\2');
  const UniqueCodecParameters parameters = parameters_of(AV_CODEC_ID_MOV_TEXT, numbers + rates);
  EXPECT_EQ(clean_header(*parameters), "");
  EXPECT_EQ(text_of(*parameters), numbers);
  // A longer box of this name holds more than rates.
  const std::string text = "\0\0\0\x1C"s + "btrt" + std::string(12, '\2') + "Somebody";
  const UniqueCodecParameters other = parameters_of(AV_CODEC_ID_MOV_TEXT, numbers + text);
  EXPECT_NE(clean_header(*other), "");
  EXPECT_EQ(text_of(*other), numbers);
}

/// Returns a font file with one table, "cmap", of `size` bytes.
std::string font_file(std::size_t size) {
  std::string file = "\0\1\0\0\0\1\0\0\0\0\0\0cmap\0\0\0\0\0\0\0\x1C"s;
  file += {0, 0, static_cast<char>(size >> 8), static_cast<char>(size)};
  file.append(size, 'x');
  return file;
}

TEST(CodecHeaders, A8OnlyAFontIsAFont) {
  const auto is = [](const std::string& file) {
    return is_font({reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
  };
  EXPECT_TRUE(is(font_file(100)));
  EXPECT_FALSE(is(font_file(100).substr(0, 80))) << "a table beyond the end";
  EXPECT_FALSE(is(font_file(100) + std::string(5000, 'p'))) << "a picture behind a font";
  EXPECT_FALSE(is("\xff\xd8\xff\xe0"s + font_file(100)));
  EXPECT_FALSE(is("\0\1\0\0"s));
  EXPECT_FALSE(is(""));
  EXPECT_FALSE(is("not really a font"));
}

}  // namespace
}  // namespace facepipe::video
