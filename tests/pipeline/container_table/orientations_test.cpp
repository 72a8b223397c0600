// These tests check all eight orientations that MP4 and similar containers can store. A job keeps
// the orientation tag if the output can hold it, and otherwise turns the pixels.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "tests/pipeline/container_table/jobs.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

struct Turn {
  const char* name;
  TrackMatrix matrix;
};

constexpr std::array<Turn, 8> kTurns{{{"Upright", {1, 0, 0, 1}},
                                      {"Clockwise", {0, 1, -1, 0}},
                                      {"UpsideDown", {-1, 0, 0, -1}},
                                      {"Counterclockwise", {0, -1, 1, 0}},
                                      {"Mirrored", {-1, 0, 0, 1}},
                                      {"Flipped", {1, 0, 0, -1}},
                                      {"Transposed", {0, 1, 1, 0}},
                                      {"Transversed", {0, -1, -1, 0}}}};

struct OrientationRow {
  const char* extension;
  Turn turn;
};

void PrintTo(const OrientationRow& row, std::ostream* out) {
  *out << row.extension << " " << row.turn.name;
}

std::vector<OrientationRow> rows() {
  std::vector<OrientationRow> result;
  for (const char* const extension : {".mp4", ".mov"})
    for (const Turn& turn : kTurns) result.push_back({extension, turn});
  return result;
}

class Orientations : public testing::TestWithParam<OrientationRow> {};

TEST_P(Orientations, LookTheSame) {
  video::redirect_ffmpeg_log();
  const TemporaryFolder folder;
  const std::string extension = GetParam().extension;
  const fs::path clip = folder / ("clip" + extension);
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=5 -frames:v 2 -c:v libx264 -preset ultrafast -qp 0 "
      "-pix_fmt yuv444p",
      clip);
  mark_turned(clip, GetParam().turn.matrix);
  const std::string seen = decoded_luma(clip);  // ffmpeg turns the pictures upright
  for (const std::string target : {extension.c_str(), ".mkv", ".avi"}) {
    SCOPED_TRACE(target);
    const fs::path output = folder / ("out" + target);
    pipeline::JobOptions options = lossless_job(clip, output);
    options.resources.threads = 1;
    EXPECT_EQ(run_fake_job(options).result.ledger.written, 2);
    EXPECT_TRUE(decoded_luma(output) == seen);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Orientations, testing::ValuesIn(rows()), [](const auto& row) {
  return std::string(row.param.extension).substr(1) + row.param.turn.name;
});

}  // namespace
}  // namespace facepipe::test
