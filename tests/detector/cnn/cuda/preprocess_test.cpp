// These tests compare preprocessing on the device with H.273 and with simple scaling in double
// precision.
#include "detector/cnn/cuda/preprocess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/error.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/detector/cnn/cuda/device_network.h"
#include "tests/support/rgb_oracle.h"

namespace facepipe::detector {
namespace {

using test::FrameSpec;
using test::make_noise_frame;
using test::RgbOracle;

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr PixelFormat kP010{true, 1, 1, 10, 6, true};
constexpr PixelFormat kP016{true, 1, 1, 16, 0, true};

constexpr double kRounded = 0.501;  // error of rounding a float to a whole number

/// Holds the network's input that the device makes of a frame.
class Preprocessed {
 public:
  Preprocessed(const Frame& frame, const std::optional<Size>& detect_size, bool image = true,
               ChannelOrder order = ChannelOrder::rgb, int pad = 0)
      : fit(fit_network(frame.upright(), detect_size)) {
    engine::Placement place;
    place.shape = {3, fit.network.height, fit.network.width};
    place.image = image;
    place.pitch = image ? engine::Placement::kImagePitch : 8;
    const cuda::Stream stream;
    const test::DescribedFrame device(frame, stream);
    const cuda::DeviceBuffer<std::byte> memory(place.bytes());
    cuda::fill(memory.span(), 0xff, stream);
    engine::PreprocessKernel({fit, test::layout_of(frame), order, pad}, place)
        .enqueue(device.descriptor(), memory.data(), stream);
    values_ = test::download(place, memory.data(), stream);
    // This reads all channels of all pixels, also outside of the picture.
    std::vector<__half> raw(place.bytes() / sizeof(__half));
    cuda::copy(std::as_writable_bytes(std::span<__half>(raw)), memory.span(), stream);
    stream.synchronize();
    for (const __half value : raw) sum_ += static_cast<double>(__half2float(value));
  }

  [[nodiscard]] double at(std::size_t channel, int x, int y) const {
    const auto width = static_cast<std::size_t>(fit.network.width);
    const auto height = static_cast<std::size_t>(fit.network.height);
    return values_[(channel * height + static_cast<std::size_t>(y)) * width +
                   static_cast<std::size_t>(x)];
  }
  /// Expects that the network's input is `level` outside of the picture, and that all else is 0.
  void expect_around(int level) const {
    double all = 0;
    for (std::size_t c = 0; c < 3; ++c)
      for (int y = 0; y < fit.network.height; ++y)
        for (int x = 0; x < fit.network.width; ++x) {
          all += at(c, x, y);
          if (x < fit.content.width && y < fit.content.height) continue;
          ASSERT_EQ(at(c, x, y), level) << x << "," << y;
        }
    EXPECT_EQ(sum_, all);
  }

  NetworkFit fit;

