// These tests convert pictures to a target's format, and compare them with an FFmpeg filter that is
// made for this picture only. They also check which converters are kept for the next input.
#include "video/frames/normalizer.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/picture_hash.h"
#include "video/frames/chroma_subsampler.h"
#include "video/frames/pictures.h"

namespace facepipe::test {
namespace {

/// Returns a picture of random bytes. Neighbouring samples can have any values, so the scaler must
/// clamp overshoot.
video::UniqueAVFrame noise(AVPixelFormat format, Size size, unsigned seed = 1) {
  video::UniqueAVFrame picture = video::new_av_frame();
  picture->format = format;
  picture->width = size.width;
  picture->height = size.height;
  video::check_av(av_frame_get_buffer(picture.get(), 0), ErrorKind::internal, "picture");
  std::mt19937 random(seed);
  for (const AVBufferRef* const buffer : picture->buf)
    if (buffer != nullptr)
      for (std::size_t i = 0; i < buffer->size; ++i)
        buffer->data[i] = static_cast<std::uint8_t>(random() >> 24U);
  return picture;
}

/// Returns noise with the tags that a JPEG decoder sets.
video::UniqueAVFrame of_jpeg(AVPixelFormat format, Size size, unsigned seed = 1) {
  video::UniqueAVFrame picture = noise(format, size, seed);
  picture->color_range = AVCOL_RANGE_JPEG;
  picture->colorspace = AVCOL_SPC_BT470BG;
  picture->chroma_location = AVCHROMA_LOC_CENTER;
  picture->pict_type = AV_PICTURE_TYPE_I;
  picture->pts = 7;
  return picture;
}

void expect_equal(const AVFrame& found, const AVFrame& wanted) {
  EXPECT_EQ(found.format, wanted.format);
  EXPECT_EQ(found.width, wanted.width);
  EXPECT_EQ(found.height, wanted.height);
  EXPECT_EQ(found.pts, wanted.pts);
  EXPECT_EQ(found.pict_type, wanted.pict_type);
  EXPECT_EQ(found.color_range, wanted.color_range);
  EXPECT_EQ(found.colorspace, wanted.colorspace);
  EXPECT_EQ(found.chroma_location, wanted.chroma_location);
  EXPECT_EQ(av_cmp_q(found.sample_aspect_ratio, wanted.sample_aspect_ratio), 0);
  EXPECT_EQ(found.nb_side_data, wanted.nb_side_data);
  EXPECT_TRUE(samples_of(found) == samples_of(wanted)) << "samples differ";
}

video::FrameTarget target_of(Size size, AVPixelFormat format) { return {size, format, {}, {}}; }

/// Returns the result of a filter that is made for this picture only.
video::UniqueAVFrame filtered(const AVFrame& picture, AVPixelFormat format) {
  const Size size = video::kind_of(picture).size;
  video::FrameFilter filter(
      video::kind_of(picture),
      "scale=" + std::to_string(size.width) + ":" + std::to_string(size.height) +
          ":flags=bicubic+accurate_rnd+full_chroma_int,format=" + av_get_pix_fmt_name(format) +
          ",null");
  return filter.apply(video::reference(picture));
}

/// Returns the result of a new Normalizer.
video::UniqueAVFrame normalized(const AVFrame& picture, const video::FrameTarget& target,
                                std::shared_ptr<video::KeptConverters> kept = nullptr,
                                int threads = 1) {
  video::Notices notices("picture");
  video::Normalizer normalizer(target, video::kind_of(picture), true, "picture", notices,
                               std::move(kept), threads);
  return normalizer.apply(video::reference(picture));
}

constexpr std::array kFinerChroma{AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ440P};

TEST(Normalizer, SubsamplesChromaAsFFmpegsFilterDoes) {
  for (const AVPixelFormat format : kFinerChroma)
    for (const Size size :
         {Size{800, 564}, Size{801, 565}, Size{640, 1}, Size{1, 480}, Size{37, 23}, Size{2049, 66},
          Size{16, 16}, Size{6, 9}, Size{3, 3}, Size{2, 2}, Size{1, 1}}) {
      SCOPED_TRACE(av_get_pix_fmt_name(format) + std::string(" ") + to_string(size));
      const video::UniqueAVFrame picture = of_jpeg(format, size);
      ASSERT_TRUE(
          video::ChromaSubsampler::takes(video::kind_of(*picture), picture->chroma_location));
      expect_equal(*normalized(*picture, target_of(size, AV_PIX_FMT_YUVJ420P)),
                   *filtered(*picture, AV_PIX_FMT_YUVJ420P));
    }
}

TEST(Normalizer, SubsamplesPictureAfterPicture) {
  constexpr Size kSize{96, 70};
  constexpr video::FrameTarget kTarget{kSize, AV_PIX_FMT_YUVJ420P, {}, {}};
  const video::UniqueAVFrame first = of_jpeg(AV_PIX_FMT_YUVJ444P, kSize);
  video::Notices notices("clip");
  std::vector<video::UniqueAVFrame> made;
  {
    video::Normalizer normalizer(kTarget, video::kind_of(*first), true, "clip", notices);
    for (unsigned seed = 1; seed < 6; ++seed) {
      const video::UniqueAVFrame picture = of_jpeg(AV_PIX_FMT_YUVJ444P, kSize, seed);
      picture->sample_aspect_ratio = {static_cast<int>(seed), 2};
      made.push_back(normalizer.apply(video::reference(*picture)));
    }
  }
  for (unsigned seed = 1; seed < 6; ++seed) {
    const video::UniqueAVFrame picture = of_jpeg(AV_PIX_FMT_YUVJ444P, kSize, seed);
    picture->sample_aspect_ratio = {static_cast<int>(seed), 2};
    expect_equal(*made[seed - 1], *filtered(*picture, AV_PIX_FMT_YUVJ420P));
  }
}

TEST(Normalizer, SharesLumaOfSubsampledPictures) {
  constexpr Size kSize{64, 48};
  const video::UniqueAVFrame picture = of_jpeg(AV_PIX_FMT_YUVJ444P, kSize);
  const video::UniqueAVFrame made = normalized(*picture, target_of(kSize, AV_PIX_FMT_YUVJ420P));
  EXPECT_EQ(made->data[0], picture->data[0]);
  EXPECT_NE(made->data[1], picture->data[1]);
}

TEST(Normalizer, LeavesWhatIsNoJpegsToFFmpegsFilter) {
  const video::PictureKind jpeg = video::kind_of(*of_jpeg(AV_PIX_FMT_YUVJ444P, {64, 48}));
  video::PictureKind narrow = jpeg;
  narrow.range = AVCOL_RANGE_MPEG;
  video::PictureKind untold = jpeg;
  untold.range = AVCOL_RANGE_UNSPECIFIED;
  EXPECT_TRUE(video::ChromaSubsampler::takes(jpeg, AVCHROMA_LOC_UNSPECIFIED));
  EXPECT_FALSE(video::ChromaSubsampler::takes(jpeg, AVCHROMA_LOC_LEFT));
  EXPECT_FALSE(video::ChromaSubsampler::takes(narrow, AVCHROMA_LOC_CENTER));
  EXPECT_FALSE(video::ChromaSubsampler::takes(untold, AVCHROMA_LOC_CENTER));
  for (const AVPixelFormat format : {AV_PIX_FMT_YUVJ411P, AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV444P,
                                     AV_PIX_FMT_YUV444P10, AV_PIX_FMT_GRAY8, AV_PIX_FMT_RGB24}) {
    video::PictureKind other = jpeg;
    other.format = format;
    EXPECT_FALSE(video::ChromaSubsampler::takes(other, AVCHROMA_LOC_CENTER))
        << av_get_pix_fmt_name(format);
  }
}

// The first pictures also need a conversion. Pictures of another shape must not get the converter
// of the first pictures.
TEST(Normalizer, B15PicturesOfAnotherShapeGetAConverterOfTheirOwn) {
  constexpr video::FrameTarget kTarget{{96, 64}, AV_PIX_FMT_YUV420P, {}, {}};
  const video::UniqueAVFrame landscape = noise(AV_PIX_FMT_YUV422P, {96, 64});
  const video::UniqueAVFrame square = noise(AV_PIX_FMT_YUV422P, {64, 64});
  video::Notices notices("clip");
  video::Normalizer normalizer(kTarget, video::kind_of(*landscape), true, "clip", notices);
  const video::UniqueAVFrame first = normalizer.apply(video::reference(*landscape));
  const video::UniqueAVFrame boxed = normalizer.apply(video::reference(*square));
  const video::UniqueAVFrame again = normalizer.apply(video::reference(*landscape));
  ASSERT_EQ(boxed->width, 96);
  const std::uint8_t* const row = boxed->data[0] + std::ptrdiff_t{32} * boxed->linesize[0];
  // The bars to the left and right of the square picture must be black.
  for (const int x : {0, 15, 80, 95}) EXPECT_EQ(row[x], 16) << x;
  expect_equal(*again, *first);
}

TEST(Normalizer, ConvertsTheSameBySeveralThreads) {
  const std::array<std::pair<AVPixelFormat, AVPixelFormat>, 6> conversions{{
      {AV_PIX_FMT_RGB24, AV_PIX_FMT_YUV420P},
      {AV_PIX_FMT_RGBA, AV_PIX_FMT_YUV420P},
      {AV_PIX_FMT_GBRP, AV_PIX_FMT_YUV420P},
      {AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV420P},
      {AV_PIX_FMT_YUV444P10, AV_PIX_FMT_YUV420P10},
      {AV_PIX_FMT_RGB48BE, AV_PIX_FMT_YUV420P16},
  }};
  for (const auto& [from, to] : conversions)
    for (const Size size : {Size{161, 125}, Size{64, 1}, Size{37, 23}, Size{1, 1}}) {
      SCOPED_TRACE(av_get_pix_fmt_name(from) + std::string(" ") + to_string(size));
      const video::UniqueAVFrame picture = noise(from, size);
      for (video::FrameTarget target : {target_of(size, to), target_of({size.width * 2, 77}, to)})
        for (const int turns : {0, 1}) {
          target.rotate.quarter_turns = turns;
          expect_equal(*normalized(*picture, target, nullptr, 4), *normalized(*picture, target));
        }
    }
}

TEST(Normalizer, ScalesAndTurnsSubsampledPicturesByFFmpegsFilter) {
  const video::UniqueAVFrame picture = of_jpeg(AV_PIX_FMT_YUVJ444P, {64, 48});
  video::FrameFilter halving(
      video::kind_of(*picture),
      "scale=32:24:flags=bicubic+accurate_rnd+full_chroma_int,format=yuvj420p");
  expect_equal(*normalized(*picture, target_of({32, 24}, AV_PIX_FMT_YUVJ420P)),
               *halving.apply(video::reference(*picture)));
  video::FrameTarget turned = target_of({64, 48}, AV_PIX_FMT_YUVJ420P);
  turned.rotate = {1, false};
  video::FrameFilter turning(
      video::kind_of(*picture),
      "scale=64:48:flags=bicubic+accurate_rnd+full_chroma_int,format=yuvj420p,"
      "transpose=clock");
  expect_equal(*normalized(*picture, turned), *turning.apply(video::reference(*picture)));
}

TEST(Normalizer, MakesGreyWhatFFmpegsFilterMakes) {
  for (const AVColorRange range : {AVCOL_RANGE_UNSPECIFIED, AVCOL_RANGE_MPEG, AVCOL_RANGE_JPEG})
    for (const Size size : {Size{800, 564}, Size{801, 565}, Size{37, 23}, Size{64, 1}, Size{1, 480},
                            Size{3, 3}, Size{1, 1}}) {
      SCOPED_TRACE(to_string(size) + ", range " + std::to_string(range));
      const video::UniqueAVFrame picture = of_jpeg(AV_PIX_FMT_GRAY8, size);
      picture->color_range = range;
      picture->sample_aspect_ratio = {4, 3};
      expect_equal(*normalized(*picture, target_of(size, AV_PIX_FMT_YUV420P)),
                   *filtered(*picture, AV_PIX_FMT_YUV420P));
    }
}

TEST(Normalizer, ScalesAndTurnsGreyByFFmpegsFilter) {
  const video::UniqueAVFrame picture = of_jpeg(AV_PIX_FMT_GRAY8, {64, 48});
  video::FrameFilter halving(
      video::kind_of(*picture),
      "scale=32:24:flags=bicubic+accurate_rnd+full_chroma_int,format=yuv420p");
  expect_equal(*normalized(*picture, target_of({32, 24}, AV_PIX_FMT_YUV420P)),
               *halving.apply(video::reference(*picture)));
  video::FrameTarget turned = target_of({64, 48}, AV_PIX_FMT_YUV420P);
  turned.rotate = {1, false};
  video::FrameFilter turning(
      video::kind_of(*picture),
      "scale=64:48:flags=bicubic+accurate_rnd+full_chroma_int,format=yuv420p,"
      "transpose=clock");
  expect_equal(*normalized(*picture, turned), *turning.apply(video::reference(*picture)));
}

struct Input {
  const char* name;
  AVPixelFormat from;
  AVPixelFormat to;
};
void PrintTo(const Input& input, std::ostream* out) { *out << input.name; }

/// Converts the pictures of a folder. Each picture has its own Normalizer.
class KeptOf : public testing::TestWithParam<Input> {
 protected:
  static constexpr Size kSize{120, 90};

