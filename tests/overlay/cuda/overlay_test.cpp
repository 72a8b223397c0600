// These tests compare the overlay drawn on the device with that drawn on the host. All bytes must
// be equal, including the padding.
#include "overlay/cuda/overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>

#include "core/cuda/graph.h"
#include "core/frame_record.h"
#include "pipeline/cuda/descriptor.h"
#include "pipeline/cuda/faces.h"
#include "tests/overlay/cuda/same_bytes.h"
#include "tests/support/expect_error.h"
#include "video/cuda/pictures.h"

namespace facepipe::overlay {
namespace {

using test::FrameSpec;

constexpr OverlayStyle kEverything{true, true, true, true, true};
const std::vector<PixelFormat> kFormats{
    {true, 1, 1, 8, 0, true},   // NV12
    {true, 1, 1, 10, 6, true},  // P010
    {true, 1, 1, 12, 4, true},  // P012
    {true, 1, 1, 16, 0, true},  // P016
};

class Uploaded {
 public:
  Uploaded(const Detections& faces, std::uint32_t capacity, cuda::StreamView stream)
      : buffers_(capacity, faces.has_landmarks()) {
    const cuda::DeviceDetections to = buffers_.view();
    const auto size = static_cast<std::uint32_t>(faces.size());
    cuda::copy(cuda::DeviceSpan<Box>{to.boxes, size}, std::span(faces.boxes), stream);
    cuda::copy(cuda::DeviceSpan<float>{to.scores, size}, std::span(faces.scores), stream);
    cuda::copy(cuda::DeviceSpan<Landmarks>{to.landmarks, size}, std::span(faces.landmarks), stream);
    cuda::copy(cuda::DeviceSpan<std::uint32_t>{to.count, 1}, std::span(&size, 1), stream);
    stream.synchronize();
  }
  [[nodiscard]] cuda::DeviceDetections view() const { return buffers_.view(); }

 private:
  cuda::DetectionBuffers buffers_;
};

using Tracks = std::vector<std::int64_t>;

void expect_as_on_the_host(const FrameSpec& spec, const Detections& faces,
                           const OverlayStyle& style, unsigned seed, const Tracks& tracks = {}) {
  const cuda::Stream stream;
  Frame host = test::make_noise_frame(spec, seed);
  const test::DeviceFrame device(host, stream);
  const Uploaded uploaded(faces, static_cast<std::uint32_t>(faces.size()) + 3, stream);
  FrameDescriptor descriptor;
  pipeline::describe_picture(device.frame(), descriptor);
  const auto at = test::on_device<FrameDescriptor>(std::span(&descriptor, 1), stream);
  const CudaOverlay overlay(
      {spec.size, spec.format, spec.orientation, style, uploaded.view().capacity});
  const cuda::DeviceBuffer<std::int64_t> ids = cuda::uploaded(tracks, stream);
  overlay.enqueue(at.data(), uploaded.view(), stream, ids.data());
  draw_overlay(host, faces, style, tracks);
  test::expect_same_bytes(host, device, stream);
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int integer(int low, int high) {  // from low to high, both included
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }
  float real(float low, float high) {
    return low + (high - low) * static_cast<float>(engine_()) / 4294967296.0F;
  }
  bool one_in(int n) { return integer(1, n) == 1; }

 private:
  std::mt19937 engine_;
};

/// Returns faces with random boxes. Most are normal; some are far outside, and some contain NaN or
/// infinity.
Detections random_faces(Random& random, Size upright, int count, float largest) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const auto w = static_cast<float>(upright.width);
  const auto h = static_cast<float>(upright.height);
  Detections faces;
  for (int i = 0; i < count; ++i) {
    Box box;
    box.x1 = random.real(-0.2F * w, 1.1F * w);
    box.y1 = random.real(-0.2F * h, 1.1F * h);
    box.x2 = box.x1 + random.real(0, largest * w);
    box.y2 = box.y1 + random.real(0, largest * h);
    if (random.one_in(20)) box.x1 = kNan;
    if (random.one_in(20)) box.y2 = kNan;
    if (random.one_in(20)) box.x2 = kInfinity;
    if (random.one_in(20)) box.y1 = -1e30F;
    if (random.one_in(20)) std::swap(box.x1, box.x2);
    Landmarks points;
    for (Point& point : points) point = {random.real(-5, w + 5), random.real(-5, h + 5)};
    if (random.one_in(10)) points[2].x = kNan;
    if (random.one_in(10)) points = kNoLandmarks;  // as what a model without landmarks finds
    float score = random.real(0, 1);
    if (random.one_in(10)) score = static_cast<float>(random.integer(0, 200)) / 200.0F;
    if (random.one_in(30)) score = random.one_in(2) ? kNan : 7.0F;
    faces.push_back(box, score, points);
  }
  return faces;
}

/// Returns random track numbers with few digits or with the most possible digits. Some faces have
/// no track.
Tracks random_tracks(Random& random, std::size_t faces) {
  Tracks tracks(faces);
  for (std::int64_t& track : tracks) {
    track = random.one_in(4) ? random.integer(0, 9) : random.integer(10, 99'999);
    if (random.one_in(20)) track = std::numeric_limits<std::int64_t>::max() - random.integer(0, 9);
    if (random.one_in(5)) track = kNoTrack;
  }
  return tracks;
}

FrameSpec random_spec(Random& random) {
  FrameSpec spec;
  spec.format = kFormats[static_cast<std::size_t>(random.integer(0, 3))];
  spec.size = {random.integer(1, 420), random.integer(1, 300)};
  spec.orientation = test::all_orientations()[static_cast<std::size_t>(random.integer(0, 7))];
  spec.color.full_range = random.one_in(3);
  constexpr std::array kMatrices{1, 2, 5, 9};
  spec.color.matrix = kMatrices[static_cast<std::size_t>(random.integer(0, 3))];
  if (random.one_in(3)) spec.field_order = FieldOrder::top_first;
  return spec;
}

OverlayStyle random_style(Random& random) {
  OverlayStyle style;
  for (const OverlayPart& part : kOverlayParts) style.*part.drawn = random.one_in(2);
  return style;
}

std::string text_of(const FrameSpec& spec, std::size_t faces, const OverlayStyle& style) {
  std::string text = std::to_string(spec.size.width) + "x" + std::to_string(spec.size.height) +
                     ", " + std::to_string(spec.format.bits) + " bits, turned " +
                     std::to_string(spec.orientation.quarter_turns) +
                     (spec.orientation.mirrored ? " mirrored" : "") +
                     (spec.field_order != FieldOrder::progressive ? " interlaced" : "") +
                     ", faces " + std::to_string(faces) + ", style";
  for (const OverlayPart& part : kOverlayParts)
    if (style.*part.drawn) text += " " + std::string(part.name);
  return text;
}

TEST(CudaOverlay, RandomFramesAreDrawnAsOnTheHost) {
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const FrameSpec spec = random_spec(random);
    const OverlayStyle style = seed % 3 == 0 ? kEverything : random_style(random);
    const Size upright = upright_size(spec.size, spec.orientation);
    const int count = random.one_in(4) ? random.integer(0, 2) : random.integer(3, 60);
    const Detections faces = random_faces(random, upright, count, 0.5F);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text_of(spec, faces.size(), style));
    const Tracks tracks = random_tracks(random, random.one_in(8) ? 0 : faces.size());
    ASSERT_NO_FATAL_FAILURE(expect_as_on_the_host(spec, faces, style, seed, tracks));
  }
}

