// Asking the driver's decoder library, by way of one that stands in for it.
#include "video/cuda/nvdec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/error.h"

#if __has_include(<ffnvcodec/dynlink_cuviddec.h>)
#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>
#endif

namespace facepipe {
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
  const std::vector<NvdecAbility> found = NvdecLibrary(FAKE_NVCUVID).abilities();
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
  expect_device_error("error 999", [] { (void)NvdecLibrary(FAKE_NVCUVID).abilities(); });
  unsetenv("FAKE_NVCUVID_BREAKS");
}

TEST(Nvdec, ALibraryThatIsNoneIsADeviceError) {
  expect_device_error("libnone.so.1", [] { const NvdecLibrary library("libnone.so.1"); });
  expect_device_error("too old", [] { const NvdecLibrary library(EMPTY_NVCUVID); });
}

#if __has_include(<ffnvcodec/dynlink_cuviddec.h>)
TEST(Nvdec, ItsInterfaceIsThePublicOne) {
  using nvdec::DecodeCaps;
  static_assert(sizeof(DecodeCaps) == sizeof(CUVIDDECODECAPS));
#define FACEPIPE_SAME_PLACE(ours, theirs) \
  static_assert(offsetof(DecodeCaps, ours) == offsetof(CUVIDDECODECAPS, theirs))
  FACEPIPE_SAME_PLACE(codec, eCodecType);
  FACEPIPE_SAME_PLACE(chroma, eChromaFormat);
  FACEPIPE_SAME_PLACE(bits_minus_8, nBitDepthMinus8);
  FACEPIPE_SAME_PLACE(supported, bIsSupported);
  FACEPIPE_SAME_PLACE(max_width, nMaxWidth);
  FACEPIPE_SAME_PLACE(max_height, nMaxHeight);
  FACEPIPE_SAME_PLACE(min_width, nMinWidth);
  FACEPIPE_SAME_PLACE(min_height, nMinHeight);
#undef FACEPIPE_SAME_PLACE
  static_assert(cudaVideoCodec_H264 == 4 && cudaVideoCodec_HEVC == 8 && cudaVideoCodec_AV1 == 11);
  static_assert(cudaVideoCodec_JPEG == 5 && cudaVideoCodec_VP8 == 9 && cudaVideoCodec_VP9 == 10);
  static_assert(cudaVideoChromaFormat_420 == 1 && cudaVideoChromaFormat_444 == 3);
}
#endif

}  // namespace
}  // namespace facepipe
