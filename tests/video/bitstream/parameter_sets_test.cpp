#include "video/bitstream/parameter_sets.h"

#include <gtest/gtest.h>

#include <random>

namespace facepipe::video {
namespace {

using Packet = std::vector<std::uint8_t>;

constexpr NalFraming kStartCodes{0};
constexpr NalFraming kLengths{2};

// The sequence parameter sets have the numbers 0, 1, and 0 with other content. The picture
// parameter sets have the numbers 0 and 1.
const Packet kSps0{0x67, 66, 0, 30, 0x80};
const Packet kSps1{0x67, 66, 0, 30, 0x40};
const Packet kOtherSps0{0x67, 77, 0, 30, 0x80};
const Packet kPps0{0x68, 0x80};
const Packet kPps1{0x68, 0x40};

TEST(ParameterSets, GivesTheLastOfEachNumber) {
  ParameterSets sets(AV_CODEC_ID_H264);
  EXPECT_TRUE(sets.bytes(kStartCodes).empty());
  for (const Packet& unit : {kPps0, kSps0, kOtherSps0}) sets.note(unit);
  EXPECT_EQ(sets.bytes(kLengths), (Packet{0, 5, 0x67, 77, 0, 30, 0x80, 0, 2, 0x68, 0x80}));
  EXPECT_EQ(sets.bytes(kStartCodes),
            (Packet{0, 0, 0, 1, 0x67, 77, 0, 30, 0x80, 0, 0, 0, 1, 0x68, 0x80}));
}

TEST(ParameterSets, KeepsSetsOfOtherNumbers) {
  ParameterSets sets(AV_CODEC_ID_H264);
  for (const Packet& unit : {kSps0, kSps1, kPps0, kPps1}) sets.note(unit);
  EXPECT_EQ(sets.bytes(kLengths).size(), 5 + 5 + 2 + 2 + 4 * 2U);
}

TEST(ParameterSets, CountsChangesAlone) {
  ParameterSets sets(AV_CODEC_ID_H264);
  sets.note(kSps0);
  sets.note(kSps0);
  EXPECT_EQ(sets.changes(), 1);
  sets.note(kOtherSps0);
  EXPECT_EQ(sets.changes(), 2);
}

TEST(ParameterSets, IgnoresWhatIsNoneOrTruncated) {
  ParameterSets h264(AV_CODEC_ID_H264);
  for (const Packet& unit : {Packet{0x65, 0x80}, Packet{0x67}, Packet{0x67, 66, 0, 30},
                             Packet{0x68}, Packet{0x68, 0, 0, 0}})
    h264.note(unit);
  EXPECT_EQ(h264.changes(), 0);
  ParameterSets hevc(AV_CODEC_ID_HEVC);
  for (const Packet& unit : {Packet{0x40}, Packet{0x42, 1, 0}, Packet{0x44, 1}}) hevc.note(unit);
  EXPECT_EQ(hevc.changes(), 0);
}

TEST(ParameterSets, TellsHevcSetsApart) {
  ParameterSets sets(AV_CODEC_ID_HEVC);
  sets.note(Packet{0x40, 1, 0x0F});  // video parameter set with the number 0
  Packet sequence(2 + 1 + 12, 0);    // number 0 follows one byte of the set and 12 bytes of the
                                     // profile
  sequence[0] = 0x42;
  sequence[1] = 1;
  Packet other = sequence;
  sequence.push_back(0x80);
  other.push_back(0x40);  // number 1
  sets.note(sequence);
  sets.note(other);
  sets.note(Packet{0x44, 1, 0x80});
  sets.note(Packet{0x44, 9, 0x40});  // of another layer, so it is ignored
  EXPECT_EQ(sets.changes(), 4);
  EXPECT_EQ(sets.bytes(kLengths).size(), 3 + 16 + 16 + 3 + 4 * 2U);
}

TEST(ParameterSets, KeepsNoMoreThanIsSane) {
  ParameterSets sets(AV_CODEC_ID_H264);
  sets.note(kSps0);
  Packet large(5000, 1);
  large[0] = 0x68;
  large[1] = 0x80;
  sets.note(large);
  EXPECT_TRUE(sets.overflowed());
  EXPECT_EQ(sets.changes(), 1);

  ParameterSets many(AV_CODEC_ID_H264);
  large.resize(4000);
  for (unsigned number = 0; number < 40; ++number) {
    large[1] = 1;  // number in Exp-Golomb code: 7 zeros, a one, and 7 bits mean 127 + the value of
                   // the bits
    large[2] = static_cast<std::uint8_t>(number << 1U);
    many.note(large);
  }
  EXPECT_TRUE(many.overflowed());
  EXPECT_LE(many.bytes(kLengths).size(), 70'000U);
}

TEST(ParameterSets, SurvivesRandomBytes) {
  std::mt19937 random(1);
  for (const AVCodecID codec : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC}) {
    ParameterSets sets(codec);
    for (int round = 0; round < 20'000; ++round) {
      Packet unit(1 + random() % 30);
      for (std::uint8_t& byte : unit)
        byte = static_cast<std::uint8_t>(random() % 2 == 0 ? random() : 0);
      sets.note(unit);
    }
    EXPECT_LE(sets.bytes(kStartCodes).size(), 80'000U);
  }
}

}  // namespace
}  // namespace facepipe::video
