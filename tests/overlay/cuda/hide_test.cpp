// These tests compare faces hidden on the device with faces hidden on the host. All bytes must be
// equal, including the padding.
#include "overlay/cuda/hide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/overlay/cuda/same_bytes.h"
#include "tests/overlay/hide_cases.h"
#include "tests/support/expect_error.h"

namespace facepipe::overlay {
namespace {

using test::FrameSpec;
using test::HideCase;

const std::vector<PixelFormat> kFormats{
    {true, 1, 1, 8, 0, true},   // NV12
    {true, 1, 1, 10, 6, true},  // P010
    {true, 1, 1, 12, 4, true},  // P012
    {true, 1, 1, 16, 0, true},  // P016
};

void expect_as_on_the_host(const FrameSpec& spec, const HideCase& faces,
                           const HideOptions& options) {
  SCOPED_TRACE(faces.name + ", " + test::name_of(options.style) +
               (options.shape == MaskShape::ellipse ? ", ellipse, " : ", box, ") +
               to_string(spec.size) + ", " + std::to_string(spec.format.bits) + " bits, turned " +
               std::to_string(spec.orientation.quarter_turns) +
               (spec.orientation.mirrored ? " mirrored" : ""));
  const cuda::Stream stream;
  Frame host = test::make_noise_frame(spec, 7);
  const test::DeviceFrame device(host, stream);
  CudaFaceHider hider(options, spec.size);
  hider.enqueue(device.frame(), faces.faces, stream);
  FaceHider(options).hide(host, faces.faces);
  test::expect_same_bytes(host, device, stream);
}

void expect_cases_as_on_the_host(const FrameSpec& spec, const std::vector<HideCase>& cases) {
  for (const HideCase& faces : cases)
    for (const HideStyle style : test::kHideStyles)
      for (const MaskShape shape : {MaskShape::box, MaskShape::ellipse})
        expect_as_on_the_host(spec, faces, test::options_of(style, shape));
}

TEST(CudaHide, SingleFacesAreHiddenAsOnTheHost) {
  for (const PixelFormat& format : kFormats)
    for (const Size size : {Size{1, 1}, Size{3, 5}, Size{75, 61}})
      expect_cases_as_on_the_host({format, size}, test::single_faces(size));
}

TEST(CudaHide, MasksFollowEveryOrientation) {
  for (const Orientation orientation : test::all_orientations()) {
    const FrameSpec spec{kFormats[0], {75, 62}, orientation};
    expect_cases_as_on_the_host(spec, test::single_faces(upright_size(spec.size, orientation)));
  }
}

TEST(CudaHide, InterlacedPicturesAreHiddenAsOnTheHost) {
  FrameSpec spec{kFormats[0], {75, 62}};
  spec.field_order = FieldOrder::bottom_first;
  expect_cases_as_on_the_host(spec, test::single_faces(spec.size));
}

TEST(CudaHide, OverlappingFacesAreHiddenAsOnTheHost) {
  for (const PixelFormat& format : kFormats) {
    const FrameSpec spec{format, {81, 96}};
    expect_cases_as_on_the_host(spec, test::several_faces(spec.size));
  }
}

// There are more masks than one launch can have. Many of them overlap.
TEST(CudaHide, CrowdsAreHiddenAsOnTheHost) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const FrameSpec spec{kFormats[seed % 4], {640, 361}, {static_cast<int>(seed % 4), seed > 4}};
    const Size upright = upright_size(spec.size, spec.orientation);
    expect_cases_as_on_the_host(
        spec, {{"crowd " + std::to_string(seed), test::crowd(upright, 150, seed)}});
  }
}

TEST(CudaHide, LargeFacesAreHiddenAsOnTheHost) {
  const FrameSpec spec{kFormats[0], {3840, 2160}};
  expect_cases_as_on_the_host(spec, {{"large", {{900, 300, 2100, 1800}, {2000, 900, 5000, 3000}}},
                                     {"the picture", {{0, 0, 3840, 2160}}}});
}

