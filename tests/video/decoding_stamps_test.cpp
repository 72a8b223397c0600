// These tests check the conditions that decoding stamps must fulfil for every decoder.
#include "video/write/encoder_stamps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "core/error.h"

namespace facepipe::video {
namespace {

using testing::ElementsAre;
using Stamps = std::vector<std::int64_t>;

/// Returns the decoding stamps of packets. Before the encoder returns a packet, it has received
/// `sent_ahead` further pictures.
Stamps stamps_of(int lead, std::int64_t ticks, const Stamps& shown, std::size_t sent_ahead) {
  DecodingStamps stamps(lead, ticks);
  Stamps given;
  for (std::size_t i = 0; i < shown.size() + sent_ahead; ++i) {
    if (i < shown.size()) stamps.sent(shown[i]);
    if (i >= sent_ahead) given.push_back(stamps.next());
  }
  return given;
}

TEST(DecodingStamps, WithoutALeadAreThoseOfPresentation) {
  EXPECT_THAT(stamps_of(0, 10, {5, 15, 26}, 0), ElementsAre(5, 15, 26));
}

TEST(DecodingStamps, ComeTheLeadEarlier) {
  EXPECT_THAT(stamps_of(2, 10, {100, 110, 120, 130}, 0), ElementsAre(80, 90, 100, 110));
}

TEST(DecodingStamps, DontDependOnHowManyPicturesTheEncoderHolds) {
  const Stamps shown{0, 512, 1024, 1700, 1701, 2048, 9000};
  for (std::size_t ahead = 0; ahead <= shown.size(); ++ahead)
    EXPECT_EQ(stamps_of(3, 512, shown, ahead), stamps_of(3, 512, shown, 0)) << ahead;
}

// The order is a pyramid of seven B-frames with an uneven rate, which is the deepest reordering of
// NVENC.
TEST(DecodingStamps, RiseAndAreNeverAfterPresentation) {
  const Stamps shown{0, 3, 7, 8, 20, 21, 30, 44, 45, 50};
  const std::vector<std::size_t> decoding_order{0, 8, 4, 2, 1, 3, 6, 5, 7, 9};
  const Stamps given = stamps_of(4, 5, shown, shown.size());
  for (std::size_t i = 0; i < given.size(); ++i) EXPECT_LE(given[i], shown[decoding_order[i]]) << i;
  EXPECT_EQ(std::adjacent_find(given.begin(), given.end(), std::greater_equal<>()), given.end());
}

TEST(DecodingStamps, RefuseWhatMakesNoSense) {
  EXPECT_THROW(DecodingStamps(-1, 1), Error);
  EXPECT_THROW(DecodingStamps(0, 0), Error);
  DecodingStamps stamps(2, 1);
  EXPECT_THROW(static_cast<void>(stamps.next()), Error) << "nothing sent";
  stamps.sent(7);
  EXPECT_EQ(stamps.next(), 5);
  EXPECT_THROW(static_cast<void>(stamps.next()), Error) << "a packet more than pictures";
}

}  // namespace
}  // namespace facepipe::video
