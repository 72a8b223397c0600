// These tests check what doctor prints about CUDA. They pass it facts that a machine with a GPU
// would report.
#include "app/doctor/cuda.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace facepipe::app {
namespace {

std::vector<ChipCode> some_codes() { return chip_codes("75-real,90"); }

std::string text_of(const CudaProbe& probe, const pipeline::CudaAbilities& found) {
  std::string text;
  print_cuda(probe, found, [&](std::string_view piece) { text += piece; });
  return text;
}

pipeline::CudaAbilities one_chip() {
  pipeline::CudaAbilities found;
  found.versions = {13000, 13010, "580.95.05"};
  found.codes = some_codes();
  pipeline::ChipAbilities chip;
  chip.facts = {"Some Chip", 9, 0, std::size_t{80} << 30U, 132};
  chip.decodes = {{"h264", "4:2:0", 8, {48, 16}, {4096, 4096}},
                  {"hevc", "4:4:4", 12, {144, 144}, {8192, 8192}}};
  chip.encodes = {{"h264_nvenc", 8, ""}, {"hevc_nvenc", 10, "unsupported device"}};
  found.chips.push_back(chip);
  return found;
}

TEST(DoctorCuda, TellsThatThereIsNoDriver) {
  pipeline::CudaAbilities found;
  found.versions.runtime = 13000;
  found.codes = some_codes();
  EXPECT_EQ(text_of({true, "no driver", {}}, found),
            "cuda\n"
            "  runtime       13.0\n"
            "  code for      7.5, 9.0 and newer; it was only ever run on 9.0\n"
            "  driver        not installed\n");
}

TEST(DoctorCuda, TellsADriverWithoutAChip) {
  pipeline::CudaAbilities found;
  found.versions = {13000, 12080, ""};
  found.codes = some_codes();
  EXPECT_EQ(text_of({true, "too old", {}}, found),
            "cuda\n"
            "  runtime       13.0\n"
            "  code for      7.5, 9.0 and newer; it was only ever run on 9.0\n"
            "  driver        for CUDA up to 12.8\n");
}

TEST(DoctorCuda, DescribesAChip) {
  EXPECT_EQ(text_of({true, "", {{"Some Chip", ""}}}, one_chip()),
            "cuda\n"
            "  runtime       13.0\n"
            "  code for      7.5, 9.0 and newer; it was only ever run on 9.0\n"
            "  driver        for CUDA up to 13.1 (release 580.95.05)\n"
            "  cuda:0        Some Chip, compute capability 9.0, 80.0 GiB, 132 multiprocessors\n"
            "    NVDEC       h264       4:2:0 8 bits, 48x16 to 4096x4096\n"
            "    NVDEC       hevc       4:4:4 12 bits, 144x144 to 8192x8192\n"
            "    NVENC       h264_nvenc 8 bits: works\n"
            "    NVENC       hevc_nvenc 10 bits: no: unsupported device\n");
}

TEST(DoctorCuda, TellsWhatCouldNotBeAsked) {
  pipeline::CudaAbilities found = one_chip();
  found.chips[0].decodes.clear();
  found.chips[0].nvdec_problem = "no library";
  found.chips[0].encodes.clear();
  found.chips[0].nvenc_problem = "no context";
  const std::string text = text_of({true, "", {{"Some Chip", "is too old"}}}, found);
  EXPECT_NE(text.find("132 multiprocessors: not usable, it is too old\n"), std::string::npos);
  EXPECT_NE(text.find("    NVDEC       can't be asked: no library\n"), std::string::npos);
  EXPECT_NE(text.find("    NVENC       not tried: no context\n"), std::string::npos);
  found.chips[0].nvdec_problem.clear();
  EXPECT_NE(text_of({true, "", {{"Some Chip", ""}}}, found).find("NVDEC       decodes nothing\n"),
            std::string::npos);
}

SelfTestResult found_with(float score) {
  SelfTestResult result;
  result.milliseconds = 1.25;
  result.network_size = {320, 192};
  result.candidates.push_back({10, 10, 30, 30}, score, {});
  return result;
}

struct Verdict {
  bool works;
  std::string text;
};

Verdict verdict(float on_cuda, float on_cpu) {
  Verdict result;
  result.works = print_cuda_engine("cuda:1 f16", found_with(on_cuda), found_with(on_cpu),
                                   [&](std::string_view piece) { result.text += piece; });
  return result;
}

TEST(DoctorCuda, AnEngineNearTheCpusWorks) {
  const Verdict near = verdict(.5F, .53125F);
  EXPECT_TRUE(near.works);
  EXPECT_EQ(
      near.text,
      "  cuda:1 f16    works: 1.2 ms for 320x192; 2 scores compared, largest difference 0.0312 "
      "(at most 0.05 is expected)\n");
}

TEST(DoctorCuda, AnEngineFarFromTheCpusDoesNot) {
  const Verdict far = verdict(.5F, .75F);
  EXPECT_FALSE(far.works);
  EXPECT_EQ(
      far.text,
      "  cuda:1 f16    no: it gives other results; 2 scores compared, largest difference 0.2500 "
      "(at most 0.05 is expected)\n");
}

TEST(DoctorCuda, NothingToCompareIsNoSuccess) {
  const Verdict nothing = verdict(.01F, .01F);
  EXPECT_FALSE(nothing.works);
  EXPECT_EQ(
      nothing.text,
      "  cuda:1 f16    no: no candidate has a score over 0.05, so there is nothing to compare\n");
}

}  // namespace
}  // namespace facepipe::app