TEST(CudaHide, ALargeImageIsHalvedAsOnTheHost) {
  HideOptions options = test::options_of(HideStyle::image, MaskShape::box);
  options.image = test::noise_image({333, 250}, 3);
  const FrameSpec spec{kFormats[1], {640, 361}, {1, false}};
  expect_as_on_the_host(spec, {"crowd", test::crowd({361, 640}, 60, 2)}, options);
}

TEST(CudaHide, WholeFramesAreOneColour) {
  for (const PixelFormat& format : kFormats)
    for (const Size size : {Size{1, 1}, Size{75, 61}, Size{1921, 1081}}) {
      const cuda::Stream stream;
      Frame host = test::make_noise_frame({format, size}, 7);
      const test::DeviceFrame device(host, stream);
      const Rgb color{0.1, 0.2, 0.8};
      enqueue_hide_all(device.frame(), color, stream);
      hide_all(host, color);
      ASSERT_NO_FATAL_FAILURE(test::expect_same_bytes(host, device, stream));
    }
}

// The hider hides the faces of several frames on one stream without waiting. It converts the image
// again between frames.
TEST(CudaHide, AHiderServesManyFrames) {
  for (const HideStyle style : test::kHideStyles) {
    const HideOptions options = test::options_of(style, MaskShape::ellipse);
    const cuda::Stream stream;
    CudaFaceHider hider(options, {200, 200});
    std::vector<Frame> hosts;
    std::vector<test::DeviceFrame> devices;
    for (unsigned i = 0; i < 12; ++i) {
      FrameSpec spec{kFormats[i / 6], {200 - static_cast<int>(i), 150}};
      spec.color.full_range = i % 4 == 3;
      hosts.push_back(test::make_noise_frame(spec, i));
      devices.emplace_back(hosts.back(), stream);
    }
    for (unsigned i = 0; i < 12; ++i) {
      const std::vector<Box> faces = test::crowd({180, 140}, 20, i);
      hider.enqueue(devices[i].frame(), faces, stream);
      FaceHider(options).hide(hosts[i], faces);
    }
    for (unsigned i = 0; i < 12; ++i)
      ASSERT_NO_FATAL_FAILURE(test::expect_same_bytes(hosts[i], devices[i], stream)) << i;
  }
}

TEST(CudaHide, RefusesWhatItCantHide) {
  const cuda::Stream stream;
  const Frame host = test::make_noise_frame({kFormats[0], {64, 48}}, 1);
  const test::DeviceFrame device(host, stream);
  const Box good{1, 2, 30, 40};
  CudaFaceHider hider(HideOptions{}, {64, 48});
  const auto refuses = [&](ErrorKind kind, const char* why, const Frame& frame,
                           const std::vector<Box>& faces) {
    test::expect_error(kind, why, [&] { hider.enqueue(frame, faces, stream); });
  };
  refuses(ErrorKind::internal, "is on cpu", host, {good});
  refuses(ErrorKind::internal, "ends before it begins", device.frame(), {good, {5, 1, 4, 2}});
  refuses(ErrorKind::device, "more than 4096", device.frame(),
          std::vector<Box>(kMostHiddenFaces + 1, good));
  const test::DeviceFrame larger(test::make_noise_frame({kFormats[0], {66, 48}}, 1), stream);
  refuses(ErrorKind::internal, "66x48, larger than 64x48", larger.frame(), {good});
  Frame planar = test::make_noise_frame({{}, {64, 48}}, 1);
  planar.device = {DeviceKind::cuda, 0};
  refuses(ErrorKind::internal, "not semi-planar 4:2:0", planar, {good});
  test::expect_error(ErrorKind::internal, "is on cpu", [&] { enqueue_hide_all(host, {}, stream); });
  test::expect_error(ErrorKind::usage, "no image", [] {
    CudaFaceHider{HideOptions{.style = HideStyle::image}, {64, 48}};
  });
  ASSERT_NO_FATAL_FAILURE(test::expect_same_bytes(host, device, stream));
}

}  // namespace
}  // namespace facepipe::overlay
