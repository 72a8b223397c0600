#include "video/bitstream/nal_units.h"

#include <gtest/gtest.h>

#include <random>

namespace facepipe::video {
namespace {

using Packet = std::vector<std::uint8_t>;

struct Read {
  std::vector<Packet> units;
  bool malformed = false;
};

Read read(const Packet& packet, int length_size) {
  NalReader reader(packet, {length_size});
  Read result;
  while (const std::optional<Bytes> unit = reader.next())
    result.units.emplace_back(unit->begin(), unit->end());
  result.malformed = reader.malformed();
  return result;
}

TEST(NalReader, FindsUnitsBehindStartCodes) {
  struct Case {
    const char* what;
    Packet packet;
    std::vector<Packet> units;
  };
  const std::vector<Case> cases{
      {"nothing", {}, {}},
      {"no start code", {0, 0, 2, 1, 5}, {}},
      {"too short", {0, 1}, {}},
      {"a start code alone", {0, 0, 1}, {}},
      {"one", {0, 0, 1, 9}, {{9}}},
      {"four bytes", {0, 0, 0, 1, 9, 8}, {{9, 8}}},
      {"bytes in front", {7, 0, 0, 1, 9}, {{9}}},
      {"two, zeros between", {0, 0, 1, 9, 0, 0, 0, 0, 1, 8}, {{9}, {8}}},
      {"zeros behind", {0, 0, 1, 9, 0, 0}, {{9}}},
      {"empty ones", {0, 0, 1, 0, 0, 1, 0, 0, 1, 9}, {{9}}},
      {"a one alone is not a start code", {0, 0, 1, 9, 1, 0, 1, 8}, {{9, 1, 0, 1, 8}}},
  };
  for (const Case& c : cases) EXPECT_EQ(read(c.packet, 0).units, c.units) << c.what;
}

TEST(NalReader, FindsUnitsBehindLengths) {
  struct Case {
    const char* what;
    int length_size;
    Packet packet;
    std::vector<Packet> units;
    bool malformed;
  };
  const std::vector<Case> cases{
      {"nothing", 4, {}, {}, false},
      {"two", 4, {0, 0, 0, 1, 9, 0, 0, 0, 2, 8, 7}, {{9}, {8, 7}}, false},
      {"two bytes of length", 2, {0, 1, 9, 0, 2, 8, 7}, {{9}, {8, 7}}, false},
      {"one byte of length", 1, {1, 9, 2, 8, 7}, {{9}, {8, 7}}, false},
      {"an empty one", 2, {0, 0, 0, 1, 9}, {{9}}, false},
      {"length beyond the end", 2, {0, 1, 9, 0, 3, 8, 7}, {{9}}, true},
      {"the greatest length", 4, {255, 255, 255, 255, 9}, {}, true},
      {"half a length", 4, {0, 0, 0, 1, 9, 0, 0}, {{9}}, true},
      {"start codes instead", 4, {0, 0, 0, 1, 0x67, 0x42, 0, 0, 0, 1}, {{0x67}}, true},
  };
  for (const Case& c : cases) {
    const Read found = read(c.packet, c.length_size);
    EXPECT_EQ(found.units, c.units) << c.what;
    EXPECT_EQ(found.malformed, c.malformed) << c.what;
  }
}

TEST(NalExtradata, ReadsAvcc) {
  const Packet avcc{1, 66, 0, 30, 0xFF, 0xE1, 0, 2, 0x67, 5, 1, 0, 1, 0x68};
  const NalExtradata read = read_nal_extradata(AV_CODEC_ID_H264, avcc);
  EXPECT_EQ(read.framing.length_size, 4);
  ASSERT_EQ(read.units.size(), 2U);
  EXPECT_EQ(read.units[0].size(), 2U);
  EXPECT_EQ(read.units[1][0], 0x68);
}

TEST(NalExtradata, ReadsHvcc) {
  Packet hvcc(21, 0);
  hvcc[0] = 1;
  // Lengths have 2 bytes. There are 2 arrays: the first has one unit, and the second has two.
  for (const int byte : {0xFD, 2, 32, 0, 1, 0, 2, 64, 1, 34, 0, 2, 0, 1, 68, 0, 1, 69})
    hvcc.push_back(static_cast<std::uint8_t>(byte));
  const NalExtradata read = read_nal_extradata(AV_CODEC_ID_HEVC, hvcc);
  EXPECT_EQ(read.framing.length_size, 2);
  ASSERT_EQ(read.units.size(), 3U);
  EXPECT_EQ(read.units[0].size(), 2U);
  EXPECT_EQ(read.units[2][0], 69);
}

TEST(NalExtradata, ReadsStartCodes) {
  const Packet annex_b{0, 0, 0, 1, 0x67, 5, 0, 0, 1, 0x68};
  for (const AVCodecID codec : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC}) {
    const NalExtradata read = read_nal_extradata(codec, annex_b);
    EXPECT_EQ(read.framing.length_size, 0);
    EXPECT_EQ(read.units.size(), 2U);
  }
}

TEST(NalExtradata, TakesWhatIsWholeOfTruncatedOnes) {
  const Packet avcc{1, 66, 0, 30, 0xFF, 0xE2, 0, 2, 0x67, 5, 0, 9, 1};
  for (std::size_t size = 0; size <= avcc.size(); ++size) {
    const Packet cut(avcc.begin(), avcc.begin() + static_cast<std::ptrdiff_t>(size));
    const NalExtradata read = read_nal_extradata(AV_CODEC_ID_H264, cut);
    EXPECT_EQ(read.units.size(), size >= 10 ? 1U : 0U) << size;
  }
}

TEST(RbspReader, ReadsNumbers) {
  const Packet bytes{0b10100011, 0b01000010};
  RbspReader reader(bytes);
  EXPECT_EQ(reader.exp_golomb(), 0U);  // bit 1
  EXPECT_EQ(reader.exp_golomb(), 1U);  // bits 010
  EXPECT_EQ(reader.exp_golomb(), 5U);  // bits 00110
  EXPECT_EQ(reader.bits(7), 0b1000010U);
  EXPECT_FALSE(reader.failed());
}

TEST(RbspReader, LeavesOutWhatKeepsStartCodesAway) {
  const Packet bytes{0, 0, 3, 1, 0, 0, 3, 0, 0, 3};
  RbspReader reader(bytes);
  EXPECT_EQ(reader.bits(32), 0x00000100U);
  EXPECT_EQ(reader.bits(24), 0U);
  EXPECT_FALSE(reader.failed());
  EXPECT_EQ(reader.bits(1), 0U);
  EXPECT_TRUE(reader.failed());
}

TEST(RbspReader, SaysThatItIsBehindTheEnd) {
  RbspReader none({});
  EXPECT_EQ(none.bits(8), 0U);
  EXPECT_TRUE(none.failed());

  const Packet byte{0xFF};
  RbspReader skipping(byte);
  skipping.skip_bits(UINT64_MAX);
  EXPECT_TRUE(skipping.failed());

  const Packet zeros(100, 0);
  RbspReader too_large(zeros);
  EXPECT_EQ(too_large.exp_golomb(), 0U);
  EXPECT_TRUE(too_large.failed());
}

TEST(NalReader, SurvivesRandomBytes) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    Packet packet(random() % 40);
    // Most bytes have one of four values, so that start codes and fitting lengths occur often.
    for (std::uint8_t& byte : packet)
      byte = static_cast<std::uint8_t>(random() % 8 == 0 ? random() : random() % 4);
    for (const int length_size : {0, 1, 2, 3, 4}) {
      std::size_t total = 0;
      for (const Packet& unit : read(packet, length_size).units) {
        ASSERT_FALSE(unit.empty());
        total += unit.size();
        RbspReader reader(unit);
        while (!reader.failed()) static_cast<void>(reader.exp_golomb());
      }
      ASSERT_LE(total, packet.size());
    }
    for (const AVCodecID codec : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC})
      static_cast<void>(read_nal_extradata(codec, packet));
  }
}

}  // namespace
}  // namespace facepipe::video
