// These tests decode nvJPEG's pictures with FFmpeg and compare them with the source pictures.
#include "video/cuda/encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "tests/video/cuda/encode_all.h"
#include "video/cuda/transfer.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

using testing::HasSubstr;

struct Kind {
  const char* name;
  Size size;
  int bits;
  bool full_range;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

/// Returns a sample of a source picture of `kind`. Luma changes smoothly, and each quarter of the
/// picture has another colour.
unsigned source_sample(const Kind& kind, int component, int x, int y, int number) {
  const int low = kind.full_range ? 0 : 16;
  const int high = kind.full_range ? 255 : (component == 0 ? 235 : 240);
  double part = 0;
  if (component == 0) {
    part = 0.5 + 0.49 * std::sin(0.05 * x + 0.3 * number) * std::cos(0.04 * y);
  } else {
    const bool right = 4 * x > kind.size.width;  // whether x is in the right half of the chroma
                                                 // plane
    const bool lower = 4 * y > kind.size.height;
    part = component == 1 ? (right ? 0.85 : 0.2) : (lower ? 0.8 : 0.25);
  }
  const double value = (low + part * (high - low)) * std::exp2(kind.bits - 8);
  return static_cast<unsigned>(std::lround(value));
}

/// Converts a sample to 8 bits of full range, by the equations of ITU-T H.273.
double jpeg_sample(const Kind& kind, int component, unsigned sample) {
  const double step = std::exp2(kind.bits - 8);
  if (component == 0)
    return kind.full_range ? 255 * sample / (256 * step - 1) : 255 * (sample / step - 16) / 219;
  const double centred = sample - 128 * step;
  return 128 + 255 * centred / (kind.full_range ? 256 * step - 1 : 224 * step);
}

int plane_side(int side, int component) { return component == 0 ? side : (side + 1) / 2; }

Frame source_frame(const Kind& kind, int number) {
  video::UniqueAVFrame picture = video::new_av_frame();
  picture->format = kind.bits == 8 ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV420P10;
  picture->width = kind.size.width;
  picture->height = kind.size.height;
  picture->color_range = kind.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  picture->colorspace = AVCOL_SPC_BT709;
  video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < plane_side(kind.size.height, c); ++y)
      for (int x = 0; x < plane_side(kind.size.width, c); ++x) {
        const unsigned value = source_sample(kind, c, x, y, number);
        std::uint8_t* const row = picture->data[c] + y * picture->linesize[c];
        if (kind.bits == 8)
          row[x] = static_cast<std::uint8_t>(value);
        else
          reinterpret_cast<std::uint16_t*>(row)[x] = static_cast<std::uint16_t>(value);
      }
  Frame frame = video::wrap(std::move(picture));
  frame.index = number;
  frame.pts = 1000 + 512 * number;
  frame.duration = 512;
  frame.time_base = {1, 15360};
  frame.sample_aspect = {4, 3};
  return frame;
}

video::UniqueAVFrame decode_jpeg(const AVPacket& packet) {
  const video::UniqueCodecContext decoder(
      avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_MJPEG)));
  video::check_av(avcodec_open2(decoder.get(), nullptr, nullptr), ErrorKind::internal, "mjpeg");
  video::check_av(avcodec_send_packet(decoder.get(), &packet), ErrorKind::internal, "mjpeg");
  video::UniqueAVFrame picture = video::new_av_frame();
  video::check_av(avcodec_receive_frame(decoder.get(), picture.get()), ErrorKind::internal,
                  "mjpeg");
  return picture;
}

double psnr(const AVFrame& decoded, const Kind& kind, int component, int number) {
  double sum = 0;
  const int width = plane_side(kind.size.width, component);
  const int height = plane_side(kind.size.height, component);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double expected =
          jpeg_sample(kind, component, source_sample(kind, component, x, y, number));
      const double found = decoded.data[component][y * decoded.linesize[component] + x];
      sum += (found - expected) * (found - expected);
    }
  return 10 * std::log10(255.0 * 255.0 * width * height / std::max(sum, 1e-9));
}

/// Sends `count` frames through an encoder, and checks the packets when they are returned.
class Encoding {
 public:
  Encoding(const Kind& kind, int in_flight, const video::EncoderOptions& options = {},
           const std::shared_ptr<video::NvjpegLibrary>& nvjpeg = video::open_nvjpeg())
      : kind_(kind),
        notices_("test"),
        upload_(kind.size, kind.bits, 4, {DeviceKind::cuda, 0}, copies_) {
    video::EncoderSetup setup;
    setup.options = options;
    setup.frame_rate = {30, 1};
    setup.output = "out.avi";
    encoder_ = video::make_jpeg_encoder(setup, frame(0), *nvjpeg, in_flight, notices_, copies_);
  }

  Frame frame(int number) { return upload_.upload(source_frame(kind_, number), stream_); }

  std::vector<video::EncodedFrame> run(int count) {
    return encode_all(*encoder_, count, [this](int number) { return frame(number); });
  }

  [[nodiscard]] const video::Encoder& encoder() const { return *encoder_; }
  [[nodiscard]] const CopyCounter& copies() const { return copies_; }

 private:
  Kind kind_;
  video::Notices notices_;
  CopyCounter copies_;
  cuda::Stream stream_;
  video::PictureUpload upload_;
  std::unique_ptr<video::Encoder> encoder_;
};

class CudaJpeg : public testing::TestWithParam<Kind> {};

