// These tests compare ranges that are measured on pictures with the built-in ranges.
#include "detector/cnn/cpu/calibrate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "tests/detector/files.h"

namespace facepipe::detector {
namespace {

bool can_measure() {
  return std::ranges::any_of(supported_engines(), [](const EngineSupport& support) {
    return support.library == Library::openvino;
  });
}

RgbaImage plain(Size size, std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  RgbaImage image{size, {}};
  for (int i = 0; i < size.width * size.height; ++i)
    image.bytes.insert(image.bytes.end(), {red, green, blue, 255});
  return image;
}

float widest(const I8Ranges& ranges, const std::string& name) {
  return std::max(-ranges.find(name)->low, ranges.find(name)->high);
}

TEST(Calibration, AddsUpOverPictures) {
  if (!can_measure()) GTEST_SKIP() << "this build lacks OpenVINO";
  const Model model(test::centerface_file());
  Calibration blue_alone(model, 2);
  blue_alone.measure(plain({640, 4}, 0, 0, 255), {});
  const I8Ranges blue = blue_alone.ranges();
  Calibration both(model, 2);
  both.measure(plain({640, 4}, 255, 0, 0), {});
  const I8Ranges red = both.ranges();
  both.measure(plain({640, 4}, 0, 0, 255), {});
  const I8Ranges all = both.ranges();
  EXPECT_EQ(all.model_sha256, model.sha256());
  EXPECT_NE(red.tensors, blue.tensors) << "a channel is read as another";
  for (const TensorRange& range : all.tensors)
    EXPECT_EQ(widest(all, range.name), std::max(widest(red, range.name), widest(blue, range.name)))
        << range.name;
}

TEST(Calibration, StopsWhenAsked) {
  if (!can_measure()) GTEST_SKIP() << "this build lacks OpenVINO";
  std::stop_source stop;
  stop.request_stop();
  Calibration calibration(Model(test::centerface_file()), 1);
  EXPECT_THROW(calibration.measure(plain({640, 4}, 1, 2, 3), stop.get_token()), Stopped);
}

}  // namespace
}  // namespace facepipe::detector
