// These tests check how the kernels combine candidates of the several runs for a tiled picture.
#include "detector/cnn/cuda/tile_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/cuda/buffer.h"
#include "core/turning.h"
#include "tests/support/expect_error.h"

namespace facepipe::detector {
namespace {

constexpr float kAnywhere = 1e30F;

/// Holds a list of candidates in device memory, with room for `capacity` candidates.
struct DeviceList {
  explicit DeviceList(std::uint32_t capacity)
      : boxes(capacity),
        scores(capacity),
        landmarks(capacity),
        count(1),
        classes(capacity),
        lost(1) {}

  void fill(const Detections& with, std::uint32_t total, cuda::StreamView stream,
            std::uint32_t lost_before = 0) const {
    cuda::copy(classes.span(), std::span<const std::uint16_t>(with.classes), stream);
    cuda::copy(lost.span(), std::span<const std::uint32_t>(&lost_before, 1), stream);
    cuda::copy(boxes.span(), std::span<const Box>(with.boxes), stream);
    cuda::copy(scores.span(), std::span<const float>(with.scores), stream);
    cuda::copy(landmarks.span(), std::span<const Landmarks>(with.landmarks), stream);
    cuda::copy(count.span(), std::span<const std::uint32_t>(&total, 1), stream);
    cudaStreamSynchronize(stream.get());
  }
  [[nodiscard]] cuda::DeviceDetections view() const {
    return {boxes.data(),
            scores.data(),
            landmarks.data(),
            count.data(),
            static_cast<std::uint32_t>(boxes.size()),
            nullptr,
            lost.data()};
  }
  [[nodiscard]] cuda::DeviceDetections view_with_classes() const {
    cuda::DeviceDetections all = view();
    all.classes = classes.data();
    return all;
  }
  [[nodiscard]] std::uint32_t total(cuda::StreamView stream) const { return number(count, stream); }
  [[nodiscard]] std::uint32_t all_lost(cuda::StreamView stream) const {
    return number(lost, stream);
  }
  [[nodiscard]] static std::uint32_t number(const cuda::DeviceBuffer<std::uint32_t>& from,
                                            cuda::StreamView stream) {
    std::uint32_t result = 0;
    cuda::copy(std::span<std::uint32_t>(&result, 1), from.span(), stream);
    cudaStreamSynchronize(stream.get());
    return result;
  }

