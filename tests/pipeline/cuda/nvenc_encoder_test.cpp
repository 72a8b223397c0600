// NVENC's encoder against a stand-in for the driver's library: what it is given, sample by sample,
// and what becomes of its packets.
#include "pipeline/cuda/nvenc_encoder.h"

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>

#include "pipeline/cuda/abilities.h"
#include "pipeline/cuda/upload.h"
#include "pipeline/pictures.h"
#include "tests/pipeline/cuda/nvenc_script.h"

namespace facepipe::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Kind {
  const char* name;
  const char* codec;
  int bits;  // of the pictures
  AVPixelFormat surface;
  bool full_range = false;
  Size size{322, 194};
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

using Planes = std::vector<std::vector<unsigned>>;  // Y, U, V

Planes noise(const Kind& kind, int number) {
  std::mt19937 random(static_cast<unsigned>(number) + 1);
  Planes planes(3);
  const int pixels = kind.size.width * kind.size.height;
  for (std::size_t c = 0; c < 3; ++c)
    for (int i = 0; i < (c == 0 ? pixels : pixels / 4); ++i)
      planes[c].push_back(static_cast<unsigned>(random()) & ((1U << kind.bits) - 1));
  return planes;
}

Frame source_frame(const Kind& kind, int number) {
  UniqueAVFrame picture = new_av_frame();
  const AVPixelFormat deep = kind.bits == 10 ? AV_PIX_FMT_YUV420P10 : AV_PIX_FMT_YUV420P16;
  picture->format = kind.bits == 8 ? AV_PIX_FMT_YUV420P : deep;
  picture->width = kind.size.width;
  picture->height = kind.size.height;
  picture->color_range = kind.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  picture->colorspace = AVCOL_SPC_BT709;
  picture->color_primaries = AVCOL_PRI_BT470BG;
  picture->color_trc = AVCOL_TRC_SMPTE170M;
  check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
  const Planes planes = noise(kind, number);
  for (std::size_t c = 0; c < 3; ++c) {
    const int width = c == 0 ? kind.size.width : kind.size.width / 2;
    for (std::size_t i = 0; i < planes[c].size(); ++i) {
      const int x = static_cast<int>(i) % width;
      std::uint8_t* const row =
          picture->data[c] + static_cast<int>(i) / width * picture->linesize[c];
      if (kind.bits == 8)
        row[x] = static_cast<std::uint8_t>(planes[c][i]);
      else
        reinterpret_cast<std::uint16_t*>(row)[x] = static_cast<std::uint16_t>(planes[c][i]);
    }
  }
  return wrap(std::move(picture));
}

/// A sample as NVENC is to get it: in the upper bits of its word, or rounded to 8 bits (ITU-T
/// H.273's codes of the other depth).
unsigned expected_sample(const Kind& kind, bool chroma, unsigned sample) {
  if (kind.surface == AV_PIX_FMT_P010LE) return sample << 6U;
  if (kind.bits == 8 || kind.surface == AV_PIX_FMT_P016LE) return sample;
  const double last = std::exp2(kind.bits) - 1;
  const double middle = std::exp2(kind.bits - 1);
  double exact = sample / std::exp2(kind.bits - 8);
  if (kind.full_range) exact = chroma ? 128 + (sample - middle) * 255 / last : sample * 255 / last;
  return static_cast<unsigned>(std::min(255L, std::lrint(exact)));
}

void append(std::vector<std::uint8_t>& to, const Kind& kind, unsigned sample) {
  to.push_back(static_cast<std::uint8_t>(sample & 0xFFU));
  if (kind.surface != AV_PIX_FMT_NV12) to.push_back(static_cast<std::uint8_t>(sample >> 8U));
}

FakePicture expected_picture(const Kind& kind, int number) {
  const Planes planes = noise(kind, number);
  FakePicture picture;
  for (const unsigned sample : planes[0])
    append(picture.luma, kind, expected_sample(kind, false, sample));
  for (std::size_t i = 0; i < planes[1].size(); ++i)
    for (const std::size_t c : {1U, 2U})
      append(picture.chroma, kind, expected_sample(kind, true, planes[c][i]));
  return picture;
}

/// When the frames are shown.
struct Rhythm {
  Rational time_base{1, 15360};
  Rational rate{30, 1};
  std::int64_t first = 1000;
  std::int64_t step = 512;
};

/// Sends frames through an encoder.
class Encoding {
 public:
  explicit Encoding(const Kind& kind, const EncoderOptions& options = {}, const Rhythm& rhythm = {},
                    const std::function<void(EncoderSetup&, Frame&)>& change = {})
      : kind_(kind), rhythm_(rhythm), upload_(kind.size, kind.bits, 3, kDevice, copies_) {
    EncoderSetup setup;
    setup.plan.codec = avcodec_find_encoder_by_name(kind.codec);
    setup.plan.encoded = kind.surface;
    setup.options = options;
    setup.frame_rate = rhythm.rate;
    setup.output = "out.mp4";
    Frame first = frame(0);
    if (change) change(setup, first);
    encoder_ = make_nvenc_encoder(setup, first, kDevice, notices_, copies_);
  }

