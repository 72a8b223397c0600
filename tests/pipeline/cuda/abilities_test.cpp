// These tests check what facepipe reports about a machine with a device.
#include "pipeline/cuda/abilities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace facepipe::pipeline {
namespace {

TEST(CudaAbilities, EveryChipIsDescribed) {
  const CudaAbilities found = cuda_abilities();
  EXPECT_GE(found.versions.driver, 11000);
  EXPECT_GE(found.versions.runtime, 13000);
  ASSERT_FALSE(found.chips.empty());
  for (const ChipAbilities& chip : found.chips) {
    EXPECT_NE(chip.facts.name, "");
    EXPECT_GE(chip.facts.major, 5);
    EXPECT_GT(chip.facts.multiprocessors, 0);
    EXPECT_GT(chip.facts.memory_bytes, std::size_t{1} << 30U);
  }
}

TEST(CudaAbilities, NvdecDecodesPlainH264OfFullHd) {
  const ChipAbilities chip = cuda_abilities().chips.at(0);
  ASSERT_EQ(chip.nvdec_problem, "");
  const auto plain = std::find_if(
      chip.decodes.begin(), chip.decodes.end(), [](const video::NvdecAbility& ability) {
        return ability.codec == "h264" && ability.chroma == "4:2:0" && ability.bits == 8;
      });
  ASSERT_NE(plain, chip.decodes.end());
  EXPECT_LE(plain->smallest.width, 320);
  EXPECT_GE(plain->largest.width, 1920);
  EXPECT_GE(plain->largest.height, 1088);
}

TEST(CudaAbilities, EveryEncoderIsTriedAndARefusalHasAReason) {
  const ChipAbilities chip = cuda_abilities().chips.at(0);
  ASSERT_EQ(chip.nvenc_problem, "");
  ASSERT_EQ(chip.encodes.size(), 3U);
  for (const NvencTrial& trial : chip.encodes)
    EXPECT_THAT(trial.encoder, testing::AnyOf("h264_nvenc", "hevc_nvenc"));
  // A GPU with compute capability 7.5 or newer has NVENC either for both codecs or for none.
  EXPECT_EQ(chip.encodes[0].problem.empty(), chip.encodes[1].problem.empty())
      << chip.encodes[0].problem << "; " << chip.encodes[1].problem;
}

}  // namespace
}  // namespace facepipe::pipeline
