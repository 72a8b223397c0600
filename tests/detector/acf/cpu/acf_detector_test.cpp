// These tests check all steps of a detector of channel features, from a frame to its candidates.
#include "detector/acf/cpu/acf_detector.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/color.h"
#include "core/error.h"
#include "tests/detector/acf/models.h"
#include "tests/detector/acf/oracle.h"
#include "tests/detector/files.h"
#include "tests/detector/jpeg.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using acf::Model;
using acf::PyramidScanner;
using acf::Window;

constexpr const char* kFaceModel = FACEPIPE_SOURCE_DIR "/data/acf_face.json";

const Frame& city() {
  static const Frame frame = test::read_jpeg(test::city_file());
  return frame;
}

cv::Mat city_rgb() {
  acf::RgbMaker maker;
  return maker.picture(city()).clone();
}

DetectorOptions face_options() {
  DetectorOptions options;
  options.model = kFaceModel;
  options.threads = 2;
  return options;
}

Detections detect(const DetectorOptions& options, const Frame& frame) {
  const auto factory = make_detector_factory({}, options);
  const auto request = factory->detector(frame.upright())->acquire({});
  request->prepare(frame);
  request->start();
  Detections found = request->collect();
  EXPECT_GT(request->inference().end, request->inference().begin);
  return found;
}

std::vector<Window> windows(const cv::Mat& rgb, const Model& model, int threads) {
  Workers workers(threads);
  PyramidScanner::Memory memory;
  return PyramidScanner(std::make_shared<const Model>(model), {rgb.cols, rgb.rows}, {})
      .find(rgb, workers, memory);
}

TEST(AcfDetector, FindsTheWindowsThatTreesFindOneByOne) {
  const Model model = test::small_model(60, 5);
  const cv::Mat rgb = city_rgb()(cv::Rect(160, 90, 150, 110)).clone();
  Workers workers(2);
  PyramidScanner::Memory memory;
  const PyramidScanner scanner(std::make_shared<const Model>(model), {rgb.cols, rgb.rows}, {});
  const std::vector<Window> found = scanner.find(rgb, workers, memory);
  std::vector<Window> expected;
  for (std::size_t i = 0; i < scanner.scales().size(); ++i) {
    const acf::Planes& planes = scanner.channels(rgb, i, workers, memory);
    for (const test::OracleWindow& window : test::oracle_windows(
             model, planes.size(), [&](int c, int x, int y) { return planes.row(c, y)[x]; }))
      expected.push_back({static_cast<int>(i), {window.column, window.row, window.sum}});
  }
  EXPECT_GT(expected.size(), 10U);
  EXPECT_EQ(found, expected);
}

TEST(AcfDetector, FindsTheSameEachTimeWithAnyNumberOfThreads) {
  const Model model = test::small_model(60, 5);
  const cv::Mat rgb = city_rgb()(cv::Rect(160, 90, 200, 160)).clone();
  const std::vector<Window> expected = windows(rgb, model, 1);
  EXPECT_GT(expected.size(), 10U);
  for (const int threads : {2, 3, 5}) EXPECT_EQ(windows(rgb, model, threads), expected);
  Workers workers(2);
  PyramidScanner::Memory memory;
  const PyramidScanner scanner(std::make_shared<const Model>(model), {rgb.cols, rgb.rows}, {});
  for (int i = 0; i < 100; ++i) ASSERT_EQ(scanner.find(rgb, workers, memory), expected) << i;
}

