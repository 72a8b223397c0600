// These tests check every format of single pictures that FFmpeg writes. A job reads such a picture
// and writes it in the same format and as PNG.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "tests/pipeline/container_table/facts.h"
#include "tests/pipeline/container_table/jobs.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

struct StillRow {
  const char* extension;
  std::string arguments;  ///< ffmpeg's arguments to make the picture
  bool lossless = true;   ///< whether pixels on which nothing is drawn stay unchanged
};

void PrintTo(const StillRow& row, std::ostream* out) { *out << row.extension; }

const std::string kPicture = "-f lavfi -i testsrc2=s=64x48 -frames:v 1 ";

std::vector<StillRow> rows() {
  return {
      {"bmp", kPicture},
      {"dpx", kPicture},
      {"exr", kPicture, false},  // EXR's floats are processed in 16 bits
      {"fits", kPicture + "-pix_fmt gbrp", false},
      {"ico", kPicture},
      {"j2k", kPicture, false},
      {"jp2", kPicture, false},
      {"jls", kPicture},
      {"jpg", kPicture + "-pix_fmt yuvj420p", false},
      {"jxl", kPicture + "-distance 0", false},
      {"pam", kPicture},
      {"pbm", kPicture, false},
      {"pcx", kPicture},
      {"pfm", kPicture, false},
      {"pgm", kPicture},
      {"pgmyuv", kPicture},
      {"png", kPicture},
      {"ppm", kPicture},
      {"qoi", kPicture},
      {"ras", kPicture},
      {"sgi", kPicture},
      {"tga", kPicture},
      {"tiff", kPicture},
      {"webp", kPicture + "-c:v libwebp", false},
      {"xbm", kPicture, false},
      {"xface", "-f lavfi -i testsrc2=s=48x48 -frames:v 1 ", false},
      {"xwd", kPicture},
  };
}

class Stills : public testing::TestWithParam<StillRow> {};

TEST_P(Stills, AreWrittenAgain) {
  video::redirect_ffmpeg_log();
  const TemporaryFolder folder;
  const std::string extension = GetParam().extension;
  const fs::path still = folder / ("still." + extension);
  ffmpeg(GetParam().arguments, still);
  const Facts input = facts_of(still);
  ASSERT_EQ(input.frames, 1);
  const std::string seen = decoded_luma(still);
  for (const std::string& target : {extension, std::string("png")})
    for (const bool hide : {false, true}) {
      SCOPED_TRACE("to " + target + (hide ? ", hidden" : ", drawn"));
      const fs::path output = folder / ("out." + target);
      const JobRun run = run_fake_job(plain_job(still, output, hide));
      EXPECT_TRUE(run.result.ledger.intact());
      const Facts found = facts_of(output);
      EXPECT_EQ(difference(found, input, {}, 0.001), "");
      const bool same = decoded_luma(output) == seen;
      EXPECT_FALSE(hide && same);
      EXPECT_TRUE(hide || same || !GetParam().lossless || target != extension);
      const bool told = std::ranges::any_of(run.result.notices, [&](const std::string& notice) {
        return notice.starts_with("pictures converted from " + input.format);
      });
      EXPECT_TRUE(found.format == input.format || told || target == "png")
          << input.format << " became " << found.format;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Stills, testing::ValuesIn(rows()),
                         [](const auto& row) { return std::string(row.param.extension); });

}  // namespace
}  // namespace facepipe::test
