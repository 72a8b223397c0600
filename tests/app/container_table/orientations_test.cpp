// All eight orientations, as MP4's family stores them: kept as a tag where the output has one, else
// applied to the pixels.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/app/container_table/jobs.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

/// A matrix (ISO/IEC 14496-12, 6.2.2) without its last column and row: x' = a x + c y,
/// y' = b x + d y.
struct Turn {
  const char* name;
  int a, b, c, d;
};

constexpr std::array<Turn, 8> kTurns{{{"Upright", 1, 0, 0, 1},
                                      {"Clockwise", 0, 1, -1, 0},
                                      {"UpsideDown", -1, 0, 0, -1},
                                      {"Counterclockwise", 0, -1, 1, 0},
                                      {"Mirrored", -1, 0, 0, 1},
                                      {"Flipped", 1, 0, 0, -1},
                                      {"Transposed", 0, 1, 1, 0},
                                      {"Transversed", 0, -1, -1, 0}}};

/// Writes it into the first track's header, which is of version 0 (8.3.2).
void turn(const fs::path& file, const Turn& turn) {
  std::string bytes = read_file(file);
  const std::size_t header = bytes.find("tkhd");
  constexpr std::size_t kMatrix = 4 + 40;
  if (header == std::string::npos || bytes.at(header + 4) != 0)
    throw std::runtime_error(file.string() + ": no track header of version 0");
  const auto fixed = [](int value) { return static_cast<std::uint32_t>(value * 0x10000); };
  const std::array<std::uint32_t, 9> matrix{
      fixed(turn.a), fixed(turn.b), 0, fixed(turn.c), fixed(turn.d), 0, 0, 0, 0x40000000};
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t byte = 0; byte < 4; ++byte)
      bytes.at(header + kMatrix + 4 * i + byte) = static_cast<char>(matrix[i] >> (24 - 8 * byte));
  std::ofstream(file, std::ios::binary) << bytes;
}

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
  redirect_ffmpeg_log();
  const TemporaryFolder folder;
  const std::string extension = GetParam().extension;
  const fs::path clip = folder / ("clip" + extension);
  ffmpeg(
      "-f lavfi -i testsrc2=s=64x48:r=5 -frames:v 2 -c:v libx264 -preset ultrafast -qp 0 "
      "-pix_fmt yuv444p",
      clip);
  turn(clip, GetParam().turn);
  const std::string seen = decoded_luma(clip);  // by ffmpeg, which turns it
  for (const std::string target : {extension.c_str(), ".mkv", ".avi"}) {
    SCOPED_TRACE(target);
    const fs::path output = folder / ("out" + target);
    JobOptions options = lossless_job(clip, output);
    options.threads = 1;
    EXPECT_EQ(run_fake_job(options).result.ledger.written, 2);
    EXPECT_TRUE(decoded_luma(output) == seen);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Orientations, testing::ValuesIn(rows()), [](const auto& row) {
  return std::string(row.param.extension).substr(1) + row.param.turn.name;
});

}  // namespace
}  // namespace facepipe::test
