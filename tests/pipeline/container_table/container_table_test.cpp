// These tests make a clip in each container that FFmpeg writes, with everything that the container
// can hold. One job copies the clip, and another job hides regions of it. Each job writes outputs
// in the clip's container, in MP4 and in Matroska. ffprobe must report the same about the output as
// about the input.
#include <gtest/gtest.h>

#include <string>

#include "tests/pipeline/container_table/facts.h"
#include "tests/pipeline/container_table/jobs.h"
#include "tests/pipeline/container_table/rows.h"
#include "tests/support/clips.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "video/ffmpeg_compat.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

/// Describes the container of an output.
struct Target {
  std::string extension;
  Properties lost;  ///< properties that the container can't hold
};

/// Removes the titles of chapters. Hiding removes them, too, because they can name people and
/// places.
Facts without_titles(Facts facts) {
  for (Chapter& chapter : facts.chapters) chapter.title.clear();
  return facts;
}

class ContainerTable : public testing::TestWithParam<ContainerRow> {
 protected:
  void SetUp() override {
    video::redirect_ffmpeg_log();
    std::string arguments = GetParam().arguments;
    const std::string chapters = folder_.write("chapters.txt", chapters_file()).string();
    const std::size_t at = arguments.find("CHAPTERS");
    if (at != std::string::npos) arguments.replace(at, 8, chapters);
    ffmpeg(arguments, clip());
    if (GetParam().extras.turned) mark_turned(clip());
    input_ = facts_of(clip());
  }

  [[nodiscard]] fs::path clip() const { return folder_ / GetParam().file; }
  [[nodiscard]] std::string extension() const { return clip().extension().string(); }

  /// Runs a job on the clip. The job finds no face, so it draws nothing.
  JobRun work(const fs::path& output, bool hide) {
    return run_fake_job(plain_job(clip(), output, hide));
  }

  void expect_kept(const Target& target) {
    const fs::path output = folder_ / ("out" + target.extension);
    for (const bool hide : {false, true}) {
      SCOPED_TRACE("into " + target.extension + (hide ? ", hidden" : ", drawn"));
      const JobRun run = work(output, hide);
      EXPECT_TRUE(run.result.ledger.intact());
      EXPECT_EQ(run.result.ledger.written, input_.frames);
      EXPECT_EQ(difference(facts_of(output), hide ? without_titles(input_) : input_,
                           kept_by(target), GetParam().extras.tick_s),
                "");
    }
  }

  [[nodiscard]] Properties kept_by(const Target& target) const {
    Properties result = GetParam().carries;
    for (const Property property : target.lost) result.erase(property);
    for (const Loss& loss : GetParam().extras.losses)
      if (loss.extension == target.extension)
        for (const Property property : loss.properties) result.erase(property);
    return result;
  }

  TemporaryFolder folder_;
  Facts input_;
};

TEST_P(ContainerTable, KeepsAllThatItCarries) {
  ASSERT_EQ(names_of(input_.properties()), names_of(GetParam().carries))
      << "the clip should have all that the container carries";
  if (*GetParam().extras.refused != '\0')
    expect_error(ErrorKind::output, GetParam().extras.refused,
                 [&] { work(folder_ / ("out" + extension()), false); });
  else
    expect_kept({extension(), {}});
  if (extension() != ".mp4") expect_kept({".mp4", {}});
  // If FFmpeg's muxer can't write the rotation into Matroska, the job turns the pixels.
  const bool tags =
      video::compat::muxer_writes_rotation(*av_guess_format("matroska", nullptr, nullptr));
  const Properties rotation{Property::rotation};
  if (extension() != ".mkv") expect_kept({".mkv", tags ? Properties{} : rotation});
}

std::string name_of_row(const testing::TestParamInfo<ContainerRow>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(WithStamps, ContainerTable, testing::ValuesIn(rows_with_stamps()),
                         name_of_row);
INSTANTIATE_TEST_SUITE_P(AtFixedRate, ContainerTable, testing::ValuesIn(rows_at_fixed_rate()),
                         name_of_row);

}  // namespace
}  // namespace facepipe::test
