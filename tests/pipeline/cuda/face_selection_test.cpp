// These tests select the faces of several classes on the device, in a graph that is replayed, and
// compare with the steps of the CPU's backend.
#include "pipeline/cuda/face_selection.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "core/cuda/graph.h"
#include "nms/cpu/class_suppressor.h"
#include "pipeline/faces.h"
#include "tests/support/expect_error.h"

namespace facepipe::pipeline {
namespace {

constexpr std::uint32_t kRoom = 9000;
constexpr int kClasses = 3;

/// Returns candidates of random classes in clusters, so that many suppress each other.
Detections random_candidates(unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto real = [&](float high) { return high * static_cast<float>(random() % 100000) / 1e5F; };
  Detections made;
  for (int i = 0; i < count; ++i) {
    const float x = 100 * static_cast<float>(random() % 12) + real(12);
    const float y = 100 * static_cast<float>(random() % 8) + real(12);
    const Box box{x, y, x + 20 + real(50), y + 20 + real(50)};
    Landmarks points;
    for (Point& point : points) point = {real(1000), real(1000)};
    const auto its = static_cast<std::uint16_t>(random() % kClasses);
    made.push_back(box, real(1), its == 1 ? points : kNoLandmarks);
    made.classes.resize(made.size());
    made.classes.back() = its;
  }
  return made;
}

/// Holds candidates in device memory, and the graph of a selection.
class OnDevice {
 public:
  explicit OnDevice(const FaceSelectionSetup& setup)
      : candidates_(kRoom, {true, true}), selection_(setup, candidates_.view()) {
    exec_.emplace(cuda::capture(stream_, [&] {
      selection_.enqueue(stream_);
      selection_.enqueue_download(stream_);
    }));
  }

  Detections run(const Detections& given) {
    const cuda::DeviceDetections to = candidates_.view();
    const auto count = static_cast<std::uint32_t>(given.size());
    cuda::copy(cuda::DeviceSpan<Box>{to.boxes, count}, std::span(given.boxes), stream_);
    cuda::copy(cuda::DeviceSpan<float>{to.scores, count}, std::span(given.scores), stream_);
    cuda::copy(cuda::DeviceSpan<Landmarks>{to.landmarks, count}, std::span(given.landmarks),
               stream_);
    cuda::copy(cuda::DeviceSpan<std::uint16_t>{to.classes, count}, std::span(given.classes),
               stream_);
    cuda::copy(cuda::DeviceSpan<std::uint32_t>{to.count, 1}, std::span(&count, 1), stream_);
    exec_->launch(stream_);
    stream_.synchronize();
    return selection_.collect(stream_, copies_);
  }
  [[nodiscard]] const FaceCounts& counts() const { return selection_.counts(); }

 private:
  cuda::Stream stream_;
  cuda::DetectionBuffers candidates_;
  FaceSelection selection_;
  CopyCounter copies_;
  std::optional<cuda::GraphExec> exec_;
};

/// Compares landmarks, too: NaN, which kNoLandmarks has, equals NaN here.
void expect_equal(const Detections& found, const Detections& expected) {
  EXPECT_EQ(found.boxes, expected.boxes);
  EXPECT_EQ(found.scores, expected.scores);
  EXPECT_EQ(found.classes, expected.classes);
  ASSERT_EQ(found.landmarks.size(), expected.landmarks.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found.has_landmarks(i), expected.has_landmarks(i)) << i;
    if (!expected.has_landmarks(i)) continue;
    EXPECT_EQ(found.landmarks[i], expected.landmarks[i]) << i;
  }
}

/// Returns setups with each rule, with and without scores for each class.
std::vector<FaceSelectionSetup> setups() {
  std::vector<FaceSelectionSetup> all;
  for (const nms::NmsRule rule : {nms::NmsRule::greedy, nms::NmsRule::matrix, nms::NmsRule::fast,
                                  nms::NmsRule::soft, nms::NmsRule::groups})
    for (const std::vector<float>& over :
         {std::vector<float>{}, std::vector<float>{0.2F, 0.5F, 0.8F}}) {
      FaceSelectionSetup setup;
      setup.nms.rule = rule;
      setup.over = over;
      setup.overlaps = {0.3F, 0.5F, 0.3F};
      setup.sizes = {25, 90};
      setup.to_host = FaceDownload::all;
      all.push_back(setup);
    }
  all.push_back(all.front());
  all.back().nms.voting = true;
  return all;
}

TEST(CudaFaceSelection, OfSeveralClassesIsThatOfTheCpu) {
  for (const FaceSelectionSetup& setup : setups()) {
    SCOPED_TRACE(nms::name_of(setup.nms.rule));
    nms::ClassSuppressor cpu(setup.nms, nms::nms_capacity(setup.nms), setup.overlaps);
    OnDevice device(setup);
    unsigned seed = 1;
    for (const int count : {700, 0, 1, 3000, 20}) {
      const Detections given = random_candidates(++seed, count);
      const Detections wanted = setup.over.empty() ? given : scored_over(given, setup.over);
      const nms::NmsKept kept = cpu.run(wanted);
      const Detections expected = select_faces(wanted, kept, setup.sizes);
      expect_equal(device.run(given), expected);
      EXPECT_EQ(device.counts().candidates, wanted.size());
      EXPECT_EQ(device.counts().kept, kept.indices.size());
      EXPECT_EQ(device.counts().beyond_capacity, 0U);
      EXPECT_EQ(device.counts().faces, expected.size());
    }
  }
}

TEST(CudaFaceSelection, CountsTheCandidatesOfEachClassThatHaveNoRoom) {
  FaceSelectionSetup setup;
  setup.nms.rule = nms::NmsRule::matrix;
  setup.nms.matrix.d_max = 64;
  setup.overlaps = {0.3F, 0.3F, 0.3F};
  nms::ClassSuppressor cpu(setup.nms, 64, setup.overlaps);
  OnDevice device(setup);
  const Detections given = random_candidates(9, 500);
  const nms::NmsKept kept = cpu.run(given);
  (void)device.run(given);
  EXPECT_GT(kept.beyond_capacity, 200U);
  EXPECT_EQ(device.counts().beyond_capacity, kept.beyond_capacity);
  EXPECT_EQ(device.counts().kept, kept.indices.size());
}

TEST(CudaFaceSelection, NeedsAValueForEachClass) {
  const cuda::DetectionBuffers with_classes(10, {true, true});
  const cuda::DetectionBuffers of_one_class(10, {true, false});
  const auto refused = [](const FaceSelectionSetup& setup, const cuda::DetectionBuffers& from) {
    test::expect_error(ErrorKind::internal, "each class needs its",
                       [&] { const FaceSelection selection(setup, from.view()); });
  };
  FaceSelectionSetup setup;
  refused(setup, with_classes);
  setup.overlaps = {0.3F, 0.3F};
  refused(setup, of_one_class);
  setup.over = {0.5F};
  refused(setup, with_classes);
}

}  // namespace
}  // namespace facepipe::pipeline