// All scales together have many more cells than a batch holds in memory.
TEST(AcfDetector, FindsTheSameInBatches) {
  const Model model = test::small_model(60, 5);
  cv::Mat wide(900, 1700, CV_8UC4, cv::Scalar(90, 90, 90, 0));
  const cv::Mat part = city_rgb();
  part.copyTo(wide(cv::Rect(40, 40, part.cols, part.rows)));
  Workers workers(2);
  PyramidScanner::Memory memory;
  const PyramidScanner scanner(std::make_shared<const Model>(model), {1700, 900}, {10, 0}, 0,
                               10'000'000);
  const std::vector<Window> found = scanner.find(wide, workers, memory);
  for (const std::size_t i : {std::size_t{0}, scanner.scales().size() / 2}) {
    std::vector<Window> expected;
    const acf::Planes& planes = scanner.channels(wide, i, workers, memory);
    for (const test::OracleWindow& window : test::oracle_windows(
             model, planes.size(), [&](int c, int x, int y) { return planes.row(c, y)[x]; }))
      if (window.sum >= 0)
        expected.push_back({static_cast<int>(i), {window.column, window.row, window.sum}});
    EXPECT_FALSE(expected.empty());
    std::vector<Window> of_scale;
    std::ranges::copy_if(found, std::back_inserter(of_scale),
                         [&](const Window& window) { return window.scale == static_cast<int>(i); });
    EXPECT_EQ(of_scale, expected);
  }
}

TEST(AcfDetector, RefusesAFrameOfWhichTooManyWindowsPass) {
  Model model = test::small_model(1, 1);
  model.trees[0].leaves = {1, 1, 1, 1};
  const cv::Mat rgb = city_rgb();
  Workers workers(2);
  PyramidScanner::Memory memory;
  const PyramidScanner scanner(std::make_shared<const Model>(model), {rgb.cols, rgb.rows}, {}, 0,
                               1000);
  test::expect_error(ErrorKind::device, "more than 1000 windows",
                     [&] { (void)scanner.find(rgb, workers, memory); });
}

TEST(AcfDetector, FindsFacesOfThePhoto) {
  const Detections found = detect(face_options(), city());
  EXPECT_FALSE(found.has_landmarks());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_GT(found.scores[i], .5F);
    EXPECT_GE(found.boxes[i].x1, 0);
    EXPECT_LE(found.boxes[i].y2, static_cast<float>(city().size.height));
  }
  // These are the centres of faces that look into the camera.
  for (const Point face : {Point{240, 132}, {618, 172}, {78, 160}}) {
    const bool is_found = std::ranges::any_of(found.boxes, [&](const Box& box) {
      return std::abs((box.x1 + box.x2) / 2 - face.x) < 12 &&
             std::abs((box.y1 + box.y2) / 2 - face.y) < 14 && box.width() < 80;
    });
    EXPECT_TRUE(is_found) << face.x << ' ' << face.y;
  }
}

TEST(AcfDetector, LooksForFacesOfTheSizesWanted) {
  DetectorOptions options = face_options();
  options.min_face = 22;
  options.max_face = 60;
  const Detections found = detect(options, city());
  EXPECT_GE(found.size(), 3U);
  float least = 1000;
  for (const Box& box : found.boxes) {
    EXPECT_LE(box.height(), 60.01F);
    least = std::min(least, box.width());
  }
  EXPECT_LT(least, 40) << "the picture was enlarged";
}

/// RgbMaker must multiply the frame's samples by the matrix and round the result.
TEST(AcfRgb, IsTheMatrixOfTheSamples) {
  for (const Orientation orientation :
       {Orientation{0, false}, {1, false}, {2, true}, {3, true}, {0, true}}) {
    PixelFormat format;
    const Frame frame =
        test::make_noise_frame({.format = format, .size = {37, 22}, .orientation = orientation}, 3);
    acf::RgbMaker maker;
    const cv::Mat rgb = maker.picture(frame);
    ASSERT_EQ((Size{rgb.cols, rgb.rows}), frame.upright());
    float to_rgb[3][4];
    fill_to_rgb(to_rgb, frame.color, format, frame.size);
    const auto sample = [&](std::size_t plane, int x, int y) {
      return static_cast<double>(
          static_cast<std::uint8_t>(frame.planes[plane].data[y * frame.planes[plane].stride + x]));
    };
    for (int y = 0; y < rgb.rows; ++y)
      for (int x = 0; x < rgb.cols; ++x) {
        // This loop undoes the turn first and the mirroring after it.
        int at_x = x;
        int at_y = y;
        Size size = frame.upright();
        for (int turn = 0; turn < orientation.quarter_turns; ++turn) {
          const int was_x = at_y;
          at_y = size.width - 1 - at_x;
          at_x = was_x;
          std::swap(size.width, size.height);
        }
        if (orientation.mirrored) at_x = size.width - 1 - at_x;
        for (int c = 0; c < 3; ++c) {
          const auto& row = to_rgb[c];
          const double exact = double{row[0]} * sample(0, at_x, at_y) +
                               double{row[1]} * sample(1, at_x / 2, at_y / 2) +
                               double{row[2]} * sample(2, at_x / 2, at_y / 2) + double{row[3]};
          ASSERT_NEAR(rgb.at<cv::Vec4b>(y, x)[c], std::clamp(exact, 0.0, 255.0), .501)
              << x << ' ' << y << ' ' << orientation.quarter_turns;
        }
      }
  }
}

