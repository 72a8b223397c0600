// These tests decode several streams, one after the other, with one codec context of FFmpeg. The
// results must equal those of a new codec context for each stream.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/all_pictures.h"
#include "tests/support/clips.h"
#include "tests/support/going_on.h"
#include "tests/support/picture_hash.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg_compat.h"
#include "video/read/cpu_decoder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

struct Picture {
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  bool interlaced = false;
  bool damaged = false;
  std::size_t hash = 0;
  friend bool operator==(const Picture&, const Picture&) = default;
};

/// Returns whether the decoder gets the packet with this number.
using Wanted = std::function<bool(int number)>;

bool all(int /*number*/) { return true; }

std::vector<Picture> play(video::Demuxer& demuxer, video::Decoder& decoder, const Wanted& wanted) {
  std::vector<Picture> pictures;
  const auto take = [&](const video::DecodedPicture& next) {
    pictures.push_back({next.coded.pts, next.coded.duration,
                        video::compat::is_interlaced(*next.picture), next.damaged,
                        hash_of(*next.picture)});
  };
  all_pictures(demuxer, decoder, take, wanted);
  return pictures;
}

struct Decoded {
  std::vector<Picture> pictures;
  std::int64_t lost = 0;
  video::UniqueCodecContext codec;  ///< codec for the next decoder, or nullptr
};

Decoded decoded(const fs::path& file, video::UniqueCodecContext before,
                const Wanted& wanted = all) {
  video::Notices notices(file.string());
  video::Demuxer demuxer(file.string(), {});
  GoingOnDecoder decoder(demuxer, notices, std::move(before));
  Decoded result;
  result.pictures = play(demuxer, decoder, wanted);
  result.lost = decoder.ledger().lost;
  result.codec = decoder.take_idle();
  return result;
}

