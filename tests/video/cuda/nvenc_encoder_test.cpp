// These tests run NVENC's encoder with the fake library. They check each sample that NVENC gets,
// and what happens to its packets.
#include "video/cuda/encoder.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "tests/video/cuda/nvenc_encoding.h"

namespace facepipe::test {
namespace {

/// Returns a sample in the form in which NVENC must get it: in the upper bits of its word, or
/// rounded to 8 bits by ITU-T H.273.
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

class NvencPictures : public Nvenc, public testing::WithParamInterface<Kind> {};

TEST_P(NvencPictures, ArriveSampleBySample) {
  constexpr int kCount = 20;
  answer(kCount, 2);
  const Kind& kind = GetParam();
  {
    Encoding encoding(kind);
    const std::vector<video::EncodedFrame> packets = encoding.run(kCount);
    ASSERT_EQ(packets.size(), std::size_t{kCount});
    std::int64_t bytes = 0;
    for (const video::EncodedFrame& encoded : packets) bytes += encoded.packet->size;
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
  const std::vector<video::EncodedFrame> packets = encoding.run(kCount);
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

// FFmpeg's own decoding stamps are wrong for these clocks: too late if a frame has many ticks, and
// far too early if the time base has a numerator above 1.
INSTANTIATE_TEST_SUITE_P(
    All, NvencStamps,
    testing::Values(Stamping{"fineClock", {}, 2}, Stamping{"fineClockNoBFrames", {}, 0},
                    Stamping{"frameClock", {{1, 25}, {25, 1}, 0, 1}, 3},
                    Stamping{"fraction", {{1001, 30000}, {30000, 1001}, 7, 1}, 2},
                    Stamping{"manyBFrames", {{1, 90000}, {60, 1}, -9000, 1500}, 4}),
    [](const auto& test) { return std::string(test.param.name); });

// The copy must not begin before the frame is ready, and NVENC must not read before the copy is
// done. A delayed stream makes both errors visible.
TEST_F(Nvenc, WaitsForFramesThatAreLate) {
  constexpr int kCount = 4;
  answer(kCount, 0);
  {
    Encoding encoding(kPlain);
    const auto nap = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(60)); };
    const auto sink = [](video::EncodedFrame) {};
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

}  // namespace
}  // namespace facepipe::test
