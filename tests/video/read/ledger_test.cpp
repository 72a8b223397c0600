#include "video/read/ledger.h"

#include <gtest/gtest.h>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "video/bitstream/field_pairs.h"
#include "video/read/demuxer.h"

namespace facepipe::video {
namespace {

TEST(Ledger, AFrameSettlesItsPacketWhateverTheOrder) {
  Ledger ledger;
  const std::int64_t first = ledger.enter({10, true, {}});
  const std::int64_t second = ledger.enter({30, true, {}});
  const std::int64_t third = ledger.enter({20, true, {}});
  EXPECT_EQ(ledger.strike_off(third)->duration, 20);
  EXPECT_EQ(ledger.strike_off(first)->duration, 10);
  EXPECT_EQ(ledger.totals().lost, 1);
  EXPECT_EQ(ledger.strike_off(second)->duration, 30);
  EXPECT_EQ(ledger.totals().lost, 0);
  EXPECT_EQ(ledger.totals().packets, 3);
}

TEST(Ledger, AnUnknownTagIsNoPacket) {
  Ledger ledger;
  const std::int64_t tag = ledger.enter({1, true, {}});
  EXPECT_TRUE(ledger.strike_off(tag));
  EXPECT_FALSE(ledger.strike_off(tag));
  EXPECT_FALSE(ledger.strike_off(0));
}

TEST(Ledger, PacketsThatAreNotShownAreNeitherCountedNorLost) {
  Ledger ledger;
  ledger.enter({1, false, {}});
  EXPECT_EQ(ledger.totals().packets, 0);
  EXPECT_EQ(ledger.totals().lost, 0);
}

TEST(Ledger, TheFrameKnowsBetterThanThePacketWhetherItIsShown) {
  Ledger ledger;
  const std::int64_t tag = ledger.enter({1, true, {}});
  ledger.correct(*ledger.strike_off(tag), false);
  EXPECT_EQ(ledger.totals().packets, 0);
}

TEST(Ledger, ASecondFieldLengthensItsFirst) {
  Ledger ledger;
  const std::int64_t tag = ledger.enter({1, true, {}});
  ledger.extend_last(2);
  EXPECT_EQ(ledger.strike_off(tag)->duration, 3);
}

TEST(Ledger, ADurationThatIsImpossibleIsUnknown) {
  Ledger ledger;
  const std::int64_t tag = ledger.enter({INT64_MAX, true, {}});
  ledger.extend_last(INT64_MAX);
  EXPECT_EQ(ledger.strike_off(tag)->duration, 0);
}

TEST(Ledger, DamagedFramesAreCounted) {
  Ledger ledger;
  ledger.count_frame(false);
  ledger.count_frame(true);
  EXPECT_EQ(ledger.totals().decoded, 2);
  EXPECT_EQ(ledger.totals().damaged, 1);
}

// ffmpeg's MPEG-2 encoder writes both fields of a picture together, so no packet may count as a
// second field.
TEST(FieldPairs, FramePicturesAreNoFields) {
  const test::TemporaryFolder folder;
  const auto clip = folder / "interlaced.ts";
  test::ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -c:v mpeg2video -flags +ilme+ildct", clip);
  Demuxer demuxer(clip.string(), {});
  FieldPairs fields(*demuxer.video().codecpar);
  int packets = 0;
  while (const UniqueAVPacket packet = demuxer.read()) {
    EXPECT_FALSE(fields.is_second_field(*packet));
    ++packets;
  }
  EXPECT_EQ(packets, 10);
}

}  // namespace
}  // namespace facepipe::video