  Frame frame(int number) {
    Frame source = source_frame(kind_, number);
    source.index = number;
    source.pts = rhythm_.first + rhythm_.step * number;
    source.duration = rhythm_.step;
    source.time_base = rhythm_.time_base;
    return upload_.upload(source, stream_);
  }

  std::vector<EncodedFrame> run(int count) {
    std::vector<EncodedFrame> packets;
    const auto sink = [&](EncodedFrame encoded) { packets.push_back(std::move(encoded)); };
    for (int i = 0; i < count; ++i) {
      FrameRecord record;
      record.index = i;
      encoder_->encode(frame(i), std::move(record), sink);
      most_frames_ = std::max(most_frames_, live_frames());
    }
    encoder_->flush(sink);
    return packets;
  }

  [[nodiscard]] Encoder& encoder() const { return *encoder_; }
  [[nodiscard]] const CopyCounter& copies() const { return copies_; }
  [[nodiscard]] const cuda::Stream& stream() const { return stream_; }
  [[nodiscard]] std::int64_t most_frames() const { return most_frames_; }

 private:
  static constexpr Device kDevice{DeviceKind::cuda, 0};
  Kind kind_;
  Rhythm rhythm_;
  Notices notices_{"test"};
  CopyCounter copies_;
  cuda::Stream stream_;
  PictureUpload upload_;
  std::unique_ptr<Encoder> encoder_;
  std::int64_t most_frames_ = 0;
};

constexpr Kind kPlain{"plain", "h264_nvenc", 8, AV_PIX_FMT_NV12};

class Nvenc : public testing::Test {
 protected:
  void SetUp() override {
    become({});
    if (avcodec_find_encoder_by_name("hevc_nvenc") == nullptr)
      GTEST_SKIP() << "this FFmpeg was built without NVENC";
  }
  void TearDown() override {
    EXPECT_THAT(problems(), IsEmpty());
    for (const FakeSession& session : sessions()) EXPECT_TRUE(session.closed);
    EXPECT_EQ(live_frames(), 0);
  }
  static void answer(std::size_t count, std::size_t b_frames) {
    FakeChip chip;
    chip.preset_b_frames = static_cast<int>(b_frames);
    chip.script = meaningless_script(count, b_frames);
    become(chip);
  }
};

class NvencPictures : public Nvenc, public testing::WithParamInterface<Kind> {};

TEST_P(NvencPictures, ArriveSampleBySample) {
  constexpr int kCount = 20;
  answer(kCount, 2);
  const Kind& kind = GetParam();
  {
    Encoding encoding(kind);
    const std::vector<EncodedFrame> packets = encoding.run(kCount);
    ASSERT_EQ(packets.size(), std::size_t{kCount});
    std::int64_t bytes = 0;
    for (const EncodedFrame& encoded : packets) bytes += encoded.packet->size;
    EXPECT_EQ(encoding.copies().total(CopyKind::bitstream), (CopyTotal{kCount, bytes}));
    const std::int64_t samples = kind.size.width * kind.size.height * 3 / 2;
    const std::int64_t picture = samples * (kind.surface == AV_PIX_FMT_NV12 ? 1 : 2);
    EXPECT_EQ(encoding.copies().total(CopyKind::surface),
              (CopyTotal{2 * kCount, kCount * picture}));
    EXPECT_EQ(encoding.copies().total(CopyKind::download), CopyTotal{});
  }
  const FakeSession& session = sessions().back();
  EXPECT_EQ(session.format, kind.surface == AV_PIX_FMT_NV12 ? NV_ENC_BUFFER_FORMAT_NV12
                                                            : NV_ENC_BUFFER_FORMAT_YUV420_10BIT);
  ASSERT_EQ(session.pictures.size(), std::size_t{kCount});
  for (int i = 0; i < kCount; ++i) {
    const FakePicture& found = session.pictures[static_cast<std::size_t>(i)];
    const FakePicture expected = expected_picture(kind, i);
    EXPECT_TRUE(found.luma == expected.luma) << i;
    EXPECT_TRUE(found.chroma == expected.chroma) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NvencPictures,
    testing::Values(kPlain, Kind{"hevc", "hevc_nvenc", 8, AV_PIX_FMT_NV12},
                    Kind{"tenBits", "hevc_nvenc", 10, AV_PIX_FMT_P010LE},
                    Kind{"sixteenBits", "hevc_nvenc", 16, AV_PIX_FMT_P016LE},
                    Kind{"narrowed", "h264_nvenc", 10, AV_PIX_FMT_NV12},
                    Kind{"narrowedOfFullRange", "h264_nvenc", 10, AV_PIX_FMT_NV12, true},
                    Kind{"narrowedFromSixteen", "h264_nvenc", 16, AV_PIX_FMT_NV12, true}),
    [](const auto& test) { return std::string(test.param.name); });

struct Stamping {
  const char* name;
  Rhythm rhythm;
  std::size_t b_frames;
};

void PrintTo(const Stamping& stamping, std::ostream* out) { *out << stamping.name; }

class NvencStamps : public Nvenc, public testing::WithParamInterface<Stamping> {};

TEST_P(NvencStamps, RiseInDecodingOrderAndKeepPresentation) {
  constexpr int kCount = 24;
  answer(kCount, GetParam().b_frames);
  const Rhythm& rhythm = GetParam().rhythm;
  Encoding encoding(kPlain, {}, rhythm);
  const std::vector<EncodedFrame> packets = encoding.run(kCount);
  const std::vector<FakePacket> script = meaningless_script(kCount, GetParam().b_frames);
  ASSERT_EQ(packets.size(), script.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const AVPacket& packet = *packets[i].packet;
    const auto shown = static_cast<std::int64_t>(script[i].shown);
    EXPECT_EQ(packets[i].record.index, shown);
    EXPECT_EQ(packet.pts, rhythm.first + rhythm.step * shown);
    EXPECT_EQ(packet.duration, rhythm.step);
    EXPECT_LE(packet.dts, packet.pts);
    EXPECT_GE(packet.dts, rhythm.first + rhythm.step * (static_cast<std::int64_t>(i) - 4));
    if (i > 0) {
      EXPECT_GT(packet.dts, packets[i - 1].packet->dts);
    }
    EXPECT_EQ((packet.flags & AV_PKT_FLAG_KEY) != 0, script[i].key);
    EXPECT_EQ(std::vector<std::uint8_t>(packet.data, packet.data + packet.size), script[i].bytes);
    EXPECT_GT(packets[i].record.times[StageId::encode].end,
              packets[i].record.times[StageId::encode].begin);
  }
  EXPECT_EQ(encoding.encoder().time_base().den, rhythm.time_base.den);
  if (GetParam().b_frames == 0) {
    EXPECT_EQ(packets[0].packet->dts, packets[0].packet->pts);
  }
}

// FFmpeg's own decoding stamps are too late wherever a frame is many ticks, and far too early where
// the time base has a numerator.
INSTANTIATE_TEST_SUITE_P(
    All, NvencStamps,
    testing::Values(Stamping{"fineClock", {}, 2}, Stamping{"fineClockNoBFrames", {}, 0},
                    Stamping{"frameClock", {{1, 25}, {25, 1}, 0, 1}, 3},
                    Stamping{"fraction", {{1001, 30000}, {30000, 1001}, 7, 1}, 2},
                    Stamping{"manyBFrames", {{1, 90000}, {60, 1}, -9000, 1500}, 4}),
    [](const auto& test) { return std::string(test.param.name); });

// The copy may begin only when the frame is there, and NVENC may read only what was copied: a
// stream that is late shows both.
TEST_F(Nvenc, WaitsForFramesThatAreLate) {
  constexpr int kCount = 4;
  answer(kCount, 0);
  {
    Encoding encoding(kPlain);
    const auto nap = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(60)); };
    const auto sink = [](EncodedFrame) {};
    for (int i = 0; i < kCount; ++i) {
      ASSERT_EQ(cudaLaunchHostFunc(encoding.stream().view().get(), nap, nullptr), cudaSuccess);
      encoding.encoder().encode(encoding.frame(i), {}, sink);
    }
    encoding.encoder().flush(sink);
  }
  for (int i = 0; i < kCount; ++i)
    EXPECT_TRUE(sessions().back().pictures.at(static_cast<std::size_t>(i)).luma ==
                expected_picture(kPlain, i).luma)
        << i;
}

