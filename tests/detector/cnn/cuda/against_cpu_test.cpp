// These tests compare the CUDA engine with the CPU's engine. Both process the same frame, from
// pixels to candidates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "detector/cnn/cuda/cnn_detector.h"
#include "detector/cuda_looks_detector.h"
#include "detector/detector.h"
#include "detector/looks.h"
#include "detector/turned_faces.h"
#include "tests/detector/cnn/cuda/cpu_reference.h"
#include "tests/detector/cnn/cuda/described_frame.h"
#include "tests/detector/cnn/cuda/device_network.h"
#include "tests/detector/cuda_candidates.h"
#include "tests/detector/detect.h"
#include "tests/detector/files.h"
#include "tests/detector/jpeg.h"
#include "tests/detector/nv12.h"
#include "tests/support/overlap.h"
#include "tests/support/small_exports.h"
#include "tests/support/small_yolo.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using test::overlap;

using test::kNv12;
using test::kP010;

test::Tensor on_device(const Frame& frame, const NetworkFit& fit, const InputData& input = {}) {
  engine::Placement place;
  place.shape = {3, fit.network.height, fit.network.width};
  place.image = true;
  place.pitch = engine::Placement::kImagePitch;
  const cuda::Stream stream;
  const test::DescribedFrame device(frame, stream);
  const cuda::DeviceBuffer<std::byte> memory(place.bytes());
  engine::PreprocessKernel({fit, test::layout_of(frame), input.channel_order, input.pad}, place)
      .enqueue(device.descriptor(), memory.data(), stream);
  return test::download(place, memory.data(), stream);
}

TEST(CudaAgainstCpu, PreprocessesAlike) {
  for (const PixelFormat& format : {kNv12, kP010})
    for (const Orientation orientation : test::all_orientations())
      for (const std::optional<Size>& size :
           {std::optional<Size>{}, std::optional<Size>{Size{300, 300}},
            std::optional<Size>{Size{120, 120}}, std::optional<Size>{Size{64, 64}}}) {
        const Frame frame = test::make_noise_frame({format, {202, 150}, orientation}, 17);
        const NetworkFit fit = fit_network(frame.upright(), size);
        const std::vector<std::uint8_t> expected =
            test::preprocess_on_cpu(frame, fit, ChannelOrder::rgb);
        const test::Tensor actual = on_device(frame, fit);
        double worst = 0;
        double sum = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const double difference = std::abs(static_cast<double>(actual[i]) - expected[i]);
          worst = std::max(worst, difference);
          sum += difference;
        }
        // The limit covers the error of the CPU's preprocessing, and one or two roundings on the
        // device.
        EXPECT_LE(worst, format.bits == 8 ? 4.5 : 6.5);
        EXPECT_LE(sum / static_cast<double>(expected.size()), 1.5);
      }
}

Detections found_on_device(const Model& model, const Frame& frame, float threshold,
                           bool fused = true) {
  const auto detector = std::make_shared<CudaCnnDetector>(
      model, fit_network(frame.upright(), {}), test::layout_of(frame),
      CudaCnnOptions{.score_threshold = threshold, .fused = fused});
  CudaCnnDetection detection(detector);
  const cuda::Stream stream;
  const test::DescribedFrame on_device(frame, stream);
  detection.enqueue(on_device.descriptor(), stream);
  return cuda::download(detection.candidates(), stream);
}

/// Expects that each candidate of `some` is also in `others`, except if its score is within
/// `score_error` of the threshold.
void expect_among(const Detections& some, const Detections& others, float threshold,
                  float score_error) {
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (some.scores[i] < threshold + score_error) continue;
    const bool matched = [&] {
      for (std::size_t k = 0; k < others.size(); ++k)
        if (std::abs(others.scores[k] - some.scores[i]) <= score_error &&
            overlap(others.boxes[k], some.boxes[i]) >= 0.9)
          return true;
      return false;
    }();
    EXPECT_TRUE(matched) << "score " << some.scores[i] << " at " << some.boxes[i].x1 << ","
                         << some.boxes[i].y1;
  }
}

/// Returns for how many of the candidates of `some` the candidate of `others` at the same place has
/// the same class, as a share. If a cell's best classes have nearly equal scores, the network's
/// rounding can make another class the best.
double share_of_equal_classes(const Detections& some, const Detections& others) {
  int all = 0;
  int equal = 0;
  for (std::size_t i = 0; i < some.size(); ++i)
    for (std::size_t k = 0; k < others.size(); ++k) {
      if (overlap(others.boxes[k], some.boxes[i]) < 0.95) continue;
      ++all;
      equal += others.class_of(k) == some.class_of(i) ? 1 : 0;
      break;
    }
  return all == 0 ? 0 : static_cast<double>(equal) / all;
}