// There are more faces than threads in a block, than blocks in a launch, and than occluders that
// one step compares.
TEST(CudaOverlay, CrowdsAreDrawnAsOnTheHost) {
  for (const int count : {127, 128, 129, 700, 3000}) {
    Random random(static_cast<unsigned>(count));
    FrameSpec spec;
    spec.format = kFormats[static_cast<std::size_t>(count) % 4];
    spec.size = {1280, 718};
    spec.orientation = {count % 4, count % 2 == 0};
    const Size upright = upright_size(spec.size, spec.orientation);
    const Detections faces = random_faces(random, upright, count, 0.05F);
    SCOPED_TRACE(text_of(spec, faces.size(), kEverything));
    const Tracks tracks = random_tracks(random, faces.size());
    ASSERT_NO_FATAL_FAILURE(expect_as_on_the_host(spec, faces, kEverything, 1, tracks));
  }
}

TEST(CudaOverlay, FacesWithoutLandmarksAreDrawnAsOnTheHost) {
  Detections faces;
  faces.push_back({20, 30, 90, 110}, 0.9F);
  faces.push_back({60, 50, 140, 150}, 0.4F);
  expect_as_on_the_host({kFormats[0], {320, 240}}, faces, kEverything, 5);
}

TEST(CudaOverlay, IdsAloneAreDrawnAsOnTheHost) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const FrameSpec spec = random_spec(random);
    const Detections faces =
        random_faces(random, upright_size(spec.size, spec.orientation), 30, 0.5F);
    const OverlayStyle style{.boxes = seed % 2 == 0, .ids = true};
    const Tracks tracks = random_tracks(random, faces.size());
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + text_of(spec, faces.size(), style));
    ASSERT_NO_FATAL_FAILURE(expect_as_on_the_host(spec, faces, style, seed, tracks));
  }
}

TEST(CudaOverlay, EveryLabelOnTheSamePlaceShowsTheFirst) {
  Detections faces;
  for (int i = 0; i < 300; ++i)
    faces.push_back({40, 50, 90, 110}, 1.0F - static_cast<float>(i) / 300.0F, {});
  for (const PixelFormat& format : kFormats)
    ASSERT_NO_FATAL_FAILURE(expect_as_on_the_host({format, {161, 181}}, faces, kEverything, 1));
}

