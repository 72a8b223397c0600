// These tests check NVENC's settings, how its stream is described, and which settings are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "pipeline/cuda/abilities.h"
#include "tests/video/cuda/nvenc_encoding.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

bool same(const GUID& a, const GUID& b) { return std::memcmp(&a, &b, sizeof(GUID)) == 0; }

TEST_F(Nvenc, GetsTheSettings) {
  video::EncoderOptions options{"", "p6", 28.5, {{"g", "60"}, {"spatial-aq", "1"}}};
  { const Encoding encoding(kPlain, options, {{1, 15360}, {30000, 1001}, 0, 512}); }
  const FakeSession& session = sessions().back();
  EXPECT_TRUE(same(session.setup.encodeGUID, NV_ENC_CODEC_H264_GUID));
  EXPECT_TRUE(same(session.setup.presetGUID, NV_ENC_PRESET_P6_GUID));
  EXPECT_EQ(session.setup.encodeWidth, 322U);
  EXPECT_EQ(session.setup.encodeHeight, 194U);
  EXPECT_EQ(session.setup.frameRateNum, 30000U);
  EXPECT_EQ(session.setup.frameRateDen, 1001U);
  EXPECT_EQ(session.config.gopLength, 60U);
  const NV_ENC_RC_PARAMS& rate = session.config.rcParams;
  EXPECT_EQ(rate.rateControlMode, NV_ENC_PARAMS_RC_VBR);
  EXPECT_EQ(rate.targetQuality, 28);
  EXPECT_EQ(rate.targetQualityLSB, 128);
  EXPECT_EQ(rate.averageBitRate, 0U);
  EXPECT_EQ(rate.enableAQ, 1U);
  const auto& h264 = session.config.encodeCodecConfig.h264Config;
  EXPECT_EQ(h264.repeatSPSPPS, 1U);
  EXPECT_EQ(h264.h264VUIParameters.colourMatrix, static_cast<unsigned>(AVCOL_SPC_BT709));
  EXPECT_EQ(h264.h264VUIParameters.colourPrimaries, static_cast<unsigned>(AVCOL_PRI_BT470BG));
  EXPECT_EQ(h264.h264VUIParameters.transferCharacteristics,
            static_cast<unsigned>(AVCOL_TRC_SMPTE170M));
  EXPECT_EQ(h264.h264VUIParameters.videoFullRangeFlag, 0U);
}

TEST_F(Nvenc, GetsAGoodQualityWhereNoneIsAskedFor) {
  { const Encoding encoding({"", "hevc_nvenc", 10, AV_PIX_FMT_P010LE, true}); }
  const FakeSession& session = sessions().back();
  EXPECT_TRUE(same(session.setup.encodeGUID, NV_ENC_CODEC_HEVC_GUID));
  EXPECT_TRUE(same(session.config.profileGUID, NV_ENC_HEVC_PROFILE_MAIN10_GUID));
  EXPECT_EQ(session.config.rcParams.rateControlMode, NV_ENC_PARAMS_RC_VBR);
  EXPECT_EQ(session.config.rcParams.targetQuality, 23);
  EXPECT_EQ(session.config.rcParams.averageBitRate, 0U);
  EXPECT_EQ(session.config.encodeCodecConfig.hevcConfig.hevcVUIParameters.videoFullRangeFlag, 1U);
}

TEST_F(Nvenc, DescribesItsStream) {
  FakeChip chip;
  chip.headers = {0, 0, 0, 1, 0x67, 1, 2, 3};
  become(chip);
  const Encoding encoding(kPlain, {}, {}, [](video::EncoderSetup& setup, Frame& first) {
    setup.global_header = true;
    first.sample_aspect = {4, 3};
  });
  const video::UniqueCodecParameters parameters = encoding.encoder().parameters();
  EXPECT_EQ(parameters->codec_id, AV_CODEC_ID_H264);
  EXPECT_EQ(parameters->format, AV_PIX_FMT_YUV420P);
  EXPECT_EQ(parameters->width, 322);
  EXPECT_EQ(parameters->sample_aspect_ratio.num, 4);
  EXPECT_EQ(parameters->color_space, AVCOL_SPC_BT709);
  EXPECT_EQ(std::vector<std::uint8_t>(parameters->extradata,
                                      parameters->extradata + parameters->extradata_size),
            chip.headers);
  EXPECT_EQ(encoding.encoder().name(), "h264_nvenc");
  const FakeSession& session = sessions().back();
  EXPECT_EQ(session.setup.darWidth * 3U * 194U, session.setup.darHeight * 4U * 322U);
  EXPECT_EQ(session.config.encodeCodecConfig.h264Config.disableSPSPPS, 1U);
}

TEST_F(Nvenc, EncodesFieldsWhereTheChipDoes) {
  FakeChip chip;
  chip.interlaced = true;
  become(chip);
  const auto fields = [](video::EncoderSetup&, Frame& first) {
    first.field_order = FieldOrder::bottom_first;
  };
  { const Encoding encoding(kPlain, {}, {}, fields); }
  EXPECT_EQ(sessions().back().config.frameFieldMode, NV_ENC_PARAMS_FRAME_FIELD_MODE_FIELD);
}

TEST_F(Nvenc, RefusesWhatItHasNot) {
  const auto refused = [](ErrorKind kind, const char* word, const video::EncoderOptions& options) {
    try {
      const Encoding encoding(kPlain, options);
      FAIL() << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(word));
    }
  };
  refused(ErrorKind::usage, "preset", {"", "veryfast", {}, {}});
  refused(ErrorKind::usage, "nosuchoption", {"", "", {}, {{"nosuchoption", "1"}}});
  refused(ErrorKind::output, "h264_nvenc", {"", "", {}, {{"rc", "nonsense"}}});
  refused(ErrorKind::output, "h264_nvenc", {"", "", {}, {{"bf", "5"}}});
}

TEST_F(Nvenc, RefusesAPictureUnlikeTheFirst) {
  Encoding encoding(kPlain);
  Encoding other({"", "h264_nvenc", 8, AV_PIX_FMT_NV12, false, {320, 192}});
  EXPECT_THROW(encoding.encoder().encode(other.frame(0), {}, [](video::EncodedFrame) {}), Error);
}

TEST_F(Nvenc, IsFoundByWhoAsksForTheChipsAbilities) {
  FakeChip chip;
  chip.ten_bits = false;
  become(chip);
  const auto problems_of = [] {
    std::vector<std::string> all;
    const pipeline::CudaAbilities found = pipeline::cuda_abilities();
    for (const pipeline::NvencTrial& trial : found.chips.at(0).encodes)
      all.push_back(trial.problem);
    return all;
  };
  EXPECT_THAT(problems_of(), ElementsAre("", "", HasSubstr("(10 bit encode not supported)")));
  chip.has_nvenc = false;
  become(chip);
  EXPECT_THAT(problems_of(), testing::Each(HasSubstr("unsupported device")));
  chip = {};
  chip.largest_side = 256;
  become(chip);
  EXPECT_THAT(problems_of(), Contains(HasSubstr("(Width 320 exceeds 256)")));
}

}  // namespace
}  // namespace facepipe::test
