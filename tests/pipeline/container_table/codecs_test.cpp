// These tests check that a job can read the output of each of FFmpeg's video encoders, and that no
// picture is lost.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "tests/pipeline/container_table/jobs.h"
#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

constexpr int kFrames = 5;

struct CodecRow {
  const char* encoder;
  const char* container = "nut";
  const char* size = "96x64";
  const char* options = "";
};

void PrintTo(const CodecRow& row, std::ostream* out) { *out << row.encoder; }

class Codecs : public testing::TestWithParam<CodecRow> {};

TEST_P(Codecs, AreInputs) {
  video::redirect_ffmpeg_log();
  const CodecRow& row = GetParam();
  if (avcodec_find_encoder_by_name(row.encoder) == nullptr)
    GTEST_SKIP() << "this FFmpeg has no " << row.encoder;
  const TemporaryFolder folder;
  const std::filesystem::path clip = folder / (std::string("clip.") + row.container);
  ffmpeg("-f lavfi -i testsrc2=s=" + std::string(row.size) + ":r=25 -frames:v " +
             std::to_string(kFrames) + " -strict -2 -c:v " + row.encoder + " " + row.options,
         clip);
  for (const bool hide : {false, true}) {
    SCOPED_TRACE(hide ? "hidden" : "drawn");
    const JobRun run = run_fake_job(plain_job(clip, folder / "out.mkv", hide));
    EXPECT_TRUE(run.result.ledger.intact());
    EXPECT_EQ(run.result.ledger.written, kFrames);
  }
}

constexpr CodecRow kRows[] = {{"amv"},
                              {"asv1"},
                              {"asv2"},
                              {"avrp", "mkv"},
                              {"ayuv"},
                              {"bmp", "avi"},
                              {"cfhd"},
                              {"cinepak"},
                              {"cljr"},
                              {"dnxhd", "nut", "256x144", "-profile:v dnxhr_lb -pix_fmt yuv422p"},
                              {"dpx"},
                              {"dvvideo", "nut", "720x576", "-pix_fmt yuv420p"},
                              {"exr", "mkv"},
                              {"ffv1"},
                              {"ffvhuff"},
                              {"fits", "avi"},
                              {"flashsv"},
                              {"flv"},
                              {"gif"},
                              {"h261", "nut", "176x144"},
                              {"h263", "nut", "176x144"},
                              {"h263p", "nut", "176x144"},
                              {"hap"},
                              {"huffyuv"},
                              {"jpeg2000"},
                              {"jpegls"},
                              {"libaom-av1", "nut", "64x48", "-cpu-used 8 -usage realtime"},
                              {"libopenjpeg"},
                              {"libsvtav1", "nut", "96x64", "-preset 12"},
                              {"libtheora"},
                              {"libvpx", "nut", "96x64", "-deadline realtime"},
                              {"libvpx-vp9", "nut", "96x64", "-deadline realtime"},
                              {"libx264"},
                              {"libx264rgb"},
                              {"libx265", "nut", "96x64", "-preset ultrafast"},
                              {"libxvid"},
                              {"ljpeg"},
                              {"magicyuv"},
                              {"mjpeg"},
                              {"mpeg1video"},
                              {"mpeg4"},
                              {"msmpeg4"},
                              {"msmpeg4v2"},
                              {"msvideo1"},
                              {"pam", "avi"},
                              {"pfm", "avi"},
                              {"png"},
                              {"ppm", "avi"},
                              {"prores"},
                              {"prores_ks"},
                              {"qtrle", "mov"},
                              {"r10k"},
                              {"r210"},
                              {"rawvideo"},
                              {"sgi", "mkv"},
                              {"smc", "mkv"},
                              {"snow"},
                              {"speedhq"},
                              {"svq1"},
                              {"targa"},
                              {"tiff", "mkv"},
                              {"utvideo"},
                              {"v210"},
                              {"v308"},
                              {"vc2"},
                              {"wmv1", "avi"},
                              {"wmv2", "avi"},
                              {"zlib", "avi"},
                              {"zmbv", "avi"}};

INSTANTIATE_TEST_SUITE_P(All, Codecs, testing::ValuesIn(kRows), [](const auto& row) {
  std::string name = row.param.encoder;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace facepipe::test
