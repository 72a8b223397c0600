// FFmpeg's first error line, kept for who asks.
#include "pipeline/ffmpeg_errors.h"

#include <gtest/gtest.h>

#include "pipeline/ffmpeg.h"

namespace facepipe {
namespace {

TEST(FFmpegErrors, KeepsTheFirstErrorLineWhole) {
  const FFmpegErrors errors;
  EXPECT_EQ(errors.first(), "");
  av_log(nullptr, AV_LOG_WARNING, "only a warning\n");
  EXPECT_EQ(errors.first(), "");
  av_log(nullptr, AV_LOG_ERROR, "cannot load %s\n", "libthis.so");
  av_log(nullptr, AV_LOG_FATAL, "so it ends\n");
  EXPECT_EQ(errors.first(), "cannot load libthis.so");
}

TEST(FFmpegErrors, ForgetsThoseOfTheLastOne) {
  {
    const FFmpegErrors errors;
    av_log(nullptr, AV_LOG_ERROR, "before\n");
  }
  av_log(nullptr, AV_LOG_ERROR, "between\n");
  EXPECT_EQ(FFmpegErrors().first(), "");
}

}  // namespace
}  // namespace facepipe
