// These tests compare faces that the device selects with select_faces() on the host.
#include "pipeline/cuda/faces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/cuda/graph.h"
#include "tests/pipeline/cuda/device_frame.h"
#include "tests/support/expect_error.h"

namespace facepipe::pipeline {
namespace {

struct Case {
  Detections candidates;
  std::vector<std::uint32_t> indices;
  std::vector<Box> boxes;     // a box for each index, or empty
  std::vector<float> scores;  // a score for each index, or empty
  std::uint32_t beyond_capacity = 0;
};

Case random_case(unsigned seed, std::uint32_t candidates, bool voting, bool soft) {
  std::mt19937 random(seed);
  const auto real = [&](float high) { return high * static_cast<float>(random() % 100000) / 1e5F; };
  const auto box = [&] {
    const Box made{real(900), real(700), 0, 0};
    return Box{made.x1, made.y1, made.x1 + real(80), made.y1 + real(80)};
  };
  Case made;
  for (std::uint32_t i = 0; i < candidates; ++i) {
    Landmarks points;
    for (Point& point : points) point = {real(1000), real(1000)};
    made.candidates.push_back(box(), real(1), points);
    if (random() % 3 != 0) made.indices.push_back(i);
  }
  std::shuffle(made.indices.begin(), made.indices.end(), random);
  for (std::size_t i = 0; voting && i < made.indices.size(); ++i) made.boxes.push_back(box());
  for (std::size_t i = 0; soft && i < made.indices.size(); ++i) made.scores.push_back(real(1));
  made.beyond_capacity = static_cast<std::uint32_t>(random() % 5);
  return made;
}

/// Returns a case whose candidates have the classes 0, 1 and 2.
Case case_with_classes(std::uint32_t candidates) {
  Case made = random_case(candidates + 11, candidates, false, false);
  for (std::uint32_t i = 0; i < candidates; ++i)
    made.candidates.classes.push_back(static_cast<std::uint16_t>((i * 7 + 2) % 3));
  return made;
}

/// Copies detections to device memory and waits for the copy.
void put(const Detections& from, const cuda::DeviceDetections& to, cuda::StreamView stream) {
  const auto count = static_cast<std::uint32_t>(from.size());
  cuda::copy(cuda::DeviceSpan<Box>{to.boxes, count}, std::span(from.boxes), stream);
  cuda::copy(cuda::DeviceSpan<float>{to.scores, count}, std::span(from.scores), stream);
  cuda::copy(cuda::DeviceSpan<Landmarks>{to.landmarks, count}, std::span(from.landmarks), stream);
  cuda::copy(cuda::DeviceSpan<std::uint16_t>{to.classes, count}, std::span(from.classes), stream);
  cuda::copy(cuda::DeviceSpan<std::uint32_t>{to.count, 1}, std::span(&count, 1), stream);
  stream.synchronize();
}

cuda::DetectionFields fields_of(const Detections& candidates) {
  return {candidates.has_landmarks(), !candidates.classes.empty()};
}

/// Holds a case in device memory and the result of the device.
class OnDevice {
 public:
  OnDevice(const Case& given, std::uint32_t capacity, std::uint32_t face_capacity,
           FaceDownload wanted)
      : stored_(capacity, fields_of(given.candidates)),
        faces_(face_capacity, fields_of(given.candidates)),
        indices_(capacity),
        boxes_(capacity),
        scores_(capacity),
        kept_counts_(2),
        counts_(1),
        download_(counts_.data(), faces_.view(), wanted) {
    pipeline::put(given.candidates, stored_.view(), stream_);
    put(indices_.data(), given.indices);
    put(boxes_.data(), given.boxes);
    put(scores_.data(), given.scores);
    put(kept_counts_.data(),
        std::vector{static_cast<std::uint32_t>(given.indices.size()), given.beyond_capacity});
    kept_ = {indices_.data(), kept_counts_.data(), kept_counts_.data() + 1,
             given.boxes.empty() ? nullptr : boxes_.data(),
             given.scores.empty() ? nullptr : scores_.data()};
    stream_.synchronize();
  }

