// These tests run cascades on real pictures. They check all steps from a frame to its candidates.
#include "detector/cascade/cpu/cascade_detector.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "detector/cascade/grey.h"
#include "tests/detector/cascade/files.h"
#include "tests/detector/cascade/oracle.h"
#include "tests/detector/golden.h"
#include "tests/detector/jpeg.h"
#include "tests/support/expect_error.h"
#include "tests/support/overlap.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using cascade::LevelOptions;
using cascade::Scanner;
using cascade::WindowFinder;
using test::GreyBytes;
using testing::HasSubstr;

cv::Mat city_grey() {
  static const Frame city = test::read_jpeg(test::city_file());
  cascade::GreyMaker maker;
  return maker.grey(city).clone();
}

GreyBytes bytes_of(const cv::Mat& grey) {
  GreyBytes bytes{{grey.cols, grey.rows}, {}};
  for (int y = 0; y < grey.rows; ++y)
    bytes.pixels.insert(bytes.pixels.end(), grey.ptr(y), grey.ptr(y) + grey.cols);
  return bytes;
}

std::shared_ptr<const Scanner> scanner_of(const std::string& name) {
  return std::make_shared<const Scanner>(cascade::read_cascade(test::installed_cascade(name)));
}

std::vector<Box> find(const std::shared_ptr<const Scanner>& scanner, const cv::Mat& grey,
                      const LevelOptions& options, int threads = 2) {
  Workers workers(threads);
  WindowFinder::Memory memory;
  return WindowFinder(scanner, {grey.cols, grey.rows}, options).find(grey, workers, memory);
}

class CascadeOnAPhoto : public testing::TestWithParam<const char*> {};

TEST_P(CascadeOnAPhoto, FindsTheWindowsThatPlainLoopsFind) {
  const auto scanner = scanner_of(GetParam());
  const cv::Mat part = city_grey()(cv::Rect(101, 150, 401, 239));
  const std::vector<Box> expected = test::windows_of(scanner->cascade(), bytes_of(part), {1.1});
  EXPECT_GE(expected.size(), 3U);
  EXPECT_EQ(find(scanner, part, {1.1}), expected);
}

INSTANTIATE_TEST_SUITE_P(Cascades, CascadeOnAPhoto,
                         testing::Values("frontalface_default", "frontalface_alt",
                                         "frontalface_alt2"),
                         [](const auto& name) { return std::string(name.param); });

TEST(WindowFinder, FindsTheSameWithAnyNumberOfThreads) {
  const auto scanner = scanner_of("frontalface_default");
  const cv::Mat city = city_grey();
  const std::vector<Box> expected = find(scanner, city, {1.1}, 1);
  EXPECT_GE(expected.size(), 50U);
  for (const int threads : {2, 3, 16}) EXPECT_EQ(find(scanner, city, {1.1}, threads), expected);
}

TEST(WindowFinder, FindsTheSameAHundredTimes) {
  const auto scanner = scanner_of("frontalface_alt2");
  const cv::Mat part = city_grey()(cv::Rect(200, 150, 200, 140)).clone();
  Workers workers(3);
  WindowFinder::Memory memory;
  const WindowFinder finder(scanner, {part.cols, part.rows}, {1.2});
  const std::vector<Box> expected = finder.find(part, workers, memory);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(finder.find(part, workers, memory), expected) << i;
}

TEST(WindowFinder, FindsNothingInPicturesSmallerThanTheWindow) {
  const auto scanner = scanner_of("frontalface_default");
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(23, 200), cv::Size(200, 23)})
    EXPECT_TRUE(find(scanner, cv::Mat(size, CV_8U, cv::Scalar(90)), {1.1}).empty());
}

DetectorOptions cascade_options(const std::string& name) {
  DetectorOptions options;
  options.model = test::installed_cascade(name);
  return options;
}

Detections detect(const DetectorOptions& options, const Frame& frame) {
  const auto detector = make_detector_factory({}, options)->detector(frame.upright());
  const auto request = detector->acquire({});
  request->prepare(frame);
  request->start();
  return request->collect();
}

/// Returns for each box the sum of its IoUs above 1/2, computed pair by pair.
std::vector<double> agreement_of_each(const std::vector<Box>& boxes) {
  std::vector<double> sums;
  for (const Box& a : boxes) {
    double sum = 0;
    for (const Box& b : boxes)
      if (test::overlap(a, b) > 0.5) sum += test::overlap(a, b);
    sums.push_back(sum);
  }
  return sums;
}

