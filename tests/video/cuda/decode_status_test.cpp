// These tests check the status of pictures that NVDEC has decoded, with a fake of the driver's
// library.
#include "video/cuda/decode_status.h"

#include <gtest/gtest.h>

#include <array>

#include "core/error.h"
#include "tests/support/expect_error.h"
#include "video/ffmpeg.h"
#include "video/ffmpeg_compat.h"

namespace facepipe::video {
namespace {

#if LIBAVCODEC_VERSION_MAJOR == 59 || LIBAVCODEC_VERSION_MAJOR == 61

/// A decoder of the fake library: the status of each picture, or a number below 0 if the picture
/// has no status.
using FakeDecoder = std::array<int, 6>;

/// Makes what FFmpeg stores with a surface: NVDECFrame and the beginning of NVDECDecoder.
class FakeSurface {
 public:
  FakeSurface(FakeDecoder& decoder, unsigned number) : decoder_(&decoder) {
#if LIBAVCODEC_VERSION_MAJOR == 59
    owner_.reset(av_buffer_alloc(sizeof(void*)));
    std::memcpy(owner_->data, &decoder_, sizeof(void*));
    const video::compat::NvdecFrame behind{number, number, nullptr, nullptr, owner_.get()};
#else
    const video::compat::NvdecFrame behind{number, number, nullptr, nullptr, &decoder_};
#endif
    picture_->buf[1] = av_buffer_alloc(sizeof(behind));
    std::memcpy(picture_->buf[1]->data, &behind, sizeof(behind));
  }
  [[nodiscard]] const AVFrame& picture() const { return *picture_; }

 private:
  void* decoder_;
  UniqueAVBuffer owner_;
  UniqueAVFrame picture_ = new_av_frame();
};

TEST(DecodeStatus, IsWhatTheDriverTellsOfThePicture) {
  FakeDecoder decoder{0, 1, 2, 8, 9, -1};
  const DecodeStatusReader reader(FAKE_NVCUVID);
  const std::array expected{DecodeStatus::unknown, DecodeStatus::decoding, DecodeStatus::whole,
                            DecodeStatus::damaged, DecodeStatus::damaged,  DecodeStatus::unknown};
  for (unsigned i = 0; i < expected.size(); ++i)
    EXPECT_EQ(reader.of(FakeSurface(decoder, i).picture()), expected.at(i)) << i;
}

TEST(DecodeStatus, IsUnknownWhereThereIsNothingToAskFor) {
  FakeDecoder decoder{8};
  const FakeSurface surface(decoder, 0);
  EXPECT_EQ(DecodeStatusReader(EMPTY_NVCUVID).of(surface.picture()), DecodeStatus::unknown);
  const DecodeStatusReader reader(FAKE_NVCUVID);
  const UniqueAVFrame other = new_av_frame();
  EXPECT_EQ(reader.of(*other), DecodeStatus::unknown);
  other->buf[1] = av_buffer_alloc(8);  // this isn't FFmpeg's layout
  EXPECT_EQ(reader.of(*other), DecodeStatus::unknown);
}

TEST(DecodeStatus, IsThereForH264AndHevc) {
  EXPECT_TRUE(has_decode_status(AV_CODEC_ID_H264));
  EXPECT_TRUE(has_decode_status(AV_CODEC_ID_HEVC));
  EXPECT_FALSE(has_decode_status(AV_CODEC_ID_MPEG2VIDEO));
  EXPECT_FALSE(has_decode_status(AV_CODEC_ID_MJPEG));
}

#endif

TEST(DecodeStatus, ALibraryThatIsNoneIsADeviceError) {
  test::expect_error(ErrorKind::device, "libnone.so.1",
                     [] { DecodeStatusReader reader("libnone.so.1"); });
}

}  // namespace
}  // namespace facepipe::video
