// These tests compare the overlay that FaceDrawing draws on the device with the host's overlay, bit
// for bit.
#include "pipeline/cuda/face_drawing.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "core/frame_record.h"
#include "tests/overlay/cuda/same_bytes.h"
#include "tests/support/expect_error.h"
#include "video/cuda/pictures.h"

namespace facepipe::test {
namespace {

constexpr overlay::OverlayStyle kEverything{true, true, true, true, true};
constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
constexpr Size kSize{322, 243};

struct Tracked {
  Detections faces;
  std::vector<std::int64_t> tracks;
};

Tracked random_faces(unsigned seed, int count) {
  std::mt19937 random(seed);
  const auto real = [&](float high) { return high * static_cast<float>(random() % 100000) / 1e5F; };
  Tracked made;
  for (int i = 0; i < count; ++i) {
    Box box{real(300), real(220), 0, 0};
    box.x2 = box.x1 + 10 + real(80);
    box.y2 = box.y1 + 10 + real(80);
    Landmarks points;
    for (Point& point : points) point = {real(322), real(243)};
    made.faces.push_back(box, real(1), points);
    made.tracks.push_back(random() % 4 == 0 ? kNoTrack
                                            : static_cast<std::int64_t>(random() % 2000));
  }
  return made;
}

overlay::CudaOverlaySetup setup_of(const FrameSpec& spec, const overlay::OverlayStyle& style) {
  return {spec.size, spec.format, spec.orientation, style, 4096};
}

/// Returns a Frame that uses the memory of `device`. `device` must outlive it.
Frame over(const DeviceFrame& device) {
  const Frame& there = device.frame();
  Frame frame;
  frame.info() = there.info();
  frame.planes = there.planes;
  frame.format = there.format;
  frame.size = there.size;
  frame.device = there.device;
  return frame;
}

void expect_as_on_the_host(pipeline::FaceDrawing& drawing, const FrameSpec& spec,
                           const overlay::OverlayStyle& style, const Tracked& drawn,
                           unsigned seed) {
  const cuda::Stream stream;
  Frame host = make_noise_frame(spec, seed);
  const DeviceFrame device(host, stream);
  Frame frame = over(device);
  drawing.draw(frame, drawn.faces, drawn.tracks);
  ASSERT_NE(frame.ready, nullptr);
  video::hold_back_until_ready(frame, stream);
  overlay::draw_overlay(host, drawn.faces, style, drawn.tracks);
  expect_same_bytes(host, device, stream);
}

// The number of faces changes from frame to frame, and exceeds the memory that is allocated for
// faces at the start.
TEST(FaceDrawing, DrawsFrameAfterFrameAsOnTheHost) {
  CopyCounter copies;
  unsigned seed = 0;
  for (const overlay::OverlayStyle& style :
       {kEverything, overlay::OverlayStyle{.boxes = false, .ids = true},
        overlay::OverlayStyle{.landmarks = true}}) {
    const FrameSpec spec{kNv12, kSize, {1, true}};
    pipeline::FaceDrawing drawing(setup_of(spec, style), copies);
    for (const int count : {3, 0, 40, 1, 900, 7, 2500, 12}) {
      SCOPED_TRACE(count);
      ++seed;
      ASSERT_NO_FATAL_FAILURE(
          expect_as_on_the_host(drawing, spec, style, random_faces(seed, count), seed));
    }
  }
  EXPECT_EQ(copies.total(CopyKind::drawing).calls, 24);
  EXPECT_EQ(copies.total(CopyKind::descriptor).calls, 0);
}

TEST(FaceDrawing, DrawsFacesWithoutTracksOrLandmarks) {
  CopyCounter copies;
  const FrameSpec spec{{true, 1, 1, 10, 6, true}, kSize};
  pipeline::FaceDrawing drawing(setup_of(spec, kEverything), copies);
  Tracked drawn = random_faces(1, 20);
  drawn.tracks.clear();
  ASSERT_NO_FATAL_FAILURE(expect_as_on_the_host(drawing, spec, kEverything, drawn, 1));
  drawn.faces.landmarks.clear();
  expect_as_on_the_host(drawing, spec, kEverything, drawn, 2);
}

// All frames are enqueued before the test waits for any of them, so each frame needs its own memory
// for faces.
TEST(FaceDrawing, KeepsFramesThatAreOnTheirWayApart) {
  constexpr unsigned kFramesAtOnce = 9;
  CopyCounter copies;
  const cuda::Stream stream;
  const FrameSpec spec{kNv12, kSize};
  pipeline::FaceDrawing drawing(setup_of(spec, kEverything), copies);
  std::vector<Frame> hosts;
  std::vector<std::unique_ptr<DeviceFrame>> devices;
  std::vector<Frame> frames;
  for (unsigned seed = 0; seed < kFramesAtOnce; ++seed) {
    hosts.push_back(make_noise_frame(spec, seed));
    devices.push_back(std::make_unique<DeviceFrame>(hosts.back(), stream));
    frames.push_back(over(*devices.back()));
  }
  for (unsigned seed = 0; seed < kFramesAtOnce; ++seed) {
    const Tracked drawn = random_faces(seed, 30);
    drawing.draw(frames[seed], drawn.faces, drawn.tracks);
    overlay::draw_overlay(hosts[seed], drawn.faces, kEverything, drawn.tracks);
  }
  for (unsigned seed = 0; seed < kFramesAtOnce; ++seed) {
    video::hold_back_until_ready(frames[seed], stream);
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(hosts[seed], *devices[seed], stream)) << seed;
  }
}

TEST(FaceDrawing, RefusesTracksOfSomeFaces) {
  CopyCounter copies;
  const cuda::Stream stream;
  const FrameSpec spec{kNv12, kSize};
  pipeline::FaceDrawing drawing(setup_of(spec, kEverything), copies);
  const DeviceFrame device(make_noise_frame(spec, 1), stream);
  Frame frame = over(device);
  const Tracked drawn = random_faces(1, 3);
  expect_error(ErrorKind::internal, "only some faces have tracks",
               [&] { drawing.draw(frame, drawn.faces, std::span(drawn.tracks).first(2)); });
}

}  // namespace
}  // namespace facepipe::test
