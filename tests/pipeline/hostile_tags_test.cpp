// These tests run jobs on files whose headers have values that no encoder would write. The jobs
// must still succeed.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/hostile_stream.h"
#include "tests/support/job.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

class HostileTags : public testing::TestWithParam<const char*> {};

TEST_P(HostileTags, D9DoNotReachTheEncoder) {
  video::redirect_ffmpeg_log();
  const TemporaryFolder folder;
  pipeline::JobOptions options =
      default_job(folder.write("clip.264", hostile_chroma_location()), folder / "out.mkv");
  options.output.encoder.codec = GetParam();
  options.resources.threads = 1;
  EXPECT_EQ(run_fake_job(options).result.ledger.written, 1);
}

INSTANTIATE_TEST_SUITE_P(Encoders, HostileTags,
                         testing::Values("libx264", "libx265", "libaom-av1", "ffv1", "mpeg4"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace facepipe::test