constexpr float kThreshold = 0.3F;
/// kNetworkError allows for the rounding of about sixty layers that compute in halves.
/// kPreprocessingError also allows for the error of the CPU's preprocessing, which is up to 3 of
/// 255.
constexpr float kNetworkError = 5e-3F;
constexpr float kPreprocessingError = 5e-2F;

/// Runs the CPU's network and head on the input that the device has made, and compares the
/// candidates with the device's. Returns the device's candidates.
Detections expect_same_of_input(const Model& model, const Frame& frame, bool fused = true) {
  const NetworkFit fit = fit_network(frame.upright(), {}, model.data().input.multiple);
  Detections device = found_on_device(model, frame, kThreshold, fused);
  const test::Tensor seen = on_device(frame, fit, model.data().input);
  const Detections same_input =
      test::detect_on_cpu({seen.begin(), seen.end()}, model, fit, kThreshold);
  EXPECT_GT(same_input.size(), 20U);
  EXPECT_EQ(device.has_landmarks(), same_input.has_landmarks());
  expect_among(same_input, device, kThreshold, kNetworkError);
  expect_among(device, same_input, kThreshold, kNetworkError);
  return device;
}

void expect_same_candidates(const std::filesystem::path& file) {
  const Model model(file);
  const Frame frame = test::as_nv12(test::read_jpeg(test::city_file()));
  const NetworkFit fit = fit_network(frame.upright(), {});
  const Detections device = expect_same_of_input(model, frame);
  const Detections cpu = test::detect_on_cpu(
      test::preprocess_on_cpu(frame, fit, model.channel_order()), model, fit, kThreshold);
  expect_among(cpu, device, kThreshold, kPreprocessingError);
  expect_among(device, cpu, kThreshold, kPreprocessingError);
}

void expect_same_without_fusion(const std::filesystem::path& file) {
  const Model model(file);
  const Frame frame = test::as_nv12(test::read_jpeg(test::city_file()));
  const Detections fused = found_on_device(model, frame, kThreshold);
  const Detections generic = found_on_device(model, frame, kThreshold, false);
  EXPECT_GT(generic.size(), 20U);
  expect_among(generic, fused, kThreshold, kNetworkError);
  expect_among(fused, generic, kThreshold, kNetworkError);
}

TEST(CudaFused, FindsTheGenericPlansCandidatesWithCenterface) {
  expect_same_without_fusion(test::centerface_file());
}

TEST(CudaFused, FindsTheGenericPlansCandidatesWithYunet) {
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  expect_same_without_fusion(test::yunet_file());
}

TEST(CudaAgainstCpu, FindsTheSameCandidatesWithCenterface) {
  expect_same_candidates(test::centerface_file());
}

TEST(CudaAgainstCpu, FindsTheSameCandidatesWithYunet) {
  if (!std::filesystem::exists(test::yunet_file())) GTEST_SKIP() << "no YuNet file";
  expect_same_candidates(test::yunet_file());
}

struct SmallExport {
  const char* name;
  test::OnnxBuilder file;
  std::string card;  ///< "" if the file needs no card
};

/// The generic operators compute each family's network, and fused operators if there are any for
/// it.
TEST(CudaAgainstCpu, FindsTheSameCandidatesWithEachFamily) {
  const SmallExport kExports[] = {
      {"scrfd", test::small_scrfd(), ""},
      {"scrfd without landmarks", test::small_scrfd(false), ""},
      {"yolo", test::small_yolo(), ""},
      {"yolo with landmarks and other classes", test::small_yolo(3, {5, 3}), ""},
      {"yolo with anchors", test::small_yolo_anchors(), test::yolo_anchors_card()},
      {"retinaface", test::small_retinaface(), test::retinaface_card()}};
  const test::TemporaryFolder folder;
  for (const SmallExport& from : kExports) {
    SCOPED_TRACE(from.name);
    const std::string name = std::string(from.name) + ".onnx";
    const auto file = folder.write(name, from.file.model().SerializeAsString());
    if (!from.card.empty()) (void)folder.write(name + ".json", from.card);
    const Model model(file);
    const Frame frame = test::make_noise_frame({kNv12, {202, 150}}, 5);
    for (const bool fused : {true, false}) (void)expect_same_of_input(model, frame, fused);
  }
}