TEST(CudaOverlay, LargePicturesAreDrawnAsOnTheHost) {
  for (const Size size : {Size{3840, 2160}, Size{8192, 4320}, Size{9000, 9000}}) {
    Random random(5);
    const FrameSpec spec{kFormats[0], size};
    const Detections faces = random_faces(random, size, 90, 0.1F);
    const Tracks tracks = random_tracks(random, faces.size());
    ASSERT_NO_FATAL_FAILURE(expect_as_on_the_host(spec, faces, kEverything, 1, tracks));
  }
}

// The same CUDA graph gets other faces and another picture, as for frames of a video.
TEST(CudaOverlay, CapturedWorkFollowsDescriptorAndFaces) {
  const cuda::Stream stream;
  const CudaOverlay overlay({{200, 120}, kFormats[0], {}, kEverything, 50});
  pipeline::DescriptorUpload descriptor;
  const cuda::DetectionBuffers buffers(50);
  const cuda::Graph graph = cuda::capture(stream, [&] {
    descriptor.enqueue(stream);
    overlay.enqueue(descriptor.device(), buffers.view(), stream);
  });
  EXPECT_EQ(graph.nodes(), 4U);
  const cuda::GraphExec exec(graph);
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    FrameSpec spec{kFormats[0], {200, 120}};
    if (seed % 2 == 0) spec.field_order = FieldOrder::bottom_first;
    Frame host = test::make_noise_frame(spec, seed);
    const test::DeviceFrame device(host, stream);
    const Detections faces = random_faces(random, spec.size, random.integer(0, 50), 0.4F);
    const Uploaded uploaded(faces, 50, stream);
    pipeline::describe_picture(device.frame(), descriptor.host());
    const auto to_buffers = [&](auto* to, const auto* from, std::size_t count) {
      ASSERT_EQ(cudaMemcpyAsync(to, from, count * sizeof(*to), cudaMemcpyDeviceToDevice,
                                stream.view().get()),
                cudaSuccess);
    };
    to_buffers(buffers.view().boxes, uploaded.view().boxes, 50);
    to_buffers(buffers.view().scores, uploaded.view().scores, 50);
    to_buffers(buffers.view().landmarks, uploaded.view().landmarks, 50);
    to_buffers(buffers.view().count, uploaded.view().count, 1);
    exec.launch(stream);
    draw_overlay(host, faces, kEverything);
    ASSERT_NO_FATAL_FAILURE(test::expect_same_bytes(host, device, stream)) << seed;
  }
}

TEST(CudaOverlay, ACountBeyondTheCapacityDrawsWhatThereIs) {
  const cuda::Stream stream;
  Random random(3);
  const FrameSpec spec{kFormats[0], {160, 120}};
  Detections faces = random_faces(random, spec.size, 12, 0.4F);
  const Uploaded uploaded(faces, 12, stream);
  const std::uint32_t more = 40;
  cuda::copy(cuda::DeviceSpan<std::uint32_t>{uploaded.view().count, 1}, std::span(&more, 1),
             stream);
  Frame host = test::make_noise_frame(spec, 1);
  const test::DeviceFrame device(host, stream);
  FrameDescriptor descriptor;
  pipeline::describe_picture(device.frame(), descriptor);
  const auto at = test::on_device<FrameDescriptor>(std::span(&descriptor, 1), stream);
  const CudaOverlay overlay({spec.size, spec.format, {}, kEverything, 12});
  overlay.enqueue(at.data(), uploaded.view(), stream);
  draw_overlay(host, faces, kEverything);
  test::expect_same_bytes(host, device, stream);
}

TEST(CudaOverlay, RefusesWhatItCantDraw) {
  test::expect_error(ErrorKind::internal, "semi-planar 4:2:0", [] {
    CudaOverlay({{16, 16}, {false, 1, 1, 8, 0, true}, {}, {}, 1});
  });
  test::expect_error(ErrorKind::internal, "semi-planar 4:2:0", [] {
    CudaOverlay({{16, 16}, {true, 1, 0, 8, 0, true}, {}, {}, 1});
  });
  const cuda::Stream stream;
  const CudaOverlay overlay({{16, 16}, kFormats[0], {}, {}, 1});
  const cuda::DetectionBuffers one(1);
  const cuda::DetectionBuffers two(2);
  const cuda::DeviceBuffer<FrameDescriptor> descriptor(1);
  test::expect_error(ErrorKind::internal, "an array is missing",
                     [&] { overlay.enqueue(nullptr, one.view(), stream); });
  test::expect_error(ErrorKind::internal, "an array is missing",
                     [&] { overlay.enqueue(descriptor.data(), {}, stream); });
  test::expect_error(ErrorKind::internal, "the capacity of the faces",
                     [&] { overlay.enqueue(descriptor.data(), two.view(), stream); });
}

}  // namespace
}  // namespace facepipe::overlay
