// These tests run the whole detector on a real picture, and use its requests in many threads.
#include "detector/detector.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/error.h"
#include "core/files/sha256.h"
#include "detector/cnn/cpu/engine.h"
#include "tests/detector/cascade/files.h"
#include "tests/detector/detect.h"
#include "tests/detector/golden.h"
#include "tests/detector/jpeg.h"
#include "tests/support/overlap.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using test::detect;
using test::overlap;

constexpr Device kCpu{};

DetectorOptions options_for(const std::filesystem::path& model) {
  DetectorOptions options;
  options.model = model;
  return options;
}

std::vector<EngineSupport> engines_of_networks() {
  std::vector<EngineSupport> engines = supported_engines();
  std::erase_if(engines, [](const EngineSupport& e) { return !computes_networks(e.library); });
  return engines;
}

struct GoldenFace {
  Box box;
  double score;
  std::vector<std::array<float, 2>> landmarks;
};

std::vector<GoldenFace> golden_faces(const nlohmann::json& model) {
  std::vector<GoldenFace> faces;
  for (const nlohmann::json& face : model.at("faces")) {
    const std::array<float, 4> box = face.at("box");
    faces.push_back({{box[0], box[1], box[2], box[3]}, face.at("score"), face.at("landmarks")});
  }
  return faces;
}

/// Holds the allowed differences from the faces that onnxruntime finds in the same JPEG. The causes
/// are the decoder, the chroma filter, rounding, and the engine's precision. With i8, scores differ
/// most if they are neither high nor low.
struct Tolerance {
  double overlap;
  double score;
  double landmark;  ///< in pixels
};

Tolerance tolerance(Precision precision) {
  if (precision == Precision::i8) return {.overlap = 0.85, .score = 0.15, .landmark = 2.0};
  return {.overlap = 0.9, .score = 0.03, .landmark = precision == Precision::bf16 ? 2.0 : 1.0};
}

std::size_t best_match(const Detections& found, const GoldenFace& face) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < found.size(); ++i)
    if (overlap(found.boxes[i], face.box) > overlap(found.boxes[best], face.box)) best = i;
  return best;
}

/// Expects a candidate for each golden face, and a golden face for each candidate with a high
/// score.
void expect_faces(const Detections& found, const std::vector<GoldenFace>& faces,
                  const Tolerance& allowed) {
  ASSERT_GT(found.size(), 0U);
  for (const GoldenFace& face : faces) {
    const std::size_t i = best_match(found, face);
    EXPECT_GE(overlap(found.boxes[i], face.box), allowed.overlap) << face.box.x1;
    EXPECT_NEAR(found.scores[i], face.score, allowed.score) << face.box.x1;
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(found.landmarks[i][k].x, face.landmarks[k][0], allowed.landmark);
      EXPECT_NEAR(found.landmarks[i][k].y, face.landmarks[k][1], allowed.landmark);
    }
  }
  for (const Box& box : found.boxes)
    EXPECT_TRUE(std::any_of(faces.begin(), faces.end(),
                            [&](const GoldenFace& face) { return overlap(box, face.box) > 0.2; }))
        << box.x1 << "," << box.y1;
}

void expect_golden_faces(const std::filesystem::path& file, const std::string& kind) {
  const Frame city = test::read_jpeg(test::city_file());
  const test::Golden golden = test::read_golden();
  ASSERT_EQ(sha256_hex(test::read_file(test::city_file())), golden.picture_sha256());
  const nlohmann::json& model = golden.model(kind);
  for (const EngineSupport& support : engines_of_networks()) {
    for (const Precision precision : support.precisions) {
      SCOPED_TRACE(testing::Message()
                   << engine_name(support.library) << " " << to_string(precision));
      DetectorOptions options = options_for(file);
      options.library = support.library;
      options.precision = precision;
      options.score_threshold = model.at("threshold").get<float>() + 0.05F;
      const auto factory = make_detector_factory(kCpu, options);
      EXPECT_EQ(factory->model_kind(), kind);
      std::vector<GoldenFace> faces = golden_faces(model);
      std::erase_if(faces,
                    [&](const GoldenFace& f) { return f.score < options.score_threshold + 0.03; });
      expect_faces(detect(*factory->detector(city.upright()), city), faces, tolerance(precision));
    }
  }
}

TEST(Detector, FindsTheFacesThatCenterfaceSeesInOnnxruntime) {
  expect_golden_faces(test::centerface_file(), "centerface");
}

TEST(Detector, FindsTheFacesThatYunetSeesInOnnxruntime) {
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  expect_golden_faces(test::yunet_file(), "yunet");
}