/// Returns the classes of the candidates; the name of the class isn't needed.
std::set<std::uint16_t> classes_of(const Detections& found) {
  std::set<std::uint16_t> all;
  for (std::size_t i = 0; i < found.size(); ++i) all.insert(found.class_of(i));
  return all;
}

TEST(CudaAgainstCpu, TellsTheSameClasses) {
  const SmallExport kExports[] = {
      {"yolo", test::small_yolo(3), test::yolo_card({"face", "head", "plate"})},
      {"yolo with anchors, of which one class is ignored", test::small_yolo_anchors(0, 3),
       test::things_card()}};
  const test::TemporaryFolder folder;
  for (const SmallExport& from : kExports) {
    SCOPED_TRACE(from.name);
    const std::string name = std::string(from.name) + ".onnx";
    const auto file = folder.write(name, from.file.model().SerializeAsString());
    (void)folder.write(name + ".json", from.card);
    const Model model(file);
    const Frame frame = test::make_noise_frame({kNv12, {202, 150}}, 5);
    const NetworkFit fit = fit_network(frame.upright(), {}, model.data().input.multiple);
    const test::Tensor seen = on_device(frame, fit, model.data().input);
    constexpr float kLow = 0.1F;  // so that there are candidates of several classes
    const Detections cpu = test::detect_on_cpu({seen.begin(), seen.end()}, model, fit, kLow);
    const Detections device = found_on_device(model, frame, kLow);
    EXPECT_GT(classes_of(cpu).size(), 1U);
    EXPECT_GT(classes_of(device).size(), 1U);
    EXPECT_NEAR(static_cast<double>(device.size()), static_cast<double>(cpu.size()),
                0.05 * static_cast<double>(cpu.size()));
    EXPECT_GE(share_of_equal_classes(cpu, device), 0.9);
    EXPECT_GE(share_of_equal_classes(device, cpu), 0.9);
  }
}

/// Returns a frame that repeats the demo photo and is stored turned.
Frame repeated_photo(Size upright, Orientation orientation) {
  const Frame photo = test::as_nv12(test::read_jpeg(test::city_file()));
  Frame frame = test::make_noise_frame(
      {kNv12, upright_size(upright, orientation), orientation, photo.color}, 1);
  for (int y = 0; y < frame.size.height; ++y)
    for (int x = 0; x < frame.size.width; ++x) {
      const auto place = test::upright_place({x, y}, frame.size, orientation);
      const int from_x = place.x % photo.size.width;
      const int from_y = place.y % photo.size.height;
      test::set_raw_sample(frame, 0, x, y, test::raw_sample(photo, 0, from_x, from_y));
      for (const int v : {0, 1})
        test::set_raw_sample(frame, 1, x / 2 * 2 + v, y / 2,
                             test::raw_sample(photo, 1, from_x / 2 * 2 + v, from_y / 2));
    }
  return frame;
}

/// Returns a frame of 13 megapixels.
Frame large_frame(Orientation orientation) { return repeated_photo({4416, 2960}, orientation); }

Detections found_in_tiles_on_cpu(const Frame& frame) {
  DetectorOptions options;
  options.model = test::centerface_file();
  options.precision = Precision::f32;
  options.score_threshold = kThreshold;
  return test::detect(*make_detector_factory({}, options)->detector(frame.upright()), frame);
}

/// Returns the share of the candidates well above the threshold for which `others` has a similar
/// candidate.
double share_among(const Detections& some, const Detections& others) {
  int clear = 0;
  int found = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    if (some.scores[i] < kThreshold + kPreprocessingError) continue;
    ++clear;
    for (std::size_t k = 0; k < others.size(); ++k) {
      if (std::abs(others.scores[k] - some.scores[i]) > kPreprocessingError ||
          overlap(others.boxes[k], some.boxes[i]) < 0.9)
        continue;
      ++found;
      break;
    }
  }
  return clear == 0 ? 0 : static_cast<double>(found) / clear;
}

