// These tests check how facepipe's encoder options become options of NVENC.
#include "video/cuda/nvenc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace facepipe::video {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(NvencOptions, AskForAConstantQualityUnlessTold) {
  EXPECT_THAT(nvenc_options("h264_nvenc", {}),
              ElementsAre(Pair("rc", "vbr"), Pair("cq", "23.000000"), Pair("b", "0")));
  EXPECT_THAT(nvenc_options("h264_nvenc", {"", "p2", 30.5, {}}),
              ElementsAre(Pair("preset", "p2"), Pair("rc", "vbr"), Pair("cq", "30.500000"),
                          Pair("b", "0")));
}

TEST(NvencOptions, PassOptionsOnAsTheyAre) {
  EXPECT_THAT(nvenc_options("hevc_nvenc", {"", "", {}, {{"rc-lookahead", "20"}, {"bf", "3"}}}),
              ElementsAre(Pair("rc-lookahead", "20"), Pair("bf", "3"), Pair("rc", "vbr"),
                          Pair("cq", "23.000000"), Pair("b", "0")));
}

TEST(NvencOptions, LeaveARateControlThatWasChosenAlone) {
  for (const char* name : {"b", "rc", "cq", "qp", "q", "cbr", "global_quality"})
    EXPECT_THAT(nvenc_options("h264_nvenc", {"", "", {}, {{name, "7"}}}),
                ElementsAre(Pair(name, "7")));
}

TEST(NvencOptions, TakeNvencsOwnPresetsAlone) {
  for (const char* preset : {"p1", "p2", "p3", "p4", "p5", "p6", "p7"})
    EXPECT_THAT(nvenc_options("h264_nvenc", {"", preset, {}, {{"qp", "1"}}}),
                testing::Contains(Pair("preset", preset)));
  for (const char* preset : {"p0", "p8", "p", "p10", "q4", "slow", "veryfast", "hq", "P4"}) {
    try {
      static_cast<void>(nvenc_options("h264_nvenc", {"", preset, {}, {}}));
      FAIL() << preset;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr(std::string("h264_nvenc has no preset \"") + preset));
      EXPECT_THAT(error.what(), HasSubstr("p1 (fastest) to p7 (best)"));
    }
  }
}

TEST(NvencOptions, RefuseAQualityThatNvencHasNot) {
  for (const double crf : {0.0, 51.5, 63.0}) {
    try {
      static_cast<void>(nvenc_options("hevc_nvenc", {"", "", crf, {}}));
      FAIL() << crf;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr("--crf"));
    }
  }
  EXPECT_THAT(nvenc_options("hevc_nvenc", {"", "", 51.0, {}}),
              testing::Contains(Pair("cq", "51.000000")));
}

}  // namespace
}  // namespace facepipe::video
