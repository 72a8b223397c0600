#include "video/bitstream/unchanged.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/packets.h"

namespace facepipe::video {
namespace {

bool says_nothing(UnchangedPackets& packets, const std::vector<std::uint8_t>& bytes) {
  return packets.is_one(*test::packet_of(bytes, 0));
}

UnchangedPackets packets_of(AVCodecID codec) {
  const UniqueCodecParameters parameters = new_codec_parameters();
  parameters->codec_id = codec;
  return UnchangedPackets(*parameters);
}

// This video object layer has a resolution of 30,000 ticks a second, so a time has 15 bits.
const std::vector<std::uint8_t> kLayer{0, 0, 1, 0x20, 0x00, 0x84, 0x5D, 0x4C, 0x3F};
// The VOP header has these fields: type P; no whole second has passed (bit 0); a marker; 15 bits of
// time; a marker; whether the picture is coded.
const std::vector<std::uint8_t> kNotCoded{0, 0, 1, 0xB6, 0x56, 0x07, 0x37};
const std::vector<std::uint8_t> kCoded{0, 0, 1, 0xB6, 0x56, 0x07, 0x3F};

TEST(UnchangedPackets, B11KnowAVopThatIsNotCoded) {
  UnchangedPackets packets = packets_of(AV_CODEC_ID_MPEG4);
  EXPECT_FALSE(says_nothing(packets, kNotCoded)) << "no header has told where to look";
  EXPECT_FALSE(says_nothing(packets, kLayer));
  EXPECT_TRUE(says_nothing(packets, kNotCoded));
  EXPECT_FALSE(says_nothing(packets, kCoded));
}

TEST(UnchangedPackets, B11OfAPackedStreamHaveOneVopAlone) {
  UnchangedPackets packets = packets_of(AV_CODEC_ID_MPEG4);
  EXPECT_FALSE(says_nothing(packets, kLayer));
  std::vector<std::uint8_t> both = kNotCoded;
  both.insert(both.end(), kCoded.begin(), kCoded.end());
  EXPECT_FALSE(says_nothing(packets, both));
}

TEST(UnchangedPackets, B11ThatEndTooEarlyAreNone) {
  UnchangedPackets packets = packets_of(AV_CODEC_ID_MPEG4);
  EXPECT_FALSE(says_nothing(packets, kLayer));
  for (std::size_t length = 1; length < kNotCoded.size(); ++length)
    EXPECT_FALSE(says_nothing(
        packets, {kNotCoded.begin(), kNotCoded.begin() + static_cast<std::ptrdiff_t>(length)}))
        << length;
  std::vector<std::uint8_t> endless(100, 0xFF);
  std::copy_n(kNotCoded.begin(), 4, endless.begin());
  EXPECT_FALSE(says_nothing(packets, endless));
}

TEST(UnchangedPackets, KnowDiracsEndOfASequence) {
  UnchangedPackets packets = packets_of(AV_CODEC_ID_DIRAC);
  const std::vector<std::uint8_t> end{'B', 'B', 'C', 'D', 0x10, 0, 0, 0, 13, 0, 0, 0, 40};
  std::vector<std::uint8_t> picture = end;
  picture[4] = 0xE8;
  EXPECT_TRUE(says_nothing(packets, end));
  EXPECT_FALSE(says_nothing(packets, picture));
  std::vector<std::uint8_t> both = end;
  both.insert(both.end(), picture.begin(), picture.end());
  EXPECT_FALSE(says_nothing(packets, both));
  EXPECT_FALSE(says_nothing(packets, {'B', 'B', 'C', 'D', 0x10}));
}

TEST(UnchangedPackets, B11KnowVp8FramesThatAreNotShown) {
  UnchangedPackets packets = packets_of(AV_CODEC_ID_VP8);
  EXPECT_TRUE(says_nothing(packets, {0x01, 0, 0}));
  EXPECT_FALSE(says_nothing(packets, {0x11, 0, 0}));
}

TEST(UnchangedPackets, B11OfOtherCodecsAreEmpty) {
  UnchangedPackets packets = packets_of(AV_CODEC_ID_MJPEG);
  EXPECT_TRUE(says_nothing(packets, {}));
  EXPECT_FALSE(says_nothing(packets, {0}));
}

}  // namespace
}  // namespace facepipe::video
