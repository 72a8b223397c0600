// These tests look at a picture several times, and search it with several models, with detectors
// whose results the test sets.
#include "detector/cuda_looks_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/cuda/detections.h"
#include "core/cuda/graph.h"
#include "detector/mirror.h"
#include "detector/turned_faces.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

constexpr int kWidth = 640;
constexpr Size kUpright{kWidth, 33};

/// Says which candidates a fake detector finds in each picture.
struct Told {
  std::string name;
  Detections candidates;
  std::uint32_t capacity = 0;
  cuda::DetectionFields fields{};
};

/// Returns given candidates instead of detecting faces. The constructor uploads the candidates, and
/// the graph copies them to the results.
class ToldDetection final : public CudaDetection {
 public:
  ToldDetection(const Told& told, std::vector<std::string>& steps)
      : from_(told.capacity, told.fields),
        to_(told.capacity, told.fields),
        steps_(steps),
        name_(told.name) {
    const cuda::Stream stream;
    const Detections& all = told.candidates;
    const auto count = static_cast<std::uint32_t>(all.size());
    const std::size_t room = std::min(count, told.capacity);
    const auto put = [&](auto* there, const auto& values) {
      using T = std::remove_pointer_t<decltype(there)>;
      if (there != nullptr)
        cuda::copy(cuda::DeviceSpan<T>{there, room}, std::span<const T>(values.data(), room),
                   stream);
    };
    put(from_.view().boxes, all.boxes);
    put(from_.view().scores, all.scores);
    put(from_.view().landmarks, all.landmarks);
    put(from_.view().classes, all.classes);
    cuda::copy(cuda::DeviceSpan<std::uint32_t>{from_.view().count, 1},
               std::span<const std::uint32_t>(&count, 1), stream);
    stream.synchronize();
  }

  void enqueue_preprocess(const FrameDescriptor* /*frame*/, cuda::StreamView /*stream*/) override {
    steps_.push_back(name_ + " preprocessed");
  }
  void enqueue_inference(const FrameDescriptor* /*frame*/, cuda::StreamView stream) override {
    steps_.push_back(name_ + " looked at");
    const auto copy = [&](auto* to, const auto* from, std::size_t count) {
      if (to != nullptr)
        FACEPIPE_CUDA_CHECK(
            cudaMemcpyAsync(to, from, count * sizeof(*to), cudaMemcpyDeviceToDevice, stream.get()));
    };
    const cuda::DeviceDetections from = from_.view();
    const cuda::DeviceDetections to = to_.view();
    copy(to.boxes, from.boxes, from.capacity);
    copy(to.scores, from.scores, from.capacity);
    copy(to.landmarks, from.landmarks, from.capacity);
    copy(to.classes, from.classes, from.capacity);
    copy(to.count, from.count, 1);
  }
  [[nodiscard]] cuda::DeviceDetections candidates() const override { return to_.view(); }

 private:
  cuda::DetectionBuffers from_;
  cuda::DetectionBuffers to_;
  std::vector<std::string>& steps_;
  std::string name_;
};

class ToldDetector final : public CudaDetector {
 public:
  ToldDetector(Told told, std::vector<std::string>& steps)
      : told_(std::move(told)), steps_(steps) {}
  [[nodiscard]] DetectorFacts facts() const override { return {Size{kWidth, 32}, {}, {}}; }
  [[nodiscard]] std::uint32_t capacity() const override { return told_.capacity; }
  [[nodiscard]] std::unique_ptr<CudaDetection> make_detection() const override {
    return std::make_unique<ToldDetection>(told_, steps_);
  }

 private:
  Told told_;
  std::vector<std::string>& steps_;
};

Detections boxes_from(float x, int count, bool with_landmarks) {
  Detections all;
  for (int i = 0; i < count; ++i) {
    const float left = x + 3.3F * static_cast<float>(i);
    const Box box{left, 1, left + 7.7F, 9};
    const float score = 1.0F / static_cast<float>(i + 2);
    if (with_landmarks)
      all.push_back(
          box, score,
          Landmarks{Point{left, 2}, {left + 5, 2}, {left + 3, 4}, {left, 6}, {left + 5, 6}});
    else
      all.push_back(box, score);
  }
  return all;
}