  [[nodiscard]] static video::UniqueAVFrame picture(unsigned seed) {
    return video::is_full_range_yuv(GetParam().from) ? of_jpeg(GetParam().from, kSize, seed)
                                                     : noise(GetParam().from, kSize, seed);
  }
  [[nodiscard]] static video::FrameTarget target() { return target_of(kSize, GetParam().to); }
};

TEST_P(KeptOf, MakesOfEachPictureWhatANewOneMakes) {
  const auto kept = std::make_shared<video::KeptConverters>();
  for (unsigned seed = 1; seed < 5; ++seed)
    expect_equal(*normalized(*picture(seed), target(), kept),
                 *normalized(*picture(seed), target()));
}

TEST_P(KeptOf, PicturesOutliveTheirConverters) {
  auto kept = std::make_shared<video::KeptConverters>();
  const video::UniqueAVFrame made = normalized(*picture(1), target(), kept);
  kept.reset();
  expect_equal(*made, *normalized(*picture(1), target()));
}

INSTANTIATE_TEST_SUITE_P(Formats, KeptOf,
                         testing::Values(Input{"jpeg444", AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ420P},
                                         Input{"jpeg422", AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ420P},
                                         Input{"grey", AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUV420P},
                                         Input{"rgb24", AV_PIX_FMT_RGB24, AV_PIX_FMT_YUV420P},
                                         Input{"rgb48", AV_PIX_FMT_RGB48BE, AV_PIX_FMT_YUV420P16}),
                         [](const auto& test) { return std::string(test.param.name); });

/// This converter changes nothing.
class Idle final : public video::PictureConverter {
 public:
  [[nodiscard]] video::UniqueAVFrame apply(video::UniqueAVFrame picture) override {
    return picture;
  }
};

class Failing final : public video::PictureConverter {
 public:
  [[nodiscard]] video::UniqueAVFrame apply(video::UniqueAVFrame /*picture*/) override {
    throw Error(ErrorKind::internal, "filter");
  }
};

video::ConverterKey key(int width, int height = 64) {
  video::ConverterKey key;
  key.from.size = {width, height};
  return key;
}

TEST(KeptConverters, GivesEachToOneAtATime) {
  video::KeptConverters kept;
  EXPECT_EQ(kept.take(key(64)), nullptr);
  auto made = std::make_unique<Idle>();
  const video::PictureConverter* const first = made.get();
  kept.give_back(key(64), std::move(made));
  EXPECT_EQ(kept.take(key(65)), nullptr);
  const std::unique_ptr<video::PictureConverter> taken = kept.take(key(64));
  EXPECT_EQ(taken.get(), first);
  EXPECT_EQ(kept.take(key(64)), nullptr);
}

TEST(KeptConverters, TellsAllThatDiffersApart) {
  const video::ConverterKey plain = key(64);
  std::vector<video::ConverterKey> others(7, plain);
  others[0].from.format = AV_PIX_FMT_GRAY8;
  others[1].from.range = AVCOL_RANGE_JPEG;
  others[2].chain = "null";
  others[3].chroma = AVCHROMA_LOC_LEFT;
  others[4].primaries = AVCOL_PRI_BT709;
  others[5].transfer = AVCOL_TRC_BT709;
  others[6].sample_aspect = {1, 1};
  video::KeptConverters kept;
  kept.give_back(plain, std::make_unique<Idle>());
  for (const video::ConverterKey& other : others) EXPECT_EQ(kept.take(other), nullptr);
  EXPECT_NE(kept.take(plain), nullptr);
}

TEST(KeptConverters, KeepsTheLastSixteen) {
  video::KeptConverters kept;
  for (int width = 1; width <= 17; ++width) kept.give_back(key(width), std::make_unique<Idle>());
  EXPECT_EQ(kept.take(key(1)), nullptr);
  for (int width = 2; width <= 17; ++width) EXPECT_NE(kept.take(key(width)), nullptr) << width;
}

TEST(KeptConverters, KeepsNoMoreThan64MiBOfPictures) {
  video::KeptConverters kept;
  constexpr int kWidth = 4096;
  constexpr int kHeight = 2720;  // a picture of 4:2:0 and 16 bits has 32 MiB minus 150 KB
  for (int number = 0; number < 3; ++number)
    kept.give_back(key(kWidth + number, kHeight), std::make_unique<Idle>());
  EXPECT_EQ(kept.take(key(kWidth, kHeight)), nullptr);
  EXPECT_NE(kept.take(key(kWidth + 1, kHeight)), nullptr);
  EXPECT_NE(kept.take(key(kWidth + 2, kHeight)), nullptr);
  kept.give_back(key(8192, 8192), std::make_unique<Idle>());
  EXPECT_EQ(kept.take(key(8192, 8192)), nullptr);
}

TEST(KeptConverters, ServesSeveralThreads) {
  const auto kept = std::make_shared<video::KeptConverters>();
  constexpr video::FrameTarget kTarget{{48, 32}, AV_PIX_FMT_YUVJ420P, {}, {}};
  const video::UniqueAVFrame picture = of_jpeg(AV_PIX_FMT_YUVJ444P, kTarget.size);
  const std::string wanted = samples_of(*filtered(*picture, kTarget.format));
  std::array<int, 4> right{};
  std::vector<std::jthread> threads;
  for (int& count : right)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        count += static_cast<int>(samples_of(*normalized(*picture, kTarget, kept)) == wanted);
    });
  threads.clear();
  for (const int count : right) EXPECT_EQ(count, 20);
}

/// Returns the key with which a Normalizer looks for a converter.
video::ConverterKey key_of(const AVFrame& picture, const std::string& chain) {
  return {video::kind_of(picture), chain,
          picture.chroma_location, picture.color_primaries,
          picture.color_trc,       video::from_av(picture.sample_aspect_ratio)};
}

TEST(KeptConverters, OneThatHasThrownIsNotKept) {
  const video::UniqueAVFrame picture = noise(AV_PIX_FMT_GRAY8, {64, 48});
  const video::ConverterKey looked_for = key_of(
      *picture, "scale=64:48:flags=bicubic+accurate_rnd+full_chroma_int,format=yuv420p,null");
  const auto kept = std::make_shared<video::KeptConverters>();
  kept->give_back(looked_for, std::make_unique<Failing>());
  const video::FrameTarget target = target_of({64, 48}, AV_PIX_FMT_YUV420P);
  EXPECT_THROW(static_cast<void>(normalized(*picture, target, kept)), Error);
  EXPECT_EQ(kept->take(looked_for), nullptr);
  static_cast<void>(normalized(*picture, target, kept));
  EXPECT_NE(kept->take(looked_for), nullptr);
}

}  // namespace
}  // namespace facepipe::test