/// Decodes a file with a new decoder of the CPU.
std::vector<Picture> pictures_of(const fs::path& file, const Wanted& wanted = all) {
  video::Notices notices(file.string());
  video::Demuxer demuxer(file.string(), {});
  video::DecoderOptions options;
  options.threads = 1;
  return play(demuxer, *video::make_cpu_decoder(demuxer, options, notices), wanted);
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

const std::string kX264 = " -c:v libx264 -preset veryfast -threads 1 -pix_fmt yuv420p ";
const std::string kTest = "-f lavfi -i testsrc2=s=128x96:r=25:d=1.4 ";
const std::string kFractal = "-f lavfi -i mandelbrot=s=128x96:r=25 -frames:v 23 ";

struct Kind {
  const char* name;
  const char* file;
  std::string encoded;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class GoingOn : public testing::TestWithParam<Kind> {};

TEST_P(GoingOn, GivesEachStreamAsACodecOfItsOwn) {
  if (!video::compat::kMayGoOn) GTEST_SKIP() << "this FFmpeg's decoders keep more of a stream";
  const TemporaryFolder folder;
  const fs::path one = folder / ("one" + std::string(GetParam().file));
  const fs::path other = folder / ("other" + std::string(GetParam().file));
  ffmpeg(kTest + GetParam().encoded, one);
  ffmpeg(kFractal + GetParam().encoded, other);
  const int before = GoingOnDecoder::formats_asked();
  video::UniqueCodecContext codec;
  for (const fs::path& file : {one, other, other, one}) {
    SCOPED_TRACE(file.filename().string());
    Decoded found = decoded(file, std::move(codec));
    EXPECT_EQ(found.pictures, pictures_of(file));
    EXPECT_EQ(found.lost, 0);
    ASSERT_NE(found.codec, nullptr);
    codec = std::move(found.codec);
  }
  EXPECT_EQ(GoingOnDecoder::formats_asked() - before, 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, GoingOn,
    testing::Values(
        Kind{"Reordered", ".mp4", kX264 + "-bf 3 -g 12"},
        Kind{"ReorderedDeeply", ".mkv",
             kX264 + "-bf 8 -refs 6 -x264-params b-pyramid=normal:b-adapt=0"},
        Kind{"InOrder", ".mp4", kX264 + "-bf 0"},
        Kind{"NoLatency", ".mp4", kX264 + "-tune zerolatency"},
        Kind{"OpenGop", ".mp4", kX264 + "-bf 3 -g 12 -x264-params open-gop=1:b-adapt=0"},
        Kind{"Raw", ".264", kX264 + "-bf 3 -g 12"},
        Kind{"TransportStream", ".ts", kX264 + "-bf 3 -g 12"},
        Kind{"IntraRefresh", ".mp4", kX264 + "-bf 0 -g 12 -x264-params intra-refresh=1"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(BeginningAgain, IsGoingOn) {
  if (!video::compat::kMayGoOn) GTEST_SKIP() << "this FFmpeg's decoders keep more of a stream";
  const TemporaryFolder folder;
  ffmpeg(kTest + kX264 + "-bf 3 -g 12", folder / "clip.mp4");
  video::Notices notices("clip");
  video::Demuxer first((folder / "clip.mp4").string(), {});
  GoingOnDecoder decoder(first, notices, nullptr);
  const int before = GoingOnDecoder::formats_asked();
  for (bool came = false; !came;) {
    decoder.send({first.read(), {}});
    came = decoder.next().has_value();
  }
  decoder.begin_again();
  video::Demuxer demuxer((folder / "clip.mp4").string(), {});
  EXPECT_EQ(play(demuxer, decoder, all), pictures_of(folder / "clip.mp4"));
  EXPECT_EQ(decoder.ledger().lost, 0);
  EXPECT_EQ(GoingOnDecoder::formats_asked() - before, 1);
}

/// These tests use streams whose codecs aren't passed to the next decoder, or must start anew.
class GoesOnNoMore : public testing::Test {
 protected:
  void SetUp() override {
    if (!video::compat::kMayGoOn) GTEST_SKIP() << "this FFmpeg's decoders keep more of a stream";
    ffmpeg(kTest + kX264 + "-bf 3 -g 12", plain_);
  }

  TemporaryFolder folder_;
  fs::path plain_ = folder_ / "plain.264";
};

TEST_F(GoesOnNoMore, WhereAPacketIsLost) {
  const Wanted but_one = [](int number) { return number != 3; };
  const Decoded found = decoded(plain_, nullptr, but_one);
  EXPECT_EQ(found.pictures, pictures_of(plain_, but_one));
  EXPECT_FALSE(found.pictures.empty());
}

TEST_F(GoesOnNoMore, WhereThePicturesOfADamagedStreamDontCome) {
  const fs::path cut = folder_ / "cut.264";
  std::string bytes = read_file(plain_);
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.end(), '\x41');
  write(cut, bytes);
  const Decoded found = decoded(cut, nullptr);
  EXPECT_EQ(found.pictures, pictures_of(cut));
}

TEST_F(GoesOnNoMore, WhereParameterSetsChange) {
  const fs::path larger = folder_ / "larger.264";
  const fs::path both = folder_ / "both.264";
  ffmpeg("-f lavfi -i testsrc2=s=192x96:r=25:d=1" + kX264 + "-bf 3", larger);
  write(both, read_file(plain_) + read_file(larger));
  const Decoded found = decoded(both, nullptr);
  EXPECT_EQ(found.pictures, pictures_of(both));
  EXPECT_EQ(found.codec, nullptr);
}

TEST_F(GoesOnNoMore, WhereTheNextStreamBeginsWithinAnother) {
  const fs::path open = folder_ / "open.ts";
  ffmpeg(kTest + kX264 + "-bf 3 -g 12 -x264-params open-gop=1:b-adapt=0", open);
  const Wanted behind_the_first = [](int number) { return number >= 5; };
  Decoded before = decoded(open, nullptr);
  ASSERT_NE(before.codec, nullptr);
  const int asked = GoingOnDecoder::formats_asked();
  const Decoded found = decoded(open, std::move(before.codec), behind_the_first);
  EXPECT_EQ(found.pictures, pictures_of(open, behind_the_first));
  EXPECT_EQ(GoingOnDecoder::formats_asked() - asked, 1);
}

TEST_F(GoesOnNoMore, WhereTheNextStreamBringsOtherSets) {
  const fs::path deeper = folder_ / "deeper.264";
  ffmpeg(kTest + kX264 + "-bf 3 -refs 6", deeper);
  Decoded before = decoded(plain_, nullptr);
  ASSERT_NE(before.codec, nullptr);
  const Decoded found = decoded(deeper, std::move(before.codec));
  EXPECT_EQ(found.pictures, pictures_of(deeper));
}

}  // namespace
}  // namespace facepipe::test