/// Runs detections whose detectors are told what they find.
class OnCudaDevice : public testing::Test {
 protected:
  /// Runs the detection's graph twice, as for two frames in a row.
  void run(CudaDetection& detection) {
    const cuda::GraphExec graph(cuda::capture(
        device_->stream, [&] { detection.enqueue(device_->descriptor.data(), device_->stream); }));
    for (int frame = 0; frame < 2; ++frame) graph.launch(device_->stream);
    device_->stream.synchronize();
  }

  std::uint32_t number(const std::uint32_t* on_device) {
    std::uint32_t count = 0;
    cuda::copy(std::span<std::uint32_t>(&count, 1),
               cuda::DeviceSpan<const std::uint32_t>{on_device, 1}, device_->stream);
    device_->stream.synchronize();
    return count;
  }
  std::uint32_t count_of(const CudaDetection& detection) {
    return number(detection.candidates().count);
  }
  std::uint32_t lost_of(const CudaDetection& detection) {
    return number(detection.candidates().lost);
  }

  /// Expects these candidates after the last run, in this order.
  void expect_found(const CudaDetection& detection, const Detections& expected) {
    EXPECT_EQ(count_of(detection), expected.size());
    const Detections found = cuda::download(detection.candidates(), device_->stream);
    EXPECT_EQ(found.boxes, expected.boxes);
    EXPECT_EQ(found.scores, expected.scores);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found.class_of(i), expected.class_of(i)) << i;
      ASSERT_EQ(found.has_landmarks(i), expected.has_landmarks(i)) << i;
      if (!expected.has_landmarks(i)) continue;
      EXPECT_EQ(found.landmarks[i], expected.landmarks[i]) << i;
    }
  }

  struct OnDevice {
    cuda::Stream stream;
    cuda::DeviceBuffer<FrameDescriptor> descriptor{1};  // nothing reads it
  };
  void SetUp() override { device_ = std::make_unique<OnDevice>(); }

  std::unique_ptr<OnDevice> device_;
  std::vector<std::string> steps_;
};

/// The parameter says whether the detectors find landmarks.
class CudaLooks : public OnCudaDevice, public testing::WithParamInterface<bool> {
 protected:
  CudaLook look(const std::string& name, const Detections& found, std::uint32_t capacity,
                bool mirrored = false) {
    const cuda::DetectionFields fields{GetParam(), !found.classes.empty()};
    return {std::make_shared<ToldDetector>(Told{name, found, capacity, fields}, steps_), mirrored};
  }

  std::unique_ptr<CudaDetection> both(const Detections& plain, const Detections& mirrored,
                                      std::uint32_t capacity) {
    const auto detector = make_cuda_looks_detector(
        {look("plain", plain, capacity), look("mirrored", mirrored, capacity, true)}, kUpright);
    EXPECT_EQ(detector->capacity(), capacity);
    EXPECT_EQ(detector->facts().network, (Size{kWidth, 32}));
    return detector->make_detection();
  }
};

TEST_P(CudaLooks, FindWhatTheHostPutsTogether) {
  for (const auto& [in_plain, in_mirrored] : {std::pair{0, 0}, {5, 0}, {0, 5}, {300, 700}}) {
    const Detections mirrored = boxes_from(20, in_mirrored, GetParam());
    Detections expected = boxes_from(100, in_plain, GetParam());
    const auto detection = both(expected, mirrored, 1000);
    append_mirrored(expected, mirrored, kWidth);
    run(*detection);
    expect_found(*detection, expected);
  }
}