  cuda::DeviceBuffer<Box> boxes;
  cuda::DeviceBuffer<float> scores;
  cuda::DeviceBuffer<Landmarks> landmarks;
  cuda::DeviceBuffer<std::uint32_t> count;
  cuda::DeviceBuffer<std::uint16_t> classes;
  cuda::DeviceBuffer<std::uint32_t> lost;
};

constexpr Box kAll{-kAnywhere, -kAnywhere, kAnywhere, kAnywhere};

/// Returns `count` boxes in a row. Their left edges are 10 pixels apart.
Detections row_of_boxes(int count) {
  Detections all;
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<float>(10 * i);
    Landmarks points;
    points.fill({x + 1, 2});
    all.push_back({x, 0, x + 5, 5}, static_cast<float>(i), points);
  }
  return all;
}

TEST(CudaTileKernels, AppendThoseKeptInOrderAndMoved) {
  const cuda::Stream stream;
  DeviceList from(1000);
  DeviceList to(2000);
  from.fill(row_of_boxes(1000), 700, stream);
  to.fill(row_of_boxes(2000), 3, stream);
  engine::launch_append(from.view(), to.view(), {105, -kAnywhere, 6000, kAnywhere}, {32, 64},
                        stream);
  // Boxes 11 to 599 are within x = 105 and x = 6000.
  ASSERT_EQ(to.total(stream), 3U + 589U);
  const Detections result = cuda::download(to.view(), stream);
  for (std::size_t i = 3; i < result.size(); ++i) {
    const auto x = static_cast<float>(10 * (i + 8));
    ASSERT_EQ(result.boxes[i], (Box{x + 32, 64, x + 37, 69})) << i;
    ASSERT_EQ(result.scores[i], static_cast<float>(i + 8));
    ASSERT_EQ(result.landmarks[i][4], (Point{x + 33, 66}));
  }
  EXPECT_EQ(result.scores[2], 2) << "what was there stays";
}

TEST(CudaTileKernels, AppendCountsWhatThereIsNoRoomFor) {
  const cuda::Stream stream;
  DeviceList from(100);
  DeviceList to(150);
  from.fill(row_of_boxes(100), 130, stream, 4);
  to.fill(row_of_boxes(150), 90, stream, 2);
  engine::launch_append(from.view(), to.view(), kAll, {0, 0}, stream);
  EXPECT_EQ(to.total(stream), 190U);
  EXPECT_EQ(to.all_lost(stream), 2U + 4U + 30U);
  const Detections result = cuda::download(to.view(), stream);
  ASSERT_EQ(result.size(), 150U);
  EXPECT_EQ(result.scores[149], 59);
}

TEST(CudaTileKernels, AppendLeavesNoGapForWhatWasLost) {
  const cuda::Stream stream;
  DeviceList from(100);
  DeviceList to(400);
  from.fill(row_of_boxes(100), 130, stream);
  to.fill({}, 0, stream);
  // The boxes 10 to 99 are kept each time.
  for (int i = 0; i < 2; ++i)
    engine::launch_append(from.view(), to.view(), {100, -kAnywhere, kAnywhere, kAnywhere}, {0, 0},
                          stream);
  EXPECT_EQ(to.total(stream), 180U);
  EXPECT_EQ(to.all_lost(stream), 60U);
  const Detections result = cuda::download(to.view(), stream);
  EXPECT_EQ(result.scores[89], 99);
  EXPECT_EQ(result.scores[90], 10);
}

TEST(CudaTileKernels, AppendAddsToTheClasses) {
  const cuda::Stream stream;
  Detections found = row_of_boxes(600);
  for (std::size_t i = 0; i < found.size(); ++i)
    found.classes.push_back(static_cast<std::uint16_t>(i % 3));
  DeviceList from(600);
  DeviceList to(2000);
  from.fill(found, 600, stream);
  to.fill({}, 0, stream);
  engine::launch_append(from.view(), to.view_with_classes(), kAll, {0, 0}, stream);
  engine::launch_append(from.view_with_classes(), to.view_with_classes(), kAll, {0, 0}, stream, 7);
  engine::launch_append_mirrored(from.view_with_classes(), to.view_with_classes(), 100, stream);
  const Detections result = cuda::download(to.view_with_classes(), stream);
  ASSERT_EQ(result.classes.size(), 1800U);
  for (std::size_t i = 0; i < 600; ++i) {
    ASSERT_EQ(result.classes[i], 0) << "the list has no classes";
    ASSERT_EQ(result.classes[600 + i], 7 + i % 3);
    ASSERT_EQ(result.classes[1200 + i], i % 3);
  }
}

/// The sizes and the boxes have fractions of a pixel, so the device must round as the host does.
TEST(CudaTileKernels, AppendTurnsBackAsTheHostDoes) {
  const cuda::Stream stream;
  Detections found = row_of_boxes(600);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto part = static_cast<float>(i);
    found.boxes[i] = {10.3F * part, 0.7F * part, 10.3F * part + 5.1F, 0.9F * part + 7.7F};
    found.classes.push_back(static_cast<std::uint16_t>(i % 3));
  }
  DeviceList from(600);
  DeviceList to(700);
  from.fill(found, 600, stream, 4);
  for (const Size upright : {Size{6405, 31}, {37, 6001}})
    for (const int turns : {0, 1, 2, 3}) {
      to.fill(row_of_boxes(700), 1, stream, 2);
      engine::launch_append_turned_back(from.view_with_classes(), to.view_with_classes(), turns,
                                        upright, stream);
      EXPECT_EQ(to.all_lost(stream), 2U + 4U);
      const Detections result = cuda::download(to.view_with_classes(), stream);
      ASSERT_EQ(result.size(), 601U);
      EXPECT_TRUE(result.has_landmarks(0)) << "what was there stays";
      for (std::size_t i = 0; i < found.size(); ++i) {
        ASSERT_EQ(result.boxes[i + 1], turned_back(found.boxes[i], turns, upright)) << i;
        ASSERT_EQ(result.scores[i + 1], found.scores[i]);
        ASSERT_EQ(result.classes[i + 1], found.classes[i]);
        ASSERT_FALSE(result.has_landmarks(i + 1)) << i;
      }
    }
}

