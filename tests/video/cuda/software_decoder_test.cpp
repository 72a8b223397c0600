// These tests check streams that NVDEC can't decode. The CPU must decode them, and a notice must
// say so. If the user demands NVDEC, it is an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/clips.h"
#include "tests/support/temporary_folder.h"
#include "tests/video/cuda/decoding.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;

/// Describes a stream that NVDEC can't decode. `kept` says whether its pictures keep their format.
struct Other {
  const char* name;
  const char* arguments;
  const char* file;
  bool kept;
};
void PrintTo(const Other& other, std::ostream* out) { *out << other.name; }

const std::vector<Other> kOthers{
    {"high10", "-c:v libx264 -pix_fmt yuv420p10le", "clip.mp4", true},
    {"chroma422", "-c:v libx264 -pix_fmt yuv422p", "clip.mp4", false},
    {"chroma444", "-c:v libx264 -pix_fmt yuv444p", "clip.mp4", false},
    {"tiny", "-vf scale=32:32 -c:v libx264 -pix_fmt yuv420p", "clip.mp4", true},
    {"many_references", "-c:v libx264 -pix_fmt yuv420p -refs 16 -bf 8", "clip.mp4", true},
    {"png", "-t 0.3 -c:v png -pix_fmt rgb24", "clip.mkv", false},
};

class WithoutNvdec : public testing::TestWithParam<Other> {
 protected:
  void SetUp() override {
    file = folder / GetParam().file;
    ffmpeg(std::string(kDecodedSource) + GetParam().arguments, file);
    // With so many frames in flight, the stream many_references needs more surfaces than NVDEC
    // allows.
    options.frames_in_flight = 16;
  }
  TemporaryFolder folder;
  fs::path file;
  CudaDecoding options;
};

TEST_P(WithoutNvdec, IsDecodedOnTheCpuAndToldSo) {
  const Decoded found = decode_on_cuda(file, options);
  EXPECT_THAT(found.notices, Contains(HasSubstr("decoded on the CPU and uploaded, because")));
  EXPECT_EQ(found.uploads.calls, found.ledger.decoded);
  EXPECT_EQ(found.ledger.lost, 0);
  EXPECT_EQ(found.name.find("nvdec"), std::string::npos);
  if (GetParam().kept) {
    ASSERT_NO_FATAL_FAILURE(expect_equal(found, decode_on_cpu(file)));
  } else {
    EXPECT_EQ(found.ledger.decoded, decode_on_cpu(file).ledger.decoded);
    EXPECT_THAT(found.notices, Contains(HasSubstr("for the device")));
  }
}

TEST_P(WithoutNvdec, IsAnErrorWhereNvdecIsAskedFor) {
  options.choice = video::DecoderChoice::nvdec;
  try {
    static_cast<void>(decode_on_cuda(file, options));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(), HasSubstr("NVDEC"));
    EXPECT_THAT(error.what(), HasSubstr("--decoder"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, WithoutNvdec, testing::ValuesIn(kOthers),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace facepipe::test