TEST(CudaTiles, FindTheCpusCandidatesHoweverThePictureIsStored) {
  const Model model(test::centerface_file());
  for (const Orientation orientation : {Orientation{}, {1, true}}) {
    const Frame frame = large_frame(orientation);
    const auto detector = make_cuda_cnn_detector(model, test::layout_of(frame), {},
                                                 CudaCnnOptions{.score_threshold = kThreshold});
    const std::optional<Tiling> tiling = detector->facts().tiling;
    ASSERT_TRUE(tiling);
    EXPECT_EQ(tiling, tiling_for(frame.upright(), {}));
    EXPECT_EQ(detector->facts().network, tiling->tile.network);
    const auto detection = detector->make_detection();
    const cuda::Stream stream;
    const test::DescribedFrame on_device(frame, stream);
    const Detections cpu = found_in_tiles_on_cpu(frame);
    EXPECT_GT(cpu.size(), 500U);
    // The second run finds the memory in the state in which the first run has left it.
    for (int run = 0; run < 2; ++run) {
      detection->enqueue(on_device.descriptor(), stream);
      const Detections device = cuda::download(detection->candidates(), stream);
      EXPECT_GE(share_among(cpu, device), 0.99);
      EXPECT_GE(share_among(device, cpu), 0.99);
    }
  }
}

TEST(CudaTiles, AreNotForAPictureOfWhichASizeWasChosen) {
  const Frame frame = large_frame({});
  const auto detector = make_cuda_cnn_detector(
      Model(test::centerface_file()), test::layout_of(frame), Size{640, 640}, CudaCnnOptions{});
  EXPECT_FALSE(detector->facts().tiling);
  EXPECT_EQ(detector->facts().network, (Size{640, 448}));
}

constexpr Device kCuda{DeviceKind::cuda, 0};

DetectorOptions factory_options() {
  DetectorOptions options;
  options.model = test::centerface_file();
  options.score_threshold = kThreshold;
  return options;
}

TEST(CudaDetectorFactory, MakesDetectorsOfItsModelAndOptions) {
  const auto factory = make_cuda_detector_factory(kCuda, factory_options());
  EXPECT_EQ(factory->choice().name(), "cuda");
  EXPECT_EQ(factory->choice().precision, Precision::f16);
  EXPECT_EQ(factory->model_kind(), "centerface");
  EXPECT_EQ(factory->model_sha256(), Model(test::centerface_file()).sha256());
  const Frame frame = test::as_nv12(test::read_jpeg(test::city_file()));
  const auto detector = factory->detector(test::layout_of(frame), 1000, Tuning::none);
  EXPECT_EQ(detector->capacity(), 1000U);
  const auto detection = detector->make_detection();
  const cuda::Stream stream;
  const test::DescribedFrame on_device(frame, stream);
  detection->enqueue(on_device.descriptor(), stream);
  const Detections found = cuda::download(detection->candidates(), stream);
  const Detections expected = found_on_device(Model(test::centerface_file()), frame, kThreshold);
  EXPECT_GT(expected.size(), 0U);
  expect_among(expected, found, kThreshold, kNetworkError);
  expect_among(found, expected, kThreshold, kNetworkError);
}

/// Returns a frame of the demo photo whose orientation is lost, so its faces are turned. They
/// become upright in the look at the picture turned by `turns`. The frame belongs to this look's
/// phase.
Frame frame_with_turned_faces(int turns, Size upright = {799, 563}) {
  Frame frame = repeated_photo(upright, {turns, false});
  frame.orientation = {};
  frame.index = turns - 1;
  return frame;
}

/// Returns what a factory's detector finds in the frame, in the phase of the frame.
Detections found_in_phase(const CudaDetectorFactory& factory, const Frame& frame) {
  const auto detector = factory.detector(test::layout_of(frame), 20000, Tuning::none);
  const auto detection = detector->make_detection();
  detection->set_phase(static_cast<int>(frame.index) % detector->phases());
  return test::run(*detection, frame);
}

TEST(CudaTurnedLooks, FindWhatTheCpusTurnedLooksFind) {
  DetectorOptions options = factory_options();
  options.mirrored_too = true;
  const auto on_device = make_cuda_detector_factory(kCuda, options);
  options.precision = Precision::f32;
  const auto on_cpu = make_detector_factory({}, options);
  for (const Size upright : {Size{799, 563}, {562, 641}})
    for (int turns = 1; turns <= kTurns; ++turns) {
      SCOPED_TRACE(testing::Message() << turns << " of " << to_string(upright));
      const Frame frame = frame_with_turned_faces(turns, upright);
      const Detections cpu = test::detect(*on_cpu->detector(frame.upright()), frame);
      const Detections device = found_in_phase(*on_device, frame);
      EXPECT_GT(cpu.size(), 20U);
      EXPECT_GE(share_among(cpu, device), 0.95);
      EXPECT_GE(share_among(device, cpu), 0.95);
      Frame other_phase = view_of(frame);
      other_phase.index = turns;
      EXPECT_LT(found_in_phase(*on_device, other_phase).size(), device.size());
    }
}

