// These tests ask a fake of the driver's decoder library what it can decode.
#include "video/cuda/nvdec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/error.h"

namespace facepipe::video {
namespace {

using testing::HasSubstr;

void expect_device_error(const char* reason, const std::function<void()>& call) {
  try {
    call();
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(), HasSubstr(reason));
  }
}

TEST(Nvdec, TellsWhatTheLibrarySupports) {
  const std::vector<NvdecAbility> found = nvdec_abilities(FAKE_NVCUVID);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].codec, "h264");
  EXPECT_EQ(found[0].chroma, "4:2:0");
  EXPECT_EQ(found[0].bits, 8);
  EXPECT_EQ(found[0].smallest, (Size{48, 16}));
  EXPECT_EQ(found[0].largest, (Size{4096, 4080}));
  EXPECT_EQ(found[1].codec, "hevc");
  EXPECT_EQ(found[1].chroma, "4:4:4");
  EXPECT_EQ(found[1].bits, 10);
  EXPECT_EQ(found[1].largest, (Size{8192, 8176}));
}

TEST(Nvdec, FailureIsADeviceError) {
  setenv("FAKE_NVCUVID_BREAKS", "1", 1);
  expect_device_error("error 999", [] { (void)nvdec_abilities(FAKE_NVCUVID); });
  unsetenv("FAKE_NVCUVID_BREAKS");
}

TEST(Nvdec, ALibraryThatIsNoneIsADeviceError) {
  expect_device_error("libnone.so.1", [] { (void)nvdec_abilities("libnone.so.1"); });
  expect_device_error("too old", [] { (void)nvdec_abilities(EMPTY_NVCUVID); });
}

}  // namespace
}  // namespace facepipe::video