TEST_P(CudaLooks, OfSeveralSizesComeInTheirOrder) {
  const Detections mirrored = boxes_from(20, 3, GetParam());
  Detections expected = boxes_from(100, 4, GetParam());
  const auto plain = look("plain", expected, 100);
  const auto half = look("half", boxes_from(200, 5, GetParam()), 100);
  append(expected, boxes_from(200, 5, GetParam()));
  append_mirrored(expected, mirrored, kWidth);
  const auto detection =
      make_cuda_looks_detector({plain, half, look("mirrored", mirrored, 100, true)}, kUpright)
          ->make_detection();
  run(*detection);
  EXPECT_EQ(expected.size(), 12U);
  expect_found(*detection, expected);
}

/// Returns `found` with classes 0, 1, ... `classes` - 1 in turn.
Detections in_turn(Detections found, std::size_t classes) {
  for (std::size_t i = 0; i < found.size(); ++i)
    found.classes.push_back(static_cast<std::uint16_t>(i % classes));
  return found;
}

TEST_P(CudaLooks, TellTheClassesOfAll) {
  Detections expected = in_turn(boxes_from(100, 20, GetParam()), 3);
  const Detections mirrored = in_turn(boxes_from(20, 7, GetParam()), 2);
  const auto detection = both(expected, mirrored, 100);
  append_mirrored(expected, mirrored, kWidth);
  run(*detection);
  expect_found(*detection, expected);
}

TEST_P(CudaLooks, OneLookIsItsOwnDetector) {
  const CudaLook plain = look("plain", {}, 10);
  EXPECT_EQ(make_cuda_looks_detector({plain}, kUpright), plain.detector);
}

TEST_P(CudaLooks, BeginWithThePictureItself) {
  CudaLook turned = look("turned", {}, 10);
  turned.quarter_turns = 1;
  CudaLook in_phase = look("in phase", {}, 10);
  in_phase.phase = 0;
  for (const CudaLook& refused : {look("mirrored", {}, 10, true), turned, in_phase})
    test::expect_error(ErrorKind::internal, "the picture itself",
                       [&] { (void)make_cuda_looks_detector({refused}, kUpright); });
  test::expect_error(ErrorKind::internal, "the picture itself",
                     [&] { (void)make_cuda_looks_detector({}, kUpright); });
}

TEST_P(CudaLooks, AreMadeForEachScaleAndTheMirrorOfTheFirst) {
  std::vector<std::pair<float, bool>> made;
  const StreamLayout layout{{kWidth, 32}, {.semi_planar = true}, {}};
  (void)make_cuda_looks({{1, .5F}, true}, layout, [&](const StreamLayout& seen, float scale) {
    made.emplace_back(scale, seen.orientation.mirrored);
    return look("any", {}, 10).detector;
  });
  using Made = std::pair<float, bool>;
  EXPECT_EQ(made, (std::vector<Made>{{1, false}, {.5F, false}, {1, true}}));
}

/// Describes one look for which a detector is made.
struct MadeLook {
  float scale = 0;
  Orientation orientation;
  friend bool operator==(const MadeLook&, const MadeLook&) = default;
};

TEST_P(CudaLooks, AreMadeForEachTurnAtTheFirstScale) {
  std::vector<MadeLook> made;
  const StreamLayout layout{{33, kWidth}, {.semi_planar = true}, {1, true}};
  const auto detector =
      make_cuda_looks({{.5F, 2}, false, true}, layout, [&](const StreamLayout& seen, float scale) {
        EXPECT_EQ(seen.stored, layout.stored);
        made.push_back({scale, seen.orientation});
        return look("any", {}, 10).detector;
      });
  EXPECT_EQ(
      made,
      (std::vector<MadeLook>{
          {.5F, {1, true}}, {2, {1, true}}, {.5F, {2, true}}, {.5F, {3, true}}, {.5F, {0, true}}}));
  EXPECT_EQ(detector->phases(), kTurns);
}

/// Returns `plain`, and what was found in the picture turned by `turns`, as the host puts it
/// together.
Detections with_turned(const Detections& plain, const Detections& turned, int turns) {
  Detections back;
  append_turned_back(back, turned, turns, kUpright);
  Detections all = plain;
  append(all, back);
  return all;
}