/// The look at the picture turned by some quarter turns reads the same pixels as the detector of
/// the upright picture. So it finds the same boxes, turned.
TEST(CudaTurnedLooks, FindTheBoxesOfTheUprightPictureTurned) {
  const auto factory = make_cuda_detector_factory(kCuda, factory_options());
  for (int turns = 1; turns <= kTurns; ++turns) {
    SCOPED_TRACE(turns);
    const Frame turned = frame_with_turned_faces(turns);
    Frame upright = view_of(turned);
    upright.orientation = {turns, false};
    Detections expected = found_in_phase(*factory, turned);
    append_turned_back(expected, found_in_phase(*factory, upright), turns, turned.upright());
    EXPECT_GT(expected.size(), 20U);
    const auto detector = make_cuda_turned_too(
        turns, test::layout_of(turned),
        [&](const StreamLayout& layout) { return factory->detector(layout, 20000, Tuning::none); });
    const auto detection = detector->make_detection();
    test::expect_always(*detection, turned, expected);
  }
}

/// The turned looks work in the same memory, one after the other.
TEST(CudaTurnedLooks, LeaveNothingForTheNextFrame) {
  DetectorOptions options = factory_options();
  options.mirrored_too = true;
  const auto factory = make_cuda_detector_factory(kCuda, options);
  const Frame frame = frame_with_turned_faces(1);
  const auto detector = factory->detector(test::layout_of(frame), 20000, Tuning::none);
  const auto detection = detector->make_detection();
  for (const int phase : {0, 1, 2, 1, 0, 2}) {
    SCOPED_TRACE(phase);
    Frame of_phase = view_of(frame);
    of_phase.index = phase;
    const Detections expected = found_in_phase(*factory, of_phase);
    detection->set_phase(phase);
    const Detections found = test::run(*detection, frame);
    EXPECT_GT(found.size(), 0U);
    EXPECT_EQ(found.boxes, expected.boxes);
    EXPECT_EQ(found.scores, expected.scores);
  }
}

TEST(CudaTurnedLooks, AreNotAtPicturesOfWhichASizeWasChosen) {
  DetectorOptions options = factory_options();
  options.mirrored_too = true;
  options.detect_size = Size{320, 320};
  const auto factory = make_cuda_detector_factory(kCuda, options);
  const StreamLayout layout{{641, 427}, kNv12, {}};
  EXPECT_EQ(factory->detector(layout, 100, Tuning::none)->phases(), 1);
}

/// The parts of a factory for two models: faces with landmarks, at two sizes; faces and plates.
class CudaSeveralModels : public testing::Test {
 protected:
  CudaSeveralModels() {
    (void)dir_.write("things.onnx", test::small_yolo_anchors(0, 3).model().SerializeAsString());
    (void)dir_.write("things.onnx.json", test::things_card());
  }

  [[nodiscard]] static DetectorOptions options(const std::filesystem::path& model) {
    DetectorOptions options;
    options.model = model;
    options.score_threshold = 0.15F;
    return options;
  }
  [[nodiscard]] DetectorOptions both() const {
    DetectorOptions together = options(faces_);
    together.more_models = {things_};
    return together;
  }
  /// Returns what the models find in the frame one by one, put together as the CPU does.
  [[nodiscard]] Detections one_by_one(const DetectorOptions& together, const Frame& frame,
                                      std::uint32_t capacity = kCapacity) const {
    Detections all;
    std::uint16_t first_class = 0;
    for (const std::filesystem::path& model : {faces_, things_}) {
      DetectorOptions alone = together;
      alone.model = model;
      alone.more_models.clear();
      const auto factory = make_cuda_detector_factory(kCuda, alone);
      const auto detector = factory->detector(test::layout_of(frame), capacity, Tuning::none);
      append(all, test::run(*detector->make_detection(), frame), first_class);
      first_class = static_cast<std::uint16_t>(first_class + factory->classes().size());
    }
    return all;
  }
  /// Expects that one graph finds what the models find one by one, in each replay.
  void expect_joined(const DetectorOptions& together, const Frame& frame) const {
    const Detections expected = one_by_one(together, frame);
    EXPECT_GT(expected.size(), 20U);
    EXPECT_EQ(classes_of(expected), (std::set<std::uint16_t>{0, 1, 2}));
    const auto detector = make_cuda_detector_factory(kCuda, together)
                              ->detector(test::layout_of(frame), kCapacity, Tuning::none);
    const auto detection = detector->make_detection();
    test::expect_always(*detection, frame, expected);
    const Detections found = test::run(*detection, frame);
    EXPECT_EQ(found.boxes, expected.boxes);
    EXPECT_EQ(found.scores, expected.scores);
    EXPECT_EQ(found.classes, expected.classes);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found.has_landmarks(i), expected.has_landmarks(i)) << i;
  }

  static constexpr std::uint32_t kCapacity = 20000;
  const test::TemporaryFolder dir_;
  const std::filesystem::path faces_ = test::write_small_scrfd(dir_);
  const std::filesystem::path things_ = dir_ / "things.onnx";
  const Frame frame_ = test::make_noise_frame({kNv12, {202, 150}}, 5);
};

