#include "video/bitstream/entry_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/support/packets.h"
#include "tests/support/remux.h"

namespace facepipe::video {
namespace {

using Packet = std::vector<std::uint8_t>;
using test::packet_of;

UniqueCodecParameters parameters_of(AVCodecID codec, const Packet& extradata = {}) {
  UniqueCodecParameters parameters = new_codec_parameters();
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  parameters->codec_id = codec;
  if (extradata.empty()) return parameters;
  test::set_extradata(*parameters, extradata);
  return parameters;
}

Packet data_of(const AVPacket& packet) { return {packet.data, packet.data + packet.size}; }

PacketFacts facts_of(AVCodecID codec, const Packet& bytes, int flags = AV_PKT_FLAG_KEY) {
  return EntryPoints(*parameters_of(codec)).examine(*packet_of(bytes, flags));
}

/// Joins units. A start code precedes each unit.
Packet joined(const std::vector<Packet>& units) {
  Packet all;
  for (const Packet& unit : units) {
    all.insert(all.end(), {0, 0, 1});
    all.insert(all.end(), unit.begin(), unit.end());
  }
  return all;
}

// H.264 slices begin with first_mb_in_slice and slice_type, both in Exp-Golomb code.
const Packet kIdr{0x65, 0b10001000};
const Packet kI{0x61, 0b10001000};        // bits 1 and 0001000: macroblock 0, type 7
const Packet kIOfMany{0x61, 0b10110000};  // bits 1 and 011: macroblock 0, type 2
const Packet kP{0x61, 0b10011000};        // bits 1 and 00110: macroblock 0, type 5
const Packet kCut{0x61};                  // ends behind the NAL unit's header
// This SEI message has type 6 and 1 byte: recovery_frame_cnt 0 (bit 1), exact_match_flag (1),
// broken_link_flag (0), ...
const Packet kExact{0x06, 6, 1, 0b11000100, 0x80};
const Packet kInexact{0x06, 6, 1, 0b10000100, 0x80};
const Packet kLater{0x06, 6, 1, 0b01010010, 0x80};  // recovery_frame_cnt 1
const Packet kBehindAnother{0x06, 5, 2, 1, 2, 6, 1, 0b11000100, 0x80};
const Packet kTruncated{0x06, 6};
const Packet kTooLong{0x06, 5, 255, 255, 255, 6, 1, 0b11000100};

TEST(EntryPoints, OfH264) {
  struct Case {
    const char* what;
    std::vector<Packet> units;
    Entry entry;
  };
  const std::vector<Case> cases{
      {"IDR", {kIdr}, Entry::starts_independently},
      {"IDR of two slices", {kIdr, kIdr}, Entry::starts_independently},
      {"IDR and another", {kIdr, kI}, Entry::none},
      {"no picture", {kExact}, Entry::none},
      {"I, no message", {kI}, Entry::none},
      {"I and message", {kExact, kI}, Entry::by_stamps},
      {"I of another number", {kExact, kIOfMany}, Entry::by_stamps},
      {"I of two slices", {kExact, kI, kI}, Entry::by_stamps},
      {"I and P slices", {kExact, kI, kP}, Entry::none},
      {"P", {kExact, kP}, Entry::none},
      {"not exact", {kInexact, kI}, Entry::none},
      {"exact later", {kLater, kI}, Entry::none},
      {"message behind another", {kBehindAnother, kI}, Entry::by_stamps},
      {"message truncated", {kTruncated, kI}, Entry::none},
      {"message longer than its unit", {kTooLong, kI}, Entry::none},
      {"slice truncated", {kExact, kCut}, Entry::none},
      {"data partitions", {kExact, kI, {0x62, 0b10001000}}, Entry::none},
  };
  for (const Case& c : cases)
    EXPECT_EQ(facts_of(AV_CODEC_ID_H264, joined(c.units)).entry, c.entry) << c.what;
  EXPECT_EQ(facts_of(AV_CODEC_ID_H264, {}).entry, Entry::none);
}

TEST(EntryPoints, OfHevc) {
  const auto slice = [](int type, int flags) {
    return joined({{static_cast<std::uint8_t>(type << 1), 1, static_cast<std::uint8_t>(flags)}});
  };
  constexpr int kFirst = 0x80;
  constexpr int kFirstDiscards = 0xC0;
  for (int type = 0; type < 64; ++type) {
    const PacketFacts facts = facts_of(AV_CODEC_ID_HEVC, slice(type, kFirst));
    EXPECT_EQ(facts.entry, type >= 16 && type <= 21 ? Entry::by_type : Entry::none) << type;
    EXPECT_FALSE(facts.leading) << "behind no entry";
    EXPECT_EQ(facts_of(AV_CODEC_ID_HEVC, slice(type, kFirstDiscards)).entry, Entry::none) << type;
    EXPECT_EQ(facts_of(AV_CODEC_ID_HEVC, joined({{static_cast<std::uint8_t>(type << 1)}})).entry,
              Entry::none);
  }
  EXPECT_EQ(facts_of(AV_CODEC_ID_HEVC, joined({{42, 9, kFirst}})).entry, Entry::none)
      << "of another layer";
}

TEST(EntryPoints, LeadingPicturesOfHevcLeadTheLastEntry) {
  EntryPoints entries(*parameters_of(AV_CODEC_ID_HEVC));
  const auto leads = [&](int type, int flags) {
    const Packet unit{static_cast<std::uint8_t>(type << 1), 1, static_cast<std::uint8_t>(flags)};
    return entries.examine(*packet_of(joined({unit}))).leading;
  };
  EXPECT_FALSE(leads(21, 0x80));
  for (const int type : {6, 7, 8, 9}) EXPECT_TRUE(leads(type, 0x80)) << type;
  EXPECT_FALSE(leads(1, 0x80));
  EXPECT_FALSE(leads(19, 0xC0)) << "no entry, because it discards what was before";
  EXPECT_FALSE(leads(8, 0x80));
}

TEST(EntryPoints, OfOtherCodecs) {
  const Packet any(16, 0x55);
  EXPECT_EQ(facts_of(AV_CODEC_ID_MJPEG, any, 0).entry, Entry::starts_independently);
  EXPECT_EQ(facts_of(AV_CODEC_ID_FFV1, any, 0).entry, Entry::none);
  EXPECT_EQ(facts_of(AV_CODEC_ID_FFV1, any).entry, Entry::starts_independently);
  EXPECT_EQ(facts_of(AV_CODEC_ID_SVQ3, any).entry, Entry::by_stamps);
  EXPECT_EQ(facts_of(AV_CODEC_ID_VVC, any).entry, Entry::none);
}

TEST(EntryPoints, OfMpeg2NeedASequenceHeader) {
  const Packet picture{0x00, 0, 8};  // type I
  const Packet header{0xB3, 8, 0, 0x60, 0x13, 0xFF, 0xFF, 0xE0, 0};
  EXPECT_EQ(facts_of(AV_CODEC_ID_MPEG2VIDEO, joined({header, picture})).entry, Entry::by_type);
  EXPECT_EQ(facts_of(AV_CODEC_ID_MPEG2VIDEO, joined({header, picture}), 0).entry, Entry::none);
  EXPECT_EQ(facts_of(AV_CODEC_ID_MPEG2VIDEO, joined({picture})).entry, Entry::none);
}

TEST(EntryPoints, WhatTheParserCallsNoKeyFrameIsNone) {
  constexpr std::uint8_t kVp8Key = 0x10;
  constexpr std::uint8_t kVp8Inter = 0x11;
  EXPECT_EQ(facts_of(AV_CODEC_ID_VP8, Packet(16, kVp8Key)).entry, Entry::starts_independently);
  EXPECT_EQ(facts_of(AV_CODEC_ID_VP8, Packet(16, kVp8Inter)).entry, Entry::none);
}

const Packet kSps{0x67, 66, 0, 30, 0x80};
const Packet kOtherSps{0x67, 77, 0, 30, 0x80};

TEST(EntryPoints, APreludeHasTheSetsFromBefore) {
  EntryPoints entries(*parameters_of(AV_CODEC_ID_H264, joined({kSps})));
  EXPECT_EQ(entries.prelude()->parameter_sets.size(), kSps.size() + 4);
  const PacketFacts first = entries.examine(*packet_of(joined({kOtherSps, kIdr})));
  ASSERT_NE(first.prelude, nullptr);
  EXPECT_EQ(first.prelude->parameter_sets[5], 66) << "its own set comes with it";
  const PacketFacts second = entries.examine(*packet_of(joined({kIdr})));
  EXPECT_EQ(second.prelude->parameter_sets[5], 77);
  EXPECT_EQ(entries.examine(*packet_of(joined({kP}))).prelude, nullptr);

  const UniqueAVPacket original = packet_of(joined({kIdr}));
  original->pts = 5;
  const UniqueAVPacket told = with_prelude(*original, *second.prelude);
  Packet expected{0};
  for (const std::uint8_t byte : joined({kOtherSps, kIdr})) expected.push_back(byte);
  EXPECT_EQ(data_of(*told), expected);
  EXPECT_EQ(told->pts, 5);
  EXPECT_EQ(told->flags, AV_PKT_FLAG_KEY);
  EXPECT_EQ(data_of(*original), joined({kIdr}));
}

TEST(EntryPoints, LaterExtradataChangesTheFraming) {
  EntryPoints entries(*parameters_of(AV_CODEC_ID_H264));
  const Packet avcc{1, 66, 0, 30, 0xFF, 0xE1, 0, 5, 0x67, 66, 0, 30, 0x80, 0};
  const UniqueAVPacket packet = packet_of({0, 0, 0, 2, kIdr[0], kIdr[1]});
  std::uint8_t* side =
      av_packet_new_side_data(packet.get(), AV_PKT_DATA_NEW_EXTRADATA, avcc.size());
  std::ranges::copy(avcc, side);
  EXPECT_EQ(entries.examine(*packet).entry, Entry::starts_independently);

  const UniqueAVPacket following = packet_of({0, 0, 0, 2, kIdr[0], kIdr[1]});
  const PacketFacts facts = entries.examine(*following);
  ASSERT_NE(facts.prelude, nullptr);
  EXPECT_EQ(facts.prelude->parameter_sets, (Packet{0, 0, 0, 5, 0x67, 66, 0, 30, 0x80}));
  std::size_t size = 0;
  const UniqueAVPacket told = with_prelude(*following, *facts.prelude);
  ASSERT_NE(av_packet_get_side_data(told.get(), AV_PKT_DATA_NEW_EXTRADATA, &size), nullptr);
  EXPECT_EQ(size, avcc.size());
}

TEST(EntryPoints, WithLengthsAMalformedPacketIsNone) {
  const Packet avcc{1, 66, 0, 30, 0xFF, 0xE0, 0};
  EntryPoints entries(*parameters_of(AV_CODEC_ID_H264, avcc));
  const auto entry = [&](const Packet& bytes) { return entries.examine(*packet_of(bytes)).entry; };
  EXPECT_EQ(entry({0, 0, 0, 2, 0x65, 0x88}), Entry::starts_independently);
  EXPECT_EQ(entry({0, 0, 0, 2, 0x65, 0x88, 0, 0, 0, 9, 1}), Entry::none);
  EXPECT_EQ(entry({0, 0, 0, 2, 0x65, 0x88, 0}), Entry::none);
}

// If a part of the packet is missing, the decoded picture depends on earlier pictures.
TEST(EntryPoints, D3APacketOfWhichAPartIsMissingIsNone) {
  const int torn = AV_PKT_FLAG_KEY | AV_PKT_FLAG_CORRUPT;
  EXPECT_EQ(facts_of(AV_CODEC_ID_H264, joined({kIdr})).entry, Entry::starts_independently);
  EXPECT_EQ(facts_of(AV_CODEC_ID_H264, joined({kIdr}), torn).entry, Entry::none);
  EXPECT_EQ(facts_of(AV_CODEC_ID_MJPEG, {1, 2, 3}, torn).entry, Entry::none);
}

TEST(EntryPoints, BehindSetsThatAreTooLargeThereIsNone) {
  EntryPoints entries(*parameters_of(AV_CODEC_ID_H264));
  Packet large(5000, 0x55);
  large[0] = 0x67;
  EXPECT_EQ(entries.examine(*packet_of(joined({large, kIdr}))).entry, Entry::starts_independently);
  EXPECT_EQ(entries.examine(*packet_of(joined({kIdr}))).entry, Entry::none);
}

TEST(EntryPoints, SurviveRandomBytes) {
  redirect_ffmpeg_log();  // FFmpeg's parsers write many messages
  std::mt19937 random(1);
  const std::array<AVCodecID, 10> codecs{
      AV_CODEC_ID_H264,  AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
      AV_CODEC_ID_MPEG4, AV_CODEC_ID_VP8,  AV_CODEC_ID_VP9,        AV_CODEC_ID_AV1,
      AV_CODEC_ID_MJPEG, AV_CODEC_ID_VVC};
  const auto bytes = [&](std::size_t most) {
    Packet made(random() % most);
    for (std::uint8_t& byte : made)
      byte = static_cast<std::uint8_t>(random() % 2 == 0 ? random() : random() % 4);
    return made;
  };
  for (int round = 0; round < 200; ++round) {
    for (const AVCodecID codec : codecs) {
      EntryPoints entries(*parameters_of(codec, bytes(40)));
      for (int i = 0; i < 10; ++i) {
        const UniqueAVPacket packet = packet_of(bytes(60), static_cast<int>(random() % 2));
        const PacketFacts facts = entries.examine(*packet);
        if (facts.prelude) static_cast<void>(with_prelude(*packet, *facts.prelude));
      }
    }
  }
}

}  // namespace
}  // namespace facepipe::video