TEST(Detector, PutsTheLeftEyeOfThePictureFirst) {
  const Frame city = test::read_jpeg(test::city_file());
  const auto factory = make_detector_factory(kCpu, options_for(test::centerface_file()));
  const Detections found = detect(*factory->detector(city.upright()), city);
  for (const Landmarks& points : found.landmarks) {
    EXPECT_LT(points[0].x, points[1].x);
    EXPECT_LT(points[3].x, points[4].x);
    EXPECT_LT(points[0].y, points[3].y);
  }
}

TEST(Detector, ScalesWithTheDetectSize) {
  const Frame city = test::read_jpeg(test::city_file());
  DetectorOptions options = options_for(test::centerface_file());
  options.detect_size = Size{400, 400};
  const auto factory = make_detector_factory(kCpu, options);
  const auto detector = factory->detector(city.upright());
  EXPECT_EQ(detector->facts().network, (Size{416, 288}));
  EXPECT_FALSE(detector->facts().window);
  EXPECT_FALSE(detector->facts().tiling);
  const Detections found = detect(*detector, city);
  // At half the size, these faces are still large enough.
  std::vector<GoldenFace> faces = golden_faces(test::read_golden().model("centerface"));
  std::erase_if(faces, [](const GoldenFace& face) { return face.box.width() < 28; });
  ASSERT_GE(faces.size(), 5U);
  for (const GoldenFace& face : faces)
    EXPECT_GE(overlap(found.boxes[best_match(found, face)], face.box), 0.7) << face.box.x1;
}

TEST(Detector, SeesTheSameFacesWhateverSizeCameBefore) {
  const Frame city = test::read_jpeg(test::city_file());
  for (const EngineSupport& support : engines_of_networks()) {
    DetectorOptions options = options_for(test::centerface_file());
    options.library = support.library;
    options.precision = Precision::f32;
    const auto factory = make_detector_factory(kCpu, options);
    const auto detector = factory->detector(city.upright());
    const Detections first = detect(*detector, city);
    (void)detect(*factory->detector({64, 64}),
                 test::make_noise_frame({PixelFormat{}, {64, 64}}, 1));
    const Detections again = detect(*detector, city);
    EXPECT_EQ(again.boxes, first.boxes);
    EXPECT_EQ(again.scores, first.scores);
  }
}

TEST(DetectorFactory, KeepsTheLastFewDetectors) {
  const auto factory = make_detector_factory(kCpu, options_for(test::centerface_file()));
  const auto first = factory->detector({32, 32});
  for (const int side : {64, 96, 128}) (void)factory->detector({side, side});
  EXPECT_EQ(factory->detector({32, 32}), first);  // this detector is still kept, and becomes the
                                                  // most recently used one
  for (const int side : {160, 192, 224}) (void)factory->detector({side, side});
  EXPECT_EQ(factory->detector({32, 32}), first);
  for (const int side : {64, 96, 128, 160}) (void)factory->detector({side, side});
  EXPECT_NE(factory->detector({32, 32}), first);
}

TEST(DetectorFactory, TellsItsChoice) {
  DetectorOptions options = options_for(test::centerface_file());
  options.library = Library::opencv;
  const auto factory = make_detector_factory(kCpu, options);
  EXPECT_EQ(factory->choice().library, Library::opencv);
  EXPECT_EQ(factory->choice().precision, Precision::f32);
  EXPECT_EQ(factory->model_kind(), "centerface");
  EXPECT_EQ(factory->model_sha256().size(), 64U);
}