TEST_F(CudaSeveralModels, FindInOneGraphWhatEachFinds) { expect_joined(both(), frame_); }

TEST_F(CudaSeveralModels, FindInOneGraphWhatEachFindsInSeveralLooks) {
  DetectorOptions together = both();
  together.looks = Looks{{1, 0.5F}, true};
  expect_joined(together, frame_);
  together.mirrored_too = true;
  expect_joined(together, frame_);
}

TEST_F(CudaSeveralModels, FindInOneGraphWhatEachFindsInTiles) {
  expect_joined(both(), large_frame({1, true}));
}

TEST_F(CudaSeveralModels, HaveRoomForEachClassOfEach) {
  constexpr std::uint32_t kSmall = 10;
  const auto factory = make_cuda_detector_factory(kCuda, both());
  const auto detector = factory->detector(test::layout_of(frame_), kSmall, Tuning::none);
  EXPECT_EQ(detector->capacity(), kSmall + 2 * kSmall);
  const auto detection = detector->make_detection();
  const Detections found = test::run(*detection, frame_);
  const Detections expected = one_by_one(both(), frame_, kSmall);
  EXPECT_EQ(found.size(), 3 * kSmall);
  EXPECT_EQ(found.boxes, expected.boxes);
  EXPECT_EQ(found.classes, expected.classes);
  std::uint32_t lost = 0;
  const cuda::Stream stream;
  cuda::copy(std::span<std::uint32_t>(&lost, 1),
             cuda::DeviceSpan<const std::uint32_t>{detection->candidates().lost, 1}, stream);
  stream.synchronize();
  EXPECT_EQ(test::count_of(*detection) + lost, one_by_one(both(), frame_).size());
}

TEST_F(CudaSeveralModels, AreKnownTogether) {
  const auto factory = make_cuda_detector_factory(kCuda, both());
  ASSERT_EQ(factory->classes().size(), 3U);
  EXPECT_EQ(factory->classes()[1].name, "face");
  EXPECT_EQ(factory->classes()[1].model, "things");
  EXPECT_EQ(factory->classes()[2].name, "plate");
  EXPECT_EQ(factory->classes()[2].grow, 0.5F);
  EXPECT_TRUE(factory->finds_landmarks());
  ASSERT_EQ(factory->others().size(), 1U);
  DetectorOptions plates = both();
  plates.classes = {"plate"};
  EXPECT_EQ(make_cuda_detector_factory(kCuda, plates)->classes().size(), 1U);
}

TEST_F(CudaSeveralModels, OfEachFamilyGoTogether) {
  DetectorOptions together = both();
  together.more_models.emplace_back(FACEPIPE_SOURCE_DIR "/data/acf_face.json");
  const auto factory = make_cuda_detector_factory(kCuda, together);
  ASSERT_EQ(factory->classes().size(), 4U);
  const auto detector = factory->detector(test::layout_of(frame_), kCapacity, Tuning::none);
  const Detections found = test::run(*detector->make_detection(), frame_);
  const Detections expected = one_by_one(both(), frame_);
  ASSERT_GE(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(found.boxes[i], expected.boxes[i]) << i;
  for (std::size_t i = expected.size(); i < found.size(); ++i) ASSERT_EQ(found.class_of(i), 3) << i;
}

TEST(CudaDetectorFactory, RefusesWhatDoesNotGoTogether) {
  DetectorOptions options = factory_options();
  options.library = Library::opencv;
  EXPECT_THROW((void)make_cuda_detector_factory(kCuda, options), Error);
  options = factory_options();
  options.requests = 0;
  EXPECT_THROW((void)make_cuda_detector_factory(kCuda, options), Error);
}

}  // namespace
}  // namespace facepipe::detector