TEST_F(Nvenc, LetsFramesGoWhileItHoldsTheirCopies) {
  constexpr int kCount = 40;
  answer(kCount, 3);
  {
    Encoding encoding(kPlain);
    EXPECT_EQ(encoding.run(kCount).size(), std::size_t{kCount});
    EXPECT_LE(encoding.most_frames(), 1);
  }
  EXPECT_GE(sessions().back().most_held, 8U) << "or there was nothing to let go";
}

bool same(const GUID& a, const GUID& b) { return std::memcmp(&a, &b, sizeof(GUID)) == 0; }

TEST_F(Nvenc, GetsTheSettings) {
  EncoderOptions options{"", "p6", 28.5, {{"g", "60"}, {"spatial-aq", "1"}}};
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
  const Encoding encoding(kPlain, {}, {}, [](EncoderSetup& setup, Frame& first) {
    setup.global_header = true;
    first.sample_aspect = {4, 3};
  });
  const UniqueCodecParameters parameters = encoding.encoder().parameters();
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
  const auto fields = [](EncoderSetup&, Frame& first) {
    first.field_order = FieldOrder::bottom_first;
  };
  { const Encoding encoding(kPlain, {}, {}, fields); }
  EXPECT_EQ(sessions().back().config.frameFieldMode, NV_ENC_PARAMS_FRAME_FIELD_MODE_FIELD);
}

TEST_F(Nvenc, RefusesWhatItHasNot) {
  const auto refused = [](ErrorKind kind, const char* word, const EncoderOptions& options) {
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
  EXPECT_THROW(encoding.encoder().encode(other.frame(0), {}, [](EncodedFrame) {}), Error);
}

TEST_F(Nvenc, IsFoundByWhoAsksForTheChipsAbilities) {
  FakeChip chip;
  chip.ten_bits = false;
  become(chip);
  const auto problems_of = [] {
    std::vector<std::string> all;
    for (const NvencTrial& trial : cuda_abilities().chips.at(0).encodes)
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
