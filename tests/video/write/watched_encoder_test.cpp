#include "video/write/watched_encoder.h"

extern "C" {
#include <libavutil/stereo3d.h>
}

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <utility>

#include "tests/support/expect_error.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// This encoder keeps the last frame.
class FakeEncoder final : public video::Encoder {
 public:
  explicit FakeEncoder(Frame& last) : last_(last) {}
  void encode(Frame frame, FrameRecord, const Sink&) override { last_ = std::move(frame); }
  void flush(const Sink&) override {}
  [[nodiscard]] AVRational time_base() const override { return {1, 25}; }
  [[nodiscard]] video::UniqueCodecParameters parameters() const override {
    return video::new_codec_parameters();
  }
  [[nodiscard]] std::string name() const override { return "fake"; }

 private:
  Frame& last_;
};

Frame frame_with(AVFrameSideDataType type, std::size_t size = 64) {
  video::UniqueAVFrame picture = video::new_av_frame();
  picture->format = AV_PIX_FMT_YUV420P;
  picture->width = picture->height = 16;
  video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "a picture");
  const AVFrameSideData* const data =
      video::allocated(av_frame_new_side_data(picture.get(), type, size));
  std::memset(data->data, 0, size);
  return video::wrap(std::move(picture));
}

class WatchedEncoder : public testing::Test {
 protected:
  video::PictureDataWatch watch() {
    return {{}, video::Originals::keep, false, "out.mkv", notices_};
  }
  void encode(const video::PictureDataWatch& watch, AVFrameSideDataType type) {
    encoder(watch)->encode(frame_with(type), {}, [](video::EncodedFrame) {});
  }
  std::unique_ptr<video::Encoder> encoder(const video::PictureDataWatch& watch) {
    return video::watched(std::make_unique<FakeEncoder>(last_), watch);
  }

  video::Notices notices_{"in.mp4"};
  Frame last_;
};

TEST_F(WatchedEncoder, B8B15WhatIsLostIsToldOnce) {
  struct Case {
    AVFrameSideDataType type;
    const char* what;
  };
  for (const Case& c : {Case{AV_FRAME_DATA_A53_CC, "closed captions"},
                        Case{AV_FRAME_DATA_DYNAMIC_HDR_PLUS, "HDR10+"},
                        Case{AV_FRAME_DATA_DYNAMIC_HDR_VIVID, "HDR Vivid"},
                        Case{AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, "mastering display"}}) {
    video::Notices notices("in.mp4");
    const video::PictureDataWatch watch{{}, video::Originals::keep, false, "out.mkv", notices};
    const std::unique_ptr<video::Encoder> encoder = this->encoder(watch);
    for (int i = 0; i < 3; ++i) encoder->encode(frame_with(c.type), {}, [](video::EncodedFrame) {});
    EXPECT_THAT(notices.all(), ElementsAre(HasSubstr(c.what)));
    video::PictureDataWatch strict = watch;
    strict.strict = true;
    expect_error(ErrorKind::output, c.what, [&] { this->encode(strict, c.type); });
  }
}

TEST_F(WatchedEncoder, B8B15WhatIsKeptAndWhatNobodyMissesIsNotTold) {
  video::PictureDataWatch all = watch();
  all.kept = {AV_FRAME_DATA_A53_CC};
  encode(all, AV_FRAME_DATA_A53_CC);
  encode(all, AV_FRAME_DATA_MOTION_VECTORS);
  const std::unique_ptr<video::Encoder> encoder = this->encoder(all);
  Frame one_view = frame_with(AV_FRAME_DATA_STEREO3D, sizeof(AVStereo3D));  // zeros mean 2D
  encoder->encode(std::move(one_view), {}, [](video::EncodedFrame) {});
  EXPECT_THAT(notices_.all(), IsEmpty());
}

TEST_F(WatchedEncoder, A8MessagesOfUsersAreTakenAwayWhereFacesAreHidden) {
  video::PictureDataWatch hiding = watch();
  encode(hiding, AV_FRAME_DATA_SEI_UNREGISTERED);
  EXPECT_NE(av_frame_get_side_data(&video::unwrap(last_), AV_FRAME_DATA_SEI_UNREGISTERED), nullptr);
  hiding.originals = video::Originals::leave_out;
  encode(hiding, AV_FRAME_DATA_SEI_UNREGISTERED);
  EXPECT_EQ(av_frame_get_side_data(&video::unwrap(last_), AV_FRAME_DATA_SEI_UNREGISTERED), nullptr);
}

TEST_F(WatchedEncoder, B15KnowsWhichEncodersWriteCaptions) {
  const auto keeps = [](const char* encoder, std::vector<std::pair<std::string, std::string>> of) {
    video::EncoderSetup setup;
    setup.plan.codec = avcodec_find_encoder_by_name(encoder);
    setup.options.options = std::move(of);
    return video::kept_picture_data(setup).contains(AV_FRAME_DATA_A53_CC);
  };
  EXPECT_TRUE(keeps("libx264", {}));
  EXPECT_FALSE(keeps("libx264", {{"a53cc", "0"}}));
  EXPECT_TRUE(keeps("mpeg2video", {}));
  for (const char* const encoder : {"ffv1", "mjpeg", "libvpx-vp9"})
    EXPECT_FALSE(keeps(encoder, {})) << encoder;
}

}  // namespace
}  // namespace facepipe::test
