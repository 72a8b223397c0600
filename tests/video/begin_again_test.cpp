// These tests check a decoder that has decoded the first picture and then begins again. It must
// behave like a new decoder, even if it has read parts of a damaged stream.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/all_pictures.h"
#include "tests/support/clips.h"
#include "tests/support/picture_hash.h"
#include "tests/support/temporary_folder.h"
#include "video/bitstream/nal_units.h"
#include "video/read/cpu_decoder.h"
#include "video/read/decoder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

constexpr int kPictureParameterSet = 8;  // nal_unit_type (H.264, table 7-1)

/// Returns an H.264 stream (Annex B) without its first picture parameter set.
std::string without_first_set(const std::string& stream) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(stream.data());
  video::NalReader reader(video::Bytes(begin, stream.size()), {});
  while (const std::optional<video::Bytes> unit = reader.next()) {
    if ((unit->front() & 31) != kPictureParameterSet) continue;
    const auto at = static_cast<std::size_t>(unit->data() - begin);
    constexpr std::size_t kStartCode = 3;
    return stream.substr(0, at - kStartCode) + stream.substr(at + unit->size());
  }
  return stream;
}

struct Played {
  std::vector<std::size_t> pictures;
  std::int64_t lost = 0;
  std::int64_t damaged = 0;
  friend bool operator==(const Played&, const Played&) = default;
};

Played play(const fs::path& file, video::Decoder& decoder) {
  video::Demuxer demuxer(file.string(), {});
  Played played;
  all_pictures(demuxer, decoder, [&](const video::DecodedPicture& decoded) {
    played.pictures.push_back(hash_of(*decoded.picture));
  });
  const video::FrameLedger ledger = decoder.ledger();
  played.lost = ledger.lost;
  played.damaged = ledger.damaged;
  return played;
}

class BeginAgain : public testing::Test {
 protected:
  BeginAgain() {
    video::redirect_ffmpeg_log();
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 10 -c:v libx264 -preset ultrafast "
        "-x264-params keyint=5:min-keyint=5:scenecut=0:repeat-headers=1",
        whole_);
    folder_.write("damaged.264", without_first_set(read_file(whole_)));
    options_.threads = 1;
  }

  [[nodiscard]] std::unique_ptr<video::Decoder> decoder_of(const video::Demuxer& demuxer) {
    return video::make_cpu_decoder(demuxer, options_, notices_);
  }
  [[nodiscard]] Played played_by_a_new_one(const fs::path& file) {
    const video::Demuxer demuxer(file.string(), {});
    return play(file, *decoder_of(demuxer));
  }
  /// Decodes the first picture, begins again, and decodes the file from its start with the same
  /// decoder.
  [[nodiscard]] Played played_again(const fs::path& file) {
    video::Demuxer demuxer(file.string(), {});
    const std::unique_ptr<video::Decoder> decoder = decoder_of(demuxer);
    for (bool came = false; !came;) {
      decoder->send({demuxer.read(), {}});
      came = decoder->next().has_value();
    }
    decoder->begin_again();
    return play(file, *decoder);
  }

  TemporaryFolder folder_;
  fs::path whole_ = folder_ / "whole.264";
  fs::path damaged_ = folder_ / "damaged.264";
  video::DecoderOptions options_;
  video::Notices notices_{"clip"};
};

TEST_F(BeginAgain, GivesWhatANewDecoderGives) {
  EXPECT_EQ(played_again(whole_), played_by_a_new_one(whole_));
  EXPECT_EQ(played_by_a_new_one(whole_).pictures.size(), 10U);
}

// In the file, the parameter sets follow the pictures that need them. The decoder has already read
// the sets, and must forget them.
TEST_F(BeginAgain, D3ForgetsParameterSetsThatCameTooLate) {
  const Played expected = played_by_a_new_one(damaged_);
  EXPECT_EQ(expected.lost, 5);
  EXPECT_EQ(expected.pictures.size(), 5U);
  EXPECT_EQ(played_again(damaged_), expected);
}

}  // namespace
}  // namespace facepipe::test