TEST_P(CudaLooks, AtTurnedPicturesAreEachAtTheFramesOfItsPhase) {
  const Detections plain = boxes_from(100, 5, GetParam());
  std::vector<CudaLook> looks{look("plain", plain, 100)};
  std::vector<Detections> found;
  for (int turns = 1; turns <= kTurns; ++turns) {
    found.push_back(in_turn(boxes_from(static_cast<float>(turns), 2 + turns, GetParam()), 3));
    looks.push_back(look("turned " + std::to_string(turns), found.back(), 100));
    looks.back().quarter_turns = turns;
    looks.back().phase = turns - 1;
  }
  const auto detector = make_cuda_looks_detector(looks, kUpright);
  EXPECT_EQ(detector->phases(), kTurns);
  const auto detection = detector->make_detection();
  for (const int phase : {0, 1, 2, 0}) {
    SCOPED_TRACE(phase);
    steps_.clear();
    detection->set_phase(phase);
    run(*detection);
    const std::string turned = "turned " + std::to_string(phase + 1);
    EXPECT_EQ(steps_, (std::vector<std::string>{"plain preprocessed", turned + " preprocessed",
                                                "plain looked at", turned + " looked at"}));
    expect_found(*detection, with_turned(plain, found[static_cast<std::size_t>(phase)], phase + 1));
  }
}

TEST_P(CudaLooks, AtATurnedPictureTooAreAtEachFrame) {
  const Detections plain = boxes_from(100, 5, GetParam());
  const Detections turned = boxes_from(20, 7, GetParam());
  const StreamLayout layout{kUpright, {.semi_planar = true}, {}};
  for (const int turns : {0, 1, 2, 3}) {
    SCOPED_TRACE(turns);
    const auto detector = make_cuda_turned_too(turns, layout, [&](const StreamLayout& seen) {
      if (seen == layout) return look("plain", plain, 100).detector;
      EXPECT_EQ(seen.orientation, (Orientation{turns, false}));
      return look("turned", turned, 100).detector;
    });
    EXPECT_EQ(detector->phases(), 1);
    const auto detection = detector->make_detection();
    run(*detection);
    expect_found(*detection, turns == 0 ? plain : with_turned(plain, turned, turns));
  }
}

/// The detectors for the picture and for the turned picture may look several times, too, and
/// several models may join them.
TEST_P(CudaLooks, OfLooksPassOnThePhase) {
  const Detections plain = boxes_from(100, 2, GetParam());
  const Detections second = boxes_from(300, 3, GetParam());
  CudaLook only_second = look("second", second, 100);
  only_second.phase = 1;
  const auto inner = make_cuda_looks_detector({look("plain", plain, 100), only_second}, kUpright);
  const auto outer = make_cuda_joining_detector({CudaLook{inner}});
  EXPECT_EQ(outer->phases(), kTurns);
  const auto detection = outer->make_detection();
  for (const int phase : {0, 1, 2}) {
    detection->set_phase(phase);
    run(*detection);
    Detections expected = plain;
    if (phase == 1) append(expected, second);
    expect_found(*detection, expected);
  }
}

// Code that hides faces refuses a frame if any look has found too many candidates.
TEST_P(CudaLooks, CountWhatEitherHasNoRoomForAndWhatBothHaveNone) {
  const auto counted = [&](int in_plain, int in_mirrored) {
    const auto detection =
        both(boxes_from(0, in_plain, GetParam()), boxes_from(0, in_mirrored, GetParam()), 100);
    run(*detection);
    return count_of(*detection) + lost_of(*detection);
  };
  EXPECT_EQ(counted(130, 10), 140U);
  EXPECT_EQ(counted(10, 130), 140U);
  EXPECT_EQ(counted(60, 70), 130U);
}

