// These tests check which encoder is chosen, depending on what the GPU can do.
#include "video/cuda/encoder_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace facepipe::video {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr Size kSize{1920, 1080};

/// Makes plans, and keeps the questions about the GPU and the notices.
class Planning : public testing::Test {
 protected:
  void SetUp() override {
    if (avcodec_find_encoder_by_name("hevc_nvenc") == nullptr)
      GTEST_SKIP() << "this FFmpeg was built without NVENC";
  }

  EncoderPlan plan(const std::string& codec, AVPixelFormat format, Size size = kSize) {
    options_.codec = codec;
    pictures_.format = format;
    pictures_.size = size;
    const AVCodec& chosen =
        choose_codec(options_, *av_guess_format("mp4", nullptr, nullptr), "out.mp4", notices_);
    const auto probe = [this](const NvencTask& task) {
      asked_.push_back(task);
      return says_;
    };
    return plan_cuda_encoder(chosen, pictures_, size, options_, "out.mp4", probe, notices_);
  }

  void expect_refused(const std::string& codec, AVPixelFormat format, Size size, ErrorKind kind,
                      const char* reason) {
    try {
      static_cast<void>(plan(codec, format, size));
      FAIL() << codec << ": no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(codec));
      EXPECT_THAT(error.what(), HasSubstr(reason));
    }
  }

  EncoderOptions options_;
  PictureFacts pictures_;
  Notices notices_{"test"};
  std::vector<NvencTask> asked_;
  std::string says_;
};

struct Choice {
  const char* codec;  // value of --codec
  AVPixelFormat pictures;
  Size size;
  const char* encoder;    // expected encoder if the GPU has NVENC
  AVPixelFormat encoded;  // expected pixel format for the encoder
};

TEST_F(Planning, TakesNvencWhereItCanAndNothingIsLost) {
  for (const Choice& choice :
       {Choice{"", AV_PIX_FMT_NV12, kSize, "h264_nvenc", AV_PIX_FMT_NV12},
        Choice{"h264", AV_PIX_FMT_NV12, kSize, "h264_nvenc", AV_PIX_FMT_NV12},
        Choice{"hevc", AV_PIX_FMT_NV12, kSize, "hevc_nvenc", AV_PIX_FMT_NV12},
        Choice{"hevc", AV_PIX_FMT_P010LE, kSize, "hevc_nvenc", AV_PIX_FMT_P010LE},
        Choice{"", AV_PIX_FMT_P010LE, kSize, "libx264", AV_PIX_FMT_YUV420P10LE},
        Choice{"hevc", AV_PIX_FMT_P016LE, kSize, "libx265", AV_PIX_FMT_YUV420P12LE},
        Choice{"", AV_PIX_FMT_NV12, {333, 250}, "libx264", AV_PIX_FMT_YUV444P},
        Choice{"libx264", AV_PIX_FMT_NV12, kSize, "libx264", AV_PIX_FMT_NV12},
        Choice{"mpeg4", AV_PIX_FMT_NV12, kSize, "mpeg4", AV_PIX_FMT_YUV420P},
        Choice{"hevc_nvenc", AV_PIX_FMT_P016LE, kSize, "hevc_nvenc", AV_PIX_FMT_P016LE},
        Choice{"h264_nvenc", AV_PIX_FMT_P010LE, kSize, "h264_nvenc", AV_PIX_FMT_NV12}}) {
    SCOPED_TRACE(testing::Message() << choice.codec << " " << choice.pictures);
    const EncoderPlan found = plan(choice.codec, choice.pictures, choice.size);
    EXPECT_STREQ(found.codec->name, choice.encoder);
    EXPECT_EQ(found.encoded, choice.encoded);
  }
}

TEST_F(Planning, WhereTheChipHasNoneTheOtherIsTakenAndToldWhy) {
  says_ = "unsupported device";
  EXPECT_STREQ(plan("", AV_PIX_FMT_NV12).codec->name, "libx264");
  EXPECT_THAT(notices_.all(),
              ElementsAre("encoded by libx264 because h264_nvenc can't: unsupported device"));
  EXPECT_STREQ(plan("hevc", AV_PIX_FMT_P010LE).codec->name, "libx265");
  EXPECT_THAT(notices_.all(), Contains(HasSubstr("because hevc_nvenc can't: unsupported device")));
}

TEST_F(Planning, ABitDepthThatItHasNotIsTold) {
  EXPECT_STREQ(plan("", AV_PIX_FMT_P010LE).codec->name, "libx264");
  EXPECT_THAT(asked_, IsEmpty());
  EXPECT_THAT(notices_.all(), Contains(HasSubstr("h264_nvenc can't: it takes at most 8 bits")));
}

TEST_F(Planning, OptionsMeantForTheOtherEncoderLeaveItThat) {
  options_.preset = "veryfast";
  EXPECT_STREQ(plan("", AV_PIX_FMT_NV12).codec->name, "libx264");
  EXPECT_THAT(notices_.all(), Contains(HasSubstr("no preset \"veryfast\"")));
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(Planning, TheChipIsAskedForWhatItIsToDo) {
  options_.preset = "p5";
  options_.crf = 19;
  options_.options = {{"bf", "2"}};
  static_cast<void>(plan("hevc", AV_PIX_FMT_P010LE, {642, 480}));
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].encoder, "hevc_nvenc");
  EXPECT_EQ(asked_[0].size, (Size{642, 480}));
  EXPECT_EQ(asked_[0].surface, AV_PIX_FMT_P010LE);
  EXPECT_FALSE(asked_[0].interlaced);
  EXPECT_THAT(asked_[0].options, testing::IsSupersetOf({Pair("bf", "2"), Pair("preset", "p5"),
                                                        Pair("cq", "19.000000")}));
  EXPECT_THAT(notices_.all(), IsEmpty());
}

TEST_F(Planning, WhatIsNamedIsNeverReplaced) {
  expect_refused("h264_nvenc", AV_PIX_FMT_NV12, {333, 250}, ErrorKind::output, "even sizes");
  says_ = "too wide";
  expect_refused("hevc_nvenc", AV_PIX_FMT_NV12, kSize, ErrorKind::device,
                 "1920x1080 in nv12: too wide");
  options_.preset = "slow";
  expect_refused("h264_nvenc", AV_PIX_FMT_NV12, kSize, ErrorKind::usage, "preset");
}

TEST_F(Planning, BitsThatANamedEncoderDropsAreTold) {
  static_cast<void>(plan("hevc_nvenc", AV_PIX_FMT_P016LE));
  EXPECT_THAT(notices_.all(), ElementsAre(HasSubstr("only 10 bits, because hevc_nvenc")));
}

TEST(Nvenc, IsKnownByFFmpegsWord) {
  EXPECT_EQ(nvenc_name(AV_CODEC_ID_VP9), "");
  const AVCodec* const x264 = avcodec_find_encoder_by_name("libx264");
  ASSERT_NE(x264, nullptr);
  EXPECT_FALSE(is_nvenc(*x264));
  EXPECT_FALSE(narrows_to_8_bits(*x264));
  for (const AVCodecID family : {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC}) {
    const AVCodec* const codec = avcodec_find_encoder_by_name(nvenc_name(family).c_str());
    if (codec == nullptr) GTEST_SKIP() << "this FFmpeg was built without NVENC";
    EXPECT_TRUE(is_nvenc(*codec));
    EXPECT_EQ(codec->id, family);
    EXPECT_EQ(narrows_to_8_bits(*codec), family == AV_CODEC_ID_H264);
  }
}

}  // namespace
}  // namespace facepipe::video
