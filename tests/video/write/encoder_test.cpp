// These tests give the encoder pictures in a layout that the encoder doesn't support, as a download
// from a device does.
#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <cstdint>
#include <random>
#include <vector>

#include "video/frames/pictures.h"
#include "video/write/encoder.h"

namespace facepipe::video {
namespace {

constexpr Size kSize{32, 16};

/// Returns a noise picture in NV12 or P010. Stores its samples in `values`, in the order Y, U, V.
UniqueAVFrame noise_picture(AVPixelFormat format, AVColorRange range, std::vector<int>& values) {
  UniqueAVFrame picture = new_av_frame();
  picture->format = format;
  picture->width = kSize.width;
  picture->height = kSize.height;
  picture->color_range = range;
  check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
  const bool deep = format != AV_PIX_FMT_NV12;
  std::mt19937 random(7);
  std::vector<int> planes[3];
  for (int plane = 0; plane < 2; ++plane)
    for (int y = 0; y < kSize.height >> plane; ++y)
      for (int x = 0; x < kSize.width; ++x) {
        const int value = static_cast<int>(random() % (deep ? 1024 : 256));
        std::uint8_t* const row = picture->data[plane] + y * picture->linesize[plane];
        if (deep)
          reinterpret_cast<std::uint16_t*>(row)[x] = static_cast<std::uint16_t>(value << 6);
        else
          row[x] = static_cast<std::uint8_t>(value);
        planes[plane == 0 ? 0 : 1 + x % 2].push_back(value);
      }
  for (const auto& plane : planes) values.insert(values.end(), plane.begin(), plane.end());
  return picture;
}

/// Decodes the picture of the packet. Returns its samples.
std::vector<int> decoded(const Encoder& encoder, const AVPacket& packet) {
  const UniqueCodecParameters parameters = encoder.parameters();
  const UniqueCodecContext context(
      avcodec_alloc_context3(avcodec_find_decoder(parameters->codec_id)));
  check_av(avcodec_parameters_to_context(context.get(), parameters.get()), ErrorKind::internal, "");
  check_av(avcodec_open2(context.get(), nullptr, nullptr), ErrorKind::internal, "decoder");
  check_av(avcodec_send_packet(context.get(), &packet), ErrorKind::internal, "packet");
  const UniqueAVFrame picture = new_av_frame();
  check_av(avcodec_receive_frame(context.get(), picture.get()), ErrorKind::internal, "picture");
  const auto& format = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture->format));
  std::vector<int> values;
  for (int plane = 0; plane < 3; ++plane)
    for (int y = 0; y < kSize.height >> (plane > 0 ? 1 : 0); ++y)
      for (int x = 0; x < kSize.width >> (plane > 0 ? 1 : 0); ++x) {
        const std::uint8_t* const row = picture->data[plane] + y * picture->linesize[plane];
        values.push_back(format.comp[0].depth > 8 ? reinterpret_cast<const std::uint16_t*>(row)[x]
                                                  : row[x]);
      }
  return values;
}

struct Layout {
  AVPixelFormat from;
  AVPixelFormat to;
};

TEST(CpuEncoder, KeepsEverySampleOfSemiPlanarPicturesWhateverTheirRange) {
  for (const Layout& layout : {Layout{AV_PIX_FMT_NV12, AV_PIX_FMT_YUV420P},
                               Layout{AV_PIX_FMT_P010LE, AV_PIX_FMT_YUV420P10LE}})
    for (const AVColorRange range : {AVCOL_RANGE_MPEG, AVCOL_RANGE_JPEG}) {
      SCOPED_TRACE(testing::Message() << av_get_pix_fmt_name(layout.from) << " " << range);
      std::vector<int> values;
      Frame frame = wrap(noise_picture(layout.from, range, values));
      frame.time_base = {1, 25};
      frame.duration = 1;
      EncoderSetup setup;
      setup.plan = {avcodec_find_encoder(AV_CODEC_ID_FFV1), layout.from, layout.to};
      setup.frame_rate = {25, 1};
      Notices notices("test");
      const auto encoder = make_cpu_encoder(setup, frame, notices);
      std::vector<EncodedFrame> packets;
      const auto sink = [&](EncodedFrame packet) { packets.push_back(std::move(packet)); };
      encoder->encode(std::move(frame), {}, sink);
      encoder->flush(sink);
      ASSERT_EQ(packets.size(), 1U);
      EXPECT_EQ(decoded(*encoder, *packets[0].packet), values);
      EXPECT_EQ(encoder->parameters()->color_range, range);
      EXPECT_EQ(encoder->name(), "ffv1");
    }
}

}  // namespace
}  // namespace facepipe::video