TEST(AcfRgb, TakesGreenBlueAndRedAsTheyAre) {
  PixelFormat format;
  format.log2_chroma_w = 0;
  format.log2_chroma_h = 0;
  ColorInfo color;
  color.matrix = ColorInfo::kIdentityMatrix;
  const Frame frame =
      test::make_noise_frame({.format = format, .size = {19, 8}, .color = color}, 5);
  acf::RgbMaker maker;
  const cv::Mat rgb = maker.picture(frame);
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 19; ++x)
      for (const auto& [plane, channel] : {std::pair{0, 1}, {1, 2}, {2, 0}}) {
        const Plane& from = frame.planes[static_cast<std::size_t>(plane)];
        EXPECT_EQ(rgb.at<cv::Vec4b>(y, x)[channel],
                  static_cast<std::uint8_t>(from.data[y * from.stride + x]));
      }
}

TEST(AcfDetector, FindsNothingInSmallPictures) {
  for (const Size size : {Size{39, 100}, {100, 1}, {2, 2}}) {
    const Frame frame = test::make_noise_frame({.format = {}, .size = size}, 1);
    EXPECT_EQ(detect(face_options(), frame).size(), 0U) << to_string(size);
  }
}

TEST(AcfDetector, TellsWhatItIs) {
  const auto factory = make_detector_factory({}, face_options());
  EXPECT_EQ(factory->model_kind(), "acf");
  EXPECT_EQ(factory->classes().front().name, "face");
  EXPECT_FALSE(factory->finds_landmarks());
  EXPECT_EQ(factory->choice().name(), "acf");
  EXPECT_EQ(factory->choice().why, "acf, f32: the engine for channel features");
  const DetectorFacts facts = factory->detector({200, 180})->facts();
  EXPECT_EQ(facts.window, (Size{40, 48}));
  EXPECT_FALSE(facts.network);
  EXPECT_EQ(factory->detector({200, 180}), factory->detector({200, 180}));
  const test::TemporaryFolder folder;
  DetectorOptions options;
  options.model = folder.write("m.onnx", test::json_of(test::small_model(3, 1)).dump());
  EXPECT_EQ(make_detector_factory({}, options)->classes().front().name, "thing")
      << "told by content";
}

TEST(AcfDetector, RefusesWhatDoesNotGoTogether) {
  const auto refused = [](const std::string& reason, auto change,
                          ErrorKind kind = ErrorKind::usage) {
    DetectorOptions options = face_options();
    change(options);
    test::expect_error(kind, reason, [&] { (void)make_detector_factory({}, options); });
    test::expect_error(kind, options.model.filename().string(),
                       [&] { (void)make_detector_factory({}, options); });
  };
  refused("engine opencv can't compute channel features",
          [](DetectorOptions& o) { o.library = Library::opencv; });
  refused("engine cascade can't compute channel features",
          [](DetectorOptions& o) { o.library = Library::cascade; });
  refused(
      "--detect-size doesn't work with channel features; a larger --min-face makes detection "
      "faster",
      [](DetectorOptions& o) {
        o.detect_size = Size{320, 240};
      });
  refused("--scale-factor works only with cascades",
          [](DetectorOptions& o) { o.scale_factor = 1.2; });
  refused("--min-face must be 0, or at least 10", [](DetectorOptions& o) { o.min_face = 9.9; });
  refused("engine acf computes only channel features", [](DetectorOptions& o) {
    o.model = test::centerface_file();
    o.library = Library::acf;
  });
}

}  // namespace
}  // namespace facepipe::detector