TEST_P(CudaJpeg, DecodesToWhatWentIn) {
  for (const int in_flight : {1, 3}) {
    SCOPED_TRACE(std::to_string(in_flight) + " in flight");
    Encoding encoding(GetParam(), in_flight);
    const std::vector<video::EncodedFrame> packets = encoding.run(7);
    ASSERT_EQ(packets.size(), 7U);
    std::int64_t bytes = 0;
    for (int i = 0; i < 7; ++i) {
      const video::EncodedFrame& encoded = packets[static_cast<std::size_t>(i)];
      EXPECT_EQ(encoded.record.index, i);
      EXPECT_EQ(encoded.packet->pts, 1000 + 512 * i);
      EXPECT_EQ(encoded.packet->dts, encoded.packet->pts);
      EXPECT_EQ(encoded.packet->duration, 512);
      EXPECT_NE(encoded.packet->flags & AV_PKT_FLAG_KEY, 0);
      EXPECT_GT(encoded.record.times[StageId::encode].end,
                encoded.record.times[StageId::encode].begin);
      bytes += encoded.packet->size;
      const video::UniqueAVFrame decoded = decode_jpeg(*encoded.packet);
      ASSERT_EQ(decoded->width, GetParam().size.width);
      ASSERT_EQ(decoded->height, GetParam().size.height);
      ASSERT_EQ(decoded->format, AV_PIX_FMT_YUVJ420P);
      for (int component = 0; component < 3; ++component)
        EXPECT_GT(psnr(*decoded, GetParam(), component, i), 36) << "plane " << component;
    }
    EXPECT_EQ(encoding.copies().total(CopyKind::bitstream), (CopyTotal{7, bytes}));
  }
}

INSTANTIATE_TEST_SUITE_P(All, CudaJpeg,
                         testing::Values(Kind{"limited", {640, 360}, 8, false},
                                         Kind{"full", {640, 360}, 8, true},
                                         Kind{"odd", {333, 251}, 8, false},
                                         Kind{"tenBits", {322, 242}, 10, false},
                                         Kind{"tenBitsFull", {320, 240}, 10, true}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(CudaJpegEncoder, WithOneInFlightGivesEachPacketAtOnce) {
  Encoding encoding({"", {128, 96}, 8, false}, 1);
  EXPECT_EQ(encoding.run(1).size(), 1U);
}

TEST(CudaJpegEncoder, QualityTakesBytes) {
  const Kind kind{"", {640, 360}, 8, false};
  int last = 0;
  for (const char* quality : {"20", "60", "98"}) {
    video::EncoderOptions options;
    options.options = {{"quality", quality}};
    Encoding encoding(kind, 1, options);
    const int size = encoding.run(1).at(0).packet->size;
    EXPECT_GT(size, last) << quality;
    last = size;
  }
}

// The library keeps memory and other objects for the next encoder. This must not change results,
// and two encoders must be able to share the library.
TEST(CudaJpegEncoder, EncodersOfOneLibraryMakeWhatOthersDo) {
  const auto nvjpeg = video::open_nvjpeg();
  const auto bytes_of = [](const std::vector<video::EncodedFrame>& packets) {
    std::vector<std::vector<std::uint8_t>> all;
    for (const video::EncodedFrame& encoded : packets)
      all.emplace_back(encoded.packet->data, encoded.packet->data + encoded.packet->size);
    return all;
  };
  for (const char* quality : {"60", "95", "60"})
    for (const Size size : {Size{320, 240}, Size{64, 48}}) {
      const Kind kind{"", size, 8, false};
      video::EncoderOptions options;
      options.options = {{"quality", quality}};
      Encoding first(kind, 2, options, nvjpeg);
      Encoding beside(kind, 1, options, nvjpeg);
      const auto expected = bytes_of(Encoding(kind, 2, options).run(5));
      EXPECT_EQ(bytes_of(first.run(5)), expected) << quality;
      EXPECT_EQ(bytes_of(beside.run(5)), expected) << quality;
    }
}

TEST(CudaJpegEncoder, DescribesItsStream) {
  const Encoding encoding({"", {320, 240}, 8, false}, 2);
  const video::UniqueCodecParameters parameters = encoding.encoder().parameters();
  EXPECT_EQ(parameters->codec_id, AV_CODEC_ID_MJPEG);
  EXPECT_EQ(parameters->width, 320);
  EXPECT_EQ(parameters->height, 240);
  EXPECT_EQ(parameters->format, AV_PIX_FMT_YUVJ420P);
  EXPECT_EQ(parameters->color_range, AVCOL_RANGE_JPEG);
  EXPECT_EQ(parameters->color_space, AVCOL_SPC_BT709);
  EXPECT_EQ(parameters->sample_aspect_ratio.num, 4);
  EXPECT_EQ(encoding.encoder().time_base().den, 15360);
}

TEST(CudaJpegEncoder, RefusesOptionsThatItDoesntKnow) {
  const Kind kind{"", {64, 64}, 8, false};
  const auto refused = [&](const video::EncoderOptions& options, const char* word) {
    try {
      const Encoding encoding(kind, 1, options);
      FAIL() << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), HasSubstr(word));
    }
  };
  video::EncoderOptions options;
  options.options = {{"bf", "2"}};
  refused(options, "bf");
  for (const char* quality : {"0", "101", "x", "90x", ""}) {
    options.options = {{"quality", quality}};
    refused(options, "quality");
  }
  options.options.clear();
  options.crf = 20;
  refused(options, "crf");
}

}  // namespace
}  // namespace facepipe::test