  Detections run(const FaceSizes& sizes) {
    const cuda::GraphExec exec(cuda::capture(stream_, [&] {
      enqueue_faces(stored_.view(), kept_, sizes, faces_.view(), counts_.data(), stream_);
      download_.enqueue(stream_);
    }));
    exec.launch(stream_);
    stream_.synchronize();
    return download_.collect(stream_, copies_);
  }
  /// Sets the numbers of candidates that `stored` has found, and that were lost before.
  void set_counts(std::uint32_t found, std::uint32_t lost) {
    put(stored_.view().count, std::vector{found});
    put(stored_.view().lost, std::vector{lost});
  }
  [[nodiscard]] const FaceCounts& counts() const { return download_.counts(); }
  [[nodiscard]] const CopyCounter& copies() const { return copies_; }

 private:
  template <class T>
  void put(T* to, const std::vector<T>& from) {
    cuda::copy(cuda::DeviceSpan<T>{to, from.size()}, std::span(from), stream_);
    stream_.synchronize();
  }

  cuda::Stream stream_;
  cuda::DetectionBuffers stored_;
  cuda::DetectionBuffers faces_;
  cuda::DeviceBuffer<std::uint32_t> indices_;
  cuda::DeviceBuffer<Box> boxes_;
  cuda::DeviceBuffer<float> scores_;
  cuda::DeviceBuffer<std::uint32_t> kept_counts_;
  cuda::DeviceBuffer<FaceCounts> counts_;
  CopyCounter copies_;
  FacesDownload download_;
  nms::DeviceKept kept_;
};

void expect_equal(const Detections& found, const Detections& expected) {
  EXPECT_EQ(found.boxes, expected.boxes);
  EXPECT_EQ(found.scores, expected.scores);
  EXPECT_EQ(found.landmarks, expected.landmarks);
  EXPECT_EQ(found.classes, expected.classes);
}

TEST(CudaFaces, AreThoseThatTheHostSelects) {
  const std::vector<FaceSizes> sizes{{0, 0}, {20, 0}, {0, 60}, {25.5, 61.25}, {100, 0}};
  for (const std::uint32_t candidates : {0U, 1U, 31U, 500U, 1025U, 5000U})
    for (const bool voting : {false, true})
      for (const bool soft : {false, true})
        for (const FaceSizes& wanted : sizes) {
          const Case given = random_case(candidates + 1, candidates, voting, soft);
          const Detections expected = select_faces(
              given.candidates, {given.indices, given.boxes, given.scores, given.beyond_capacity},
              wanted);
          OnDevice device(given, candidates + 2, candidates + 2, FaceDownload::all);
          SCOPED_TRACE(std::to_string(candidates) + " candidates");
          expect_equal(device.run(wanted), expected);
          EXPECT_EQ(device.counts().candidates, candidates);
          EXPECT_EQ(device.counts().kept, given.indices.size());
          EXPECT_EQ(device.counts().beyond_capacity, given.beyond_capacity);
          EXPECT_EQ(device.counts().faces, expected.size());
        }
}

TEST(CudaFaces, WithoutLandmarksAreThoseThatTheHostSelects) {
  for (const std::uint32_t candidates : {1U, 700U, 3000U}) {
    Case given = random_case(candidates, candidates, false, false);
    given.candidates.landmarks.clear();
    const FaceSizes wanted{10, 70};
    const Detections expected = select_faces(given.candidates, {given.indices, {}, {}, 0}, wanted);
    EXPECT_FALSE(expected.has_landmarks());
    OnDevice device(given, candidates, candidates, FaceDownload::all);
    expect_equal(device.run(wanted), expected);
    EXPECT_EQ(device.counts().faces, expected.size());
    const CopyTotal copied = device.copies().total(CopyKind::faces);
    EXPECT_EQ(copied.calls % 2, 0) << "boxes and scores alone";
    const std::size_t copies =
        std::max(expected.size(), std::size_t{std::min(candidates, FacesDownload::kEager)});
    EXPECT_EQ(copied.bytes, static_cast<std::int64_t>(copies * (sizeof(Box) + sizeof(float))));
  }
}

TEST(CudaFaces, WithoutRoomTheBestStayAndAllAreCounted) {
  const Case given = random_case(7, 3000, false, false);
  const Detections expected = select_faces(given.candidates, {given.indices, {}, {}, 0}, {10, 0});
  OnDevice device(given, 3000, 100, FaceDownload::all);
  const Detections found = device.run({10, 0});
  ASSERT_EQ(found.size(), 100U);
  EXPECT_TRUE(std::equal(found.boxes.begin(), found.boxes.end(), expected.boxes.begin()));
  EXPECT_EQ(device.counts().faces, expected.size());
}

TEST(CudaFaces, CopiesAreCounted) {
  constexpr std::int64_t kFace = sizeof(Box) + sizeof(float) + sizeof(Landmarks);
  const Case given = random_case(9, 2000, false, false);
  OnDevice alone(given, 2000, 2000, FaceDownload::none);
  EXPECT_EQ(alone.run({}).size(), 0U);
  EXPECT_EQ(alone.counts().faces, given.indices.size());
  EXPECT_EQ(alone.copies().total(CopyKind::counts), (CopyTotal{1, sizeof(FaceCounts)}));
  EXPECT_EQ(alone.copies().total(CopyKind::faces), (CopyTotal{0, 0}));
  OnDevice all(given, 2000, 2000, FaceDownload::all);
  const auto found = static_cast<std::int64_t>(all.run({}).size());
  ASSERT_GT(found, FacesDownload::kEager);
  EXPECT_EQ(all.copies().total(CopyKind::faces), (CopyTotal{6, found * kFace}));
}

TEST(CudaFaces, OfPlacesAloneComeInOneCopyEach) {
  const Case given = random_case(9, 3000, false, false);
  OnDevice device(given, 3000, 3000, FaceDownload::places);
  Detections expected = select_faces(given.candidates, {given.indices, {}, {}, 0}, {});
  expected.landmarks.clear();
  expect_equal(device.run({}), expected);
  ASSERT_GT(expected.size(), FacesDownload::kEager);
  EXPECT_EQ(device.copies().total(CopyKind::faces), (CopyTotal{2, 3000 * 20}));
}

TEST(CudaFaces, OfScoresOverABoundAreThoseCandidatesInTheirOrder) {
  const cuda::Stream stream;
  for (const std::uint32_t candidates : {0U, 1U, 31U, 1024U, 1025U, 5000U})
    for (const bool landmarks : {true, false})
      for (const float score : {-1.0F, 0.25F, 0.9F, 2.0F}) {
        Case given = random_case(candidates + 3, candidates, false, false);
        if (!landmarks) given.candidates.landmarks.clear();
        // This score equals the bound, so it doesn't exceed it.
        if (candidates > 2) given.candidates.scores[2] = score;
        const cuda::DetectionBuffers from(candidates + 5, landmarks);
        const cuda::DetectionBuffers to(candidates + 5, landmarks);
        put(given.candidates, from.view(), stream);
        const auto scores = cuda::uploaded(std::vector{score}, stream);
        enqueue_scored_over(from.view(), scores.data(), to.view(), stream);
        const Detections expected = scored_over(given.candidates, score);
        SCOPED_TRACE(std::to_string(candidates) + " candidates over " + std::to_string(score));
        expect_equal(cuda::download(to.view(), stream), expected);
      }
}

TEST(CudaFaces, OfScoresOverABoundAreLookedForAmongThoseThatThereWasRoomFor) {
  const cuda::Stream stream;
  const Case given = random_case(5, 40, false, false);
  const cuda::DetectionBuffers from(40);
  const cuda::DetectionBuffers to(64);
  put(given.candidates, from.view(), stream);
  const std::uint32_t more = 60;
  cuda::copy(cuda::DeviceSpan<std::uint32_t>{from.view().count, 1}, std::span(&more, 1), stream);
  const std::uint32_t lost = 3;
  cuda::copy(cuda::DeviceSpan<std::uint32_t>{from.view().lost, 1}, std::span(&lost, 1), stream);
  const auto scores = cuda::uploaded(std::vector{-1.0F}, stream);
  enqueue_scored_over(from.view(), scores.data(), to.view(), stream);
  expect_equal(cuda::download(to.view(), stream), given.candidates);
  std::uint32_t all_lost = 0;
  cuda::copy(std::span(&all_lost, 1), cuda::DeviceSpan<const std::uint32_t>{to.view().lost, 1},
             stream);
  stream.synchronize();
  EXPECT_EQ(all_lost, 20U + 3U);
}

TEST(CudaFaces, OfScoresOverTheBoundOfTheirClassAreThoseThatTheHostFinds) {
  const cuda::Stream stream;
  const std::vector<float> bounds{0.5F, 0.2F, 0.9F};
  const auto scores = cuda::uploaded(bounds, stream);
  for (const std::uint32_t candidates : {0U, 1U, 1025U, 5000U}) {
    const Case given = case_with_classes(candidates);
    const cuda::DetectionBuffers from(candidates + 5, {true, true});
    const cuda::DetectionBuffers to(candidates + 5, {true, true});
    put(given.candidates, from.view(), stream);
    enqueue_scored_over(from.view(), scores.data(), to.view(), stream);
    expect_equal(cuda::download(to.view(), stream), scored_over(given.candidates, bounds));
  }
}

TEST(CudaFaces, KeepTheirClasses) {
  for (const std::uint32_t candidates : {1U, 500U, 3000U})
    for (const FaceDownload wanted : {FaceDownload::places, FaceDownload::all}) {
      const Case given = case_with_classes(candidates);
      Detections expected = select_faces(given.candidates, {given.indices, {}, {}, 0}, {10, 0});
      if (wanted == FaceDownload::places) expected.landmarks.clear();
      OnDevice device(given, candidates, candidates, wanted);
      expect_equal(device.run({10, 0}), expected);
    }
}

TEST(CudaFaces, OfTheFirstClassAloneHaveNoClassesAsOnTheHost) {
  Case given = case_with_classes(300);
  given.candidates.classes.assign(300, 0);
  OnDevice device(given, 300, 300, FaceDownload::all);
  EXPECT_THAT(device.run({}).classes, testing::IsEmpty());
}

TEST(CudaFaces, CountWhatWasLostBefore) {
  Case given = case_with_classes(300);
  given.beyond_capacity = 7;
  OnDevice device(given, 300, 300, FaceDownload::none);
  device.set_counts(320, 5);
  (void)device.run({});
  EXPECT_EQ(device.counts().candidates, 325U);
  EXPECT_EQ(device.counts().beyond_capacity, 7U + 20U + 5U)
      << "suppression of each class doesn't see the 20 that have no room";
  given.candidates.classes.clear();
  OnDevice one_class(given, 300, 300, FaceDownload::none);
  one_class.set_counts(320, 5);
  (void)one_class.run({});
  EXPECT_EQ(one_class.counts().beyond_capacity, 7U + 5U) << "suppression has counted the 20";
}

TEST(CudaFaces, RefusesToLeaveCandidatesOut) {
  const cuda::Stream stream;
  const cuda::DetectionBuffers some(4);
  const cuda::DetectionBuffers bare(4, false);
  const cuda::DetectionBuffers classes(4, {true, true});
  const auto scores = cuda::uploaded(std::vector{0.0F}, stream);
  const auto refused = [&](const cuda::DeviceDetections& from, const cuda::DeviceDetections& to) {
    test::expect_error(ErrorKind::internal, "enqueue_scored_over",
                       [&] { enqueue_scored_over(from, scores.data(), to, stream); });
  };
  test::expect_error(ErrorKind::internal, "enqueue_scored_over",
                     [&] { enqueue_scored_over(some.view(), nullptr, some.view(), stream); });
  refused(some.view(), classes.view());
  refused({}, some.view());
  refused(some.view(), {});
  refused(bare.view(), some.view());
  refused(some.view(), cuda::DetectionBuffers(3).view());
}

TEST(CudaFaces, RefusesMissingArrays) {
  const cuda::Stream stream;
  const cuda::DetectionBuffers some(4);
  const cuda::DeviceBuffer<std::uint32_t> words(6);
  const cuda::DeviceBuffer<FaceCounts> counts(1);
  const nms::DeviceKept kept{words.data(), words.data() + 4, words.data() + 5, nullptr, nullptr};
  const auto refused = [&](const cuda::DeviceDetections& from, const nms::DeviceKept& of,
                           const cuda::DeviceDetections& to, FaceCounts* into) {
    test::expect_error(ErrorKind::internal, "an array is missing",
                       [&] { enqueue_faces(from, of, {}, to, into, stream); });
  };
  refused({}, kept, some.view(), counts.data());
  refused(some.view(), {}, some.view(), counts.data());
  refused(some.view(), kept, {}, counts.data());
  refused(some.view(), kept, some.view(), nullptr);
  refused(cuda::DetectionBuffers(4, false).view(), kept, some.view(), counts.data());
}

}  // namespace
}  // namespace facepipe::pipeline