 private:
  test::Tensor values_;
  double sum_ = 0;
};

void expect_picture(const Preprocessed& actual,
                    const std::function<double(std::size_t, int, int)>& expected,
                    double tolerance) {
  double worst = 0;
  for (std::size_t c = 0; c < 3; ++c)
    for (int y = 0; y < actual.fit.content.height; ++y)
      for (int x = 0; x < actual.fit.content.width; ++x) {
        const double value = actual.at(c, x, y);
        ASSERT_EQ(value, std::round(value)) << x << "," << y;
        worst = std::max(worst, std::abs(value - expected(c, x, y)));
      }
  EXPECT_LE(worst, tolerance);
}

void expect_unscaled(const Frame& frame, int matrix) {
  const RgbOracle oracle(frame, matrix);
  for (const bool image : {true, false}) {
    const Preprocessed actual(frame, std::nullopt, image);
    expect_picture(
        actual, [&](std::size_t c, int x, int y) { return oracle.at(c, x, y); }, kRounded);
    actual.expect_around(0);
  }
}

TEST(CudaPreprocess, IsWhatTheStandardSays) {
  for (const PixelFormat& format : {kNv12, kP010, kP016})
    for (const Size size : {Size{64, 48}, Size{50, 34}, Size{37, 23}, Size{96, 33}, Size{1, 1}})
      for (const bool full_range : {false, true}) {
        FrameSpec spec{format, size};
        spec.color.matrix = 6;
        spec.color.full_range = full_range;
        SCOPED_TRACE(testing::Message() << format.bits << " bits, " << size.width << "x"
                                        << size.height << " full " << full_range);
        expect_unscaled(make_noise_frame(spec, 7), 6);
      }
}

TEST(CudaPreprocess, TurnsUpright) {
  for (const PixelFormat& format : {kNv12, kP010})
    for (const Orientation orientation : test::all_orientations())
      for (const Size size : {Size{46, 30}, Size{45, 31}, Size{131, 67}}) {
        FrameSpec spec{format, size, orientation};
        spec.color.matrix = 1;
        SCOPED_TRACE(testing::Message()
                     << orientation.quarter_turns << " " << orientation.mirrored);
        expect_unscaled(make_noise_frame(spec, 8), 1);
      }
}

TEST(CudaPreprocess, HonoursTheMatrix) {
  for (const int matrix : {1, 4, 5, 6, 7, 9, 10}) {
    FrameSpec spec{kNv12, {64, 48}};
    spec.color.matrix = matrix;
    expect_unscaled(make_noise_frame(spec, 9), matrix == 10 ? 9 : matrix);
  }
}

TEST(CudaPreprocess, PutsThePadBesideThePicture) {
  for (const Orientation orientation : {Orientation{}, Orientation{1, false}})
    for (const bool image : {true, false}) {
      const Frame frame = make_noise_frame({kNv12, {50, 34}, orientation}, 13);
      const Preprocessed padded(frame, {}, image, ChannelOrder::rgb, 114);
      padded.expect_around(114);
      const Preprocessed black(frame, {}, image);
      for (int y = 0; y < black.fit.content.height; ++y)
        for (int x = 0; x < black.fit.content.width; ++x)
          ASSERT_EQ(padded.at(0, x, y), black.at(0, x, y));
    }
}

TEST(CudaPreprocess, SwapsRedAndBlueForBgr) {
  const Frame frame = make_noise_frame({kNv12, {64, 32}}, 12);
  const Preprocessed rgb(frame, {}, true, ChannelOrder::rgb);
  const Preprocessed bgr(frame, {}, true, ChannelOrder::bgr);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x)
      for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(rgb.at(c, x, y), bgr.at(2 - c, x, y));
}

/// Returns the mean over the area that a scaled pixel covers. Pixels at the area's edges have the
/// weight of their covered part.
double mean_of_area(const RgbOracle& oracle, std::size_t channel, Size content, int x, int y) {
  const double scale_x = static_cast<double>(oracle.size().width) / content.width;
  const double scale_y = static_cast<double>(oracle.size().height) / content.height;
  const auto part = [](int pixel, double begin, double end) {
    return std::max(0.0, std::min(end, pixel + 1.0) - std::max(begin, static_cast<double>(pixel)));
  };
  double sum = 0;
  for (int sy = 0; sy < oracle.size().height; ++sy)
    for (int sx = 0; sx < oracle.size().width; ++sx)
      sum += part(sx, x * scale_x, (x + 1) * scale_x) * part(sy, y * scale_y, (y + 1) * scale_y) *
             oracle.at(channel, sx, sy);
  return sum / (scale_x * scale_y);
}

double bilinear(const RgbOracle& oracle, std::size_t channel, Size content, int x, int y) {
  const auto place = [](int index, int from, int to) {
    return std::clamp((index + 0.5) * from / to - 0.5, 0.0, from - 1.0);
  };
  const double px = place(x, oracle.size().width, content.width);
  const double py = place(y, oracle.size().height, content.height);
  double sum = 0;
  for (int sy = 0; sy < oracle.size().height; ++sy)
    for (int sx = 0; sx < oracle.size().width; ++sx)
      sum += std::max(0.0, 1 - std::abs(sx - px)) * std::max(0.0, 1 - std::abs(sy - py)) *
             oracle.at(channel, sx, sy);
  return sum;
}

constexpr double kRoundedTwice = 1.01;

TEST(CudaPreprocess, AveragesAreasWhenItShrinks) {
  for (const Orientation orientation : test::all_orientations())
    for (const Size wanted : {Size{24, 24}, Size{19, 19}, Size{7, 7}}) {
      const Frame frame = make_noise_frame({kNv12, {48, 36}, orientation}, 13);
      const RgbOracle oracle(frame, 6);
      const Preprocessed actual(frame, wanted);
      expect_picture(
          actual,
          [&](std::size_t c, int x, int y) {
            return mean_of_area(oracle, c, actual.fit.content, x, y);
          },
          kRoundedTwice);
      actual.expect_around(0);
    }
}

TEST(CudaPreprocess, IsBilinearOtherwise) {
  for (const Orientation orientation : test::all_orientations())
    for (const Size wanted : {Size{64, 64}, Size{40, 40}, Size{33, 33}}) {
      const Frame frame = make_noise_frame({kP010, {48, 36}, orientation}, 14);
      const RgbOracle oracle(frame, 6);
      const Preprocessed actual(frame, wanted);
      expect_picture(
          actual,
          [&](std::size_t c, int x, int y) {
            return bilinear(oracle, c, actual.fit.content, x, y);
          },
          kRoundedTwice);
      actual.expect_around(0);
    }
}

TEST(CudaPreprocess, RefusesWhatItWasNotMadeFor) {
  const NetworkFit fit = fit_network({64, 48}, {});
  const auto make = [&](const StreamLayout& layout) {
    return engine::PreprocessKernel({fit, layout, ChannelOrder::rgb}, {});
  };
  EXPECT_NO_THROW(make({{64, 48}, kNv12, {}}));
  EXPECT_NO_THROW(make({{48, 64}, kNv12, {1, false}}));
  const StreamLayout refused[] = {
      {{48, 64}, kNv12, {}},                      // size of another frame
      {{64, 48}, kNv12, {1, true}},               // turned by 90 degrees and mirrored
      {{64, 48}, {false, 1, 1, 8, 0, true}, {}},  // planar
      {{64, 48}, {true, 1, 0, 8, 0, true}, {}},   // NV16
      {{64, 48}, {true, 1, 1, 12, 6, true}, {}},  // 12 bits, shifted by 6: more than 16 bits
                                                  // together
      {{64, 48}, {true, 1, 1, 8, 0, false}, {}},  // grey
  };
  for (const StreamLayout& layout : refused) EXPECT_THROW(make(layout), Error);
}

}  // namespace
}  // namespace facepipe::detector