TEST(CascadeDetector, ScoresAWindowByThoseThatAgree) {
  const Frame city = test::read_jpeg(test::city_file());
  DetectorOptions options = cascade_options("frontalface_default");
  options.score_threshold = 0;
  const Detections all = detect(options, city);
  EXPECT_FALSE(all.has_landmarks());
  const std::vector<Box> windows = find(scanner_of("frontalface_default"), city_grey(), {1.1});
  ASSERT_EQ(all.size(), windows.size());
  const std::vector<double> agreement = agreement_of_each(windows);
  std::vector<Box> over_half;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    EXPECT_EQ(all.boxes[i], clipped(windows[i], city.upright()));
    EXPECT_NEAR(all.scores[i], agreement[i] / (agreement[i] + 3), 1e-3);
    if (all.scores[i] > 0.5F) over_half.push_back(all.boxes[i]);
  }
  options.score_threshold = 0.5F;
  EXPECT_EQ(detect(options, city).boxes, over_half);
  EXPECT_GE(over_half.size(), 20U);
  EXPECT_LT(over_half.size(), windows.size());
}

TEST(CascadeDetector, GivesAllWindowsToWhoeverCountsThem) {
  const Frame city = test::read_jpeg(test::city_file());
  DetectorOptions options = cascade_options("frontalface_default");
  options.every_window = true;
  const Detections all = detect(options, city);
  EXPECT_EQ(all.boxes, find(scanner_of("frontalface_default"), city_grey(), {1.1}));
  EXPECT_THAT(all.scores, testing::Each(1.0F));
}

// All levels together have many times as many pixels as the picture, so the finder makes and scans
// them in batches.
TEST(WindowFinder, FindsTheSameInBatches) {
  const auto scanner = scanner_of("frontalface_alt2");
  const cv::Mat part = city_grey()(cv::Rect(180, 130, 160, 120)).clone();
  const LevelOptions many{1.01};
  EXPECT_EQ(find(scanner, part, many), test::windows_of(scanner->cascade(), bytes_of(part), many));
}

TEST(CascadeDetector, LooksForFacesOfTheSizesWanted) {
  const Frame city = test::read_jpeg(test::city_file());
  DetectorOptions options = cascade_options("frontalface_default");
  options.every_window = true;
  options.scale_factor = 1.2;
  options.min_face = 30;
  options.max_face = 60;
  const Detections found = detect(options, city);
  EXPECT_EQ(found.boxes, find(scanner_of("frontalface_default"), city_grey(), {1.2, 30, 60}));
  EXPECT_GE(found.size(), 5U);
  for (const Box& box : found.boxes) EXPECT_TRUE(box.width() >= 30 && box.width() <= 60);
}

TEST(CascadeDetector, TellsWhatItIs) {
  const auto factory = make_detector_factory({}, cascade_options("frontalface_alt"));
  EXPECT_EQ(factory->model_kind(), "cascade");
  EXPECT_EQ(factory->model_sha256().substr(0, 8), "6281df13");
  EXPECT_FALSE(factory->finds_landmarks());
  EXPECT_EQ(factory->choice().name(), "cascade");
  const DetectorFacts facts = factory->detector({100, 80})->facts();
  EXPECT_EQ(facts.window, (Size{20, 20}));
  EXPECT_FALSE(facts.network);
  EXPECT_EQ(factory->detector({100, 80}), factory->detector({100, 80}));
}

TEST(CascadeDetector, RefusesWhatDoesNotGoTogether) {
  const auto refused = [](const std::string& reason, auto change) {
    DetectorOptions options = cascade_options("frontalface_alt");
    change(options);
    test::expect_error(ErrorKind::usage, reason, [&] { (void)make_detector_factory({}, options); });
  };
  refused("engine opencv can't compute a cascade",
          [](DetectorOptions& o) { o.library = Library::opencv; });
  refused("these can't be combined", [](DetectorOptions& o) { o.precision = Precision::f16; });
  refused("--detect-size doesn't work with a cascade; a larger --min-face makes detection faster",
          [](DetectorOptions& o) {
            o.detect_size = Size{320, 240};
          });
  const auto network = [](DetectorOptions& o) { o.model = test::centerface_file(); };
  refused("engine cascade computes only cascades", [&](DetectorOptions& o) {
    network(o);
    o.library = Library::cascade;
  });
  refused("--scale-factor works only with cascades", [&](DetectorOptions& o) {
    network(o);
    o.scale_factor = 1.2;
  });
}

TEST(CascadeDetector, IsKnownByContentAndNotByName) {
  const test::TemporaryFolder folder;
  DetectorOptions options;
  options.model = folder.write("face.onnx", test::kHalfPassing);
  EXPECT_EQ(make_detector_factory({}, options)->model_kind(), "cascade");
  options.model = folder.write("face.xml", "no XML");
  test::expect_error(ErrorKind::device, "face.xml",
                     [&] { (void)make_detector_factory({}, options); });
}

}  // namespace
}  // namespace facepipe::detector