TEST(CudaTileKernels, AppendFillsInMissingLandmarks) {
  const cuda::Stream stream;
  DeviceList from(10);
  DeviceList to(20);
  from.fill(row_of_boxes(10), 10, stream);
  to.fill(row_of_boxes(20), 1, stream);
  cuda::DeviceDetections bare = from.view();
  bare.landmarks = nullptr;
  engine::launch_append(bare, to.view(), kAll, {5, 5}, stream);
  const Detections result = cuda::download(to.view(), stream);
  ASSERT_EQ(result.size(), 11U);
  EXPECT_TRUE(result.has_landmarks(0));
  for (std::size_t i = 1; i < result.size(); ++i) EXPECT_FALSE(result.has_landmarks(i)) << i;
}

TEST(CudaTileKernels, AppendNeedsAPlaceForWhatIsLost) {
  const cuda::Stream stream;
  const DeviceList from(10);
  const DeviceList to(20);
  cuda::DeviceDetections view = to.view();
  view.lost = nullptr;
  test::expect_error(ErrorKind::internal, "lost candidates has no place", [&] {
    engine::launch_append(from.view(), view, kAll, {0, 0}, stream);
  });
}

TEST(CudaTileKernels, AppendCandidatesWithoutLandmarks) {
  const cuda::Stream stream;
  DeviceList from(100);
  DeviceList to(100);
  from.fill(row_of_boxes(100), 2, stream);
  to.fill(row_of_boxes(100), 1, stream);
  cuda::DeviceDetections from_view = from.view();
  cuda::DeviceDetections to_view = to.view();
  from_view.landmarks = nullptr;
  to_view.landmarks = nullptr;
  engine::launch_append(from_view, to_view, kAll, {32, 64}, stream);
  const Detections result = cuda::download(to_view, stream);
  EXPECT_EQ(result.boxes, (std::vector<Box>{{0, 0, 5, 5}, {32, 64, 37, 69}, {42, 64, 47, 69}}));
  EXPECT_EQ(result.scores, (std::vector<float>{0, 0, 1}));
  EXPECT_FALSE(result.has_landmarks());
}

TEST(CudaTileKernels, ViewsBeginAtTheirSamples) {
  const cuda::Stream stream;
  const cuda::DeviceBuffer<FrameDescriptor> descriptors(2);
  FrameDescriptor picture;
  picture.luma = reinterpret_cast<std::byte*>(0x100000);
  picture.chroma = reinterpret_cast<std::byte*>(0x900000);
  picture.luma_stride = 1000;
  picture.chroma_stride = 2000;
  picture.to_rgb[2][3] = 5;
  cuda::copy(descriptors.span(), std::span<const FrameDescriptor>(&picture, 1), stream);
  FrameDescriptor both[2];
  for (const int bytes : {1, 2}) {
    engine::launch_view(descriptors.data(), descriptors.data() + 1, {64, 32}, bytes, stream);
    cuda::copy(std::span<FrameDescriptor>(both), descriptors.span(), stream);
    cudaStreamSynchronize(stream.view().get());
    EXPECT_EQ(both[1].luma, picture.luma + 32 * 1000 + 64 * bytes);
    EXPECT_EQ(both[1].chroma, picture.chroma + 16 * 2000 + 64 * bytes);
    EXPECT_EQ(both[1].chroma_stride, 2000);
    EXPECT_EQ(both[1].to_rgb[2][3], 5);
  }
}

}  // namespace
}  // namespace facepipe::detector