TEST_P(CudaLooks, ArePreprocessedFirst) {
  const auto detection = both({}, {}, 10);
  detection->enqueue_preprocess(device_->descriptor.data(), device_->stream);
  detection->enqueue_inference(device_->descriptor.data(), device_->stream);
  device_->stream.synchronize();
  EXPECT_EQ(steps_, (std::vector<std::string>{"plain preprocessed", "mirrored preprocessed",
                                              "plain looked at", "mirrored looked at"}));
}

class CudaModels : public OnCudaDevice {
 protected:
  CudaLook model(const std::string& name, const Detections& found, std::uint32_t capacity,
                 cuda::DetectionFields fields, std::uint16_t first_class) {
    return {std::make_shared<ToldDetector>(Told{name, found, capacity, fields}, steps_), false,
            first_class};
  }
};

TEST_F(CudaModels, FindWhatTheHostJoins) {
  for (const auto& [in_first, in_second, in_third] :
       {std::tuple{0, 0, 0}, {5, 0, 0}, {0, 5, 0}, {0, 0, 300}, {300, 1, 700}}) {
    const Detections first = boxes_from(0, in_first, true);
    const Detections second = in_turn(boxes_from(50, in_second, false), 2);
    const Detections third = boxes_from(9, in_third, false);
    const auto detector = make_cuda_joining_detector({model("1", first, 400, {true, false}, 0),
                                                      model("2", second, 30, {false, true}, 1),
                                                      model("3", third, 1000, {false, false}, 3)});
    EXPECT_EQ(detector->capacity(), 1430U);
    const auto detection = detector->make_detection();
    run(*detection);
    Detections expected = first;
    append(expected, second, 1);
    append(expected, third, 3);
    expect_found(*detection, expected);
    EXPECT_EQ(lost_of(*detection), 0U);
  }
}

TEST_F(CudaModels, HaveRoomOfTheirOwn) {
  const Detections first = boxes_from(0, 130, false);
  const Detections second = boxes_from(50, 20, false);
  const auto detection = make_cuda_joining_detector({model("1", first, 100, {false, false}, 0),
                                                     model("2", second, 100, {false, false}, 1)})
                             ->make_detection();
  run(*detection);
  Detections expected = boxes_from(0, 130, false);
  expected.boxes.resize(100);
  expected.scores.resize(100);
  append(expected, second, 1);
  expect_found(*detection, expected);
  EXPECT_EQ(lost_of(*detection), 30U);
}

TEST_F(CudaModels, LookAtThePictureInTurn) {
  const auto detection = make_cuda_joining_detector({model("1", {}, 10, {false, false}, 0),
                                                     model("2", {}, 10, {false, false}, 1)})
                             ->make_detection();
  detection->enqueue(device_->descriptor.data(), device_->stream);
  device_->stream.synchronize();
  EXPECT_EQ(steps_, (std::vector<std::string>{"1 preprocessed", "2 preprocessed", "1 looked at",
                                              "2 looked at"}));
}

TEST_F(CudaModels, MustSearchThePictureItself) {
  CudaLook mirrored = model("1", {}, 10, {false, false}, 0);
  mirrored.mirrored = true;
  CudaLook turned = model("1", {}, 10, {false, false}, 0);
  turned.quarter_turns = 2;
  for (const CudaLook& refused : {mirrored, turned})
    test::expect_error(ErrorKind::internal, "the picture itself",
                       [&] { (void)make_cuda_joining_detector({refused}); });
  test::expect_error(ErrorKind::internal, "the picture itself",
                     [&] { (void)make_cuda_joining_detector({}); });
}

TEST(RoomForCandidates, IsForEachClassUpToALimit) {
  EXPECT_EQ(room_for(1, 65536), 65536U);
  EXPECT_EQ(room_for(3, 1000), 3000U);
  EXPECT_EQ(room_for(80, 65536), kMostOfAllClasses);
  EXPECT_EQ(room_for(2, kMostOfAllClasses + 1), kMostOfAllClasses + 1) << "as much as for one";
}

INSTANTIATE_TEST_SUITE_P(Landmarks, CudaLooks, testing::Bool());

}  // namespace
}  // namespace facepipe::detector