ErrorKind refusal(const DetectorOptions& options, Size frame = {64, 64}) {
  try {
    (void)make_detector_factory(kCpu, options)->detector(frame);
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "accepted";
  return ErrorKind::output;
}

TEST(DetectorFactory, RefusesNonsense) {
  const DetectorOptions good = options_for(test::centerface_file());
  DetectorOptions none = good;
  none.requests = 0;
  EXPECT_EQ(refusal(none), ErrorKind::usage);
  DetectorOptions negative = good;
  negative.threads = -1;
  EXPECT_EQ(refusal(negative), ErrorKind::usage);
  DetectorOptions missing = good;
  missing.model = "nowhere.onnx";
  EXPECT_EQ(refusal(missing), ErrorKind::device);
  DetectorOptions contradiction = good;
  contradiction.library = Library::opencv;
  contradiction.precision = Precision::f16;
  EXPECT_EQ(refusal(contradiction), ErrorKind::usage);
  EXPECT_EQ(refusal(good, {20000, 16}), ErrorKind::device);
  DetectorOptions huge = good;
  huge.detect_size = Size{20000, 20000};
  EXPECT_EQ(refusal(huge), ErrorKind::usage);
}

class DetectorRequests : public testing::TestWithParam<Library> {
 protected:
  static constexpr Size kSize{96, 64};
  void SetUp() override {
    const auto built = supported_engines();
    if (std::ranges::none_of(built, [](const auto& e) { return e.library == GetParam(); }))
      GTEST_SKIP() << "not of this build";
    const bool is_cascade = GetParam() == Library::cascade;
    if (is_cascade) folder_.write("half.xml", test::kHalfPassing);
    DetectorOptions options =
        options_for(is_cascade ? folder_ / "half.xml" : test::centerface_file());
    options.library = GetParam();
    options.requests = 2;
    options.score_threshold = 0;  // every cell and every window is a candidate
    detector_ = make_detector_factory(kCpu, options)->detector(kSize);
  }
  static Frame noise(unsigned seed) { return test::make_noise_frame({PixelFormat{}, kSize}, seed); }
  test::TemporaryFolder folder_;
  std::shared_ptr<Detector> detector_;
};

TEST_P(DetectorRequests, AreTimedFromStartToCandidates) {
  const auto request = detector_->acquire({});
  EXPECT_FALSE(request->inference().ran());
  request->prepare(noise(1));
  request->start();
  (void)request->collect();
  EXPECT_TRUE(request->inference().ran());
  EXPECT_GT(request->inference().milliseconds(), 0);
}

TEST_P(DetectorRequests, AreUsedAgainForTheNextFrame) {
  const auto request = detector_->acquire({});
  for (const unsigned seed : {1U, 2U}) {
    request->prepare(noise(seed));
    request->start();
    EXPECT_EQ(request->collect().scores, detect(*detector_, noise(seed)).scores);
  }
}

TEST_P(DetectorRequests, RefuseCallsOutOfTurn) {
  const auto request = detector_->acquire({});
  EXPECT_THROW(request->start(), Error);
  EXPECT_THROW((void)request->collect(), Error);
  request->prepare(noise(1));
  EXPECT_THROW((void)request->collect(), Error);
  request->start();
  EXPECT_THROW(request->prepare(noise(1)), Error);
  EXPECT_THROW(request->start(), Error);
  (void)request->collect();
  EXPECT_THROW((void)request->collect(), Error);
}

TEST_P(DetectorRequests, WaitForAFreePlaceUntilStopped) {
  auto one = detector_->acquire({});
  const auto other = detector_->acquire({});
  std::stop_source stop;
  std::jthread stopper([&stop] { stop.request_stop(); });
  EXPECT_THROW((void)detector_->acquire(stop.get_token()), Stopped);
  one.reset();
  EXPECT_NE(detector_->acquire({}), nullptr);
}

TEST_P(DetectorRequests, OutliveTheirDetector) {
  const auto request = detector_->acquire({});
  detector_.reset();
  request->prepare(noise(1));
  request->start();
  EXPECT_GT(request->collect().size(), 0U);
}

TEST_P(DetectorRequests, MayEndInAnyState) {
  for (int state = 0; state < 4; ++state) {
    // There are more rounds than requests, so each abandoned request must be used again.
    for (int round = 0; round < 3; ++round) {
      const auto request = detector_->acquire({});
      if (state > 0) request->prepare(noise(1));
      if (state > 1) request->start();
      if (state > 2) (void)request->collect();
    }
  }
}

TEST_P(DetectorRequests, DoNotMixUpFramesOfManyThreads) {
  constexpr unsigned kThreads = 4;
  constexpr unsigned kRounds = 6;
  std::vector<std::vector<float>> expected;
  for (unsigned t = 0; t < kThreads; ++t) expected.push_back(detect(*detector_, noise(t)).scores);
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([this, t, &expected] {
      for (unsigned round = 0; round < kRounds; ++round) {
        const auto request = detector_->acquire({});
        request->prepare(noise(t));
        if (round % 3 == 1) continue;  // the request is abandoned before it runs
        request->start();
        if (round % 3 == 2) continue;  // the request is abandoned while it runs
        EXPECT_EQ(request->collect().scores, expected[t]);
      }
    });
}

INSTANTIATE_TEST_SUITE_P(Engines, DetectorRequests,
                         testing::Values(Library::opencv, Library::openvino, Library::cascade),
                         [](const auto& test) { return std::string(engine_name(test.param)); });

}  // namespace
}  // namespace facepipe::detector
