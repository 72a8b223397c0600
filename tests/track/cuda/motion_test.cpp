// These tests compare the motion that is estimated on a device with that on the host, bit for bit.
#include "track/cuda/motion.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/pipeline/cuda/device_frame.h"
#include "tests/support/expect_error.h"
#include "tests/track/scenes.h"
#include "track/cpu/motion.h"
#include "track/cuda/kernels.h"

namespace facepipe::test {
namespace {

constexpr PixelFormat kNv12{true, 1, 1, 8, 0, true};
const std::vector<PixelFormat> kFormats{
    kNv12,
    {true, 1, 1, 10, 6, true},  // P010
    {true, 1, 1, 16, 0, true},  // P016
};

TEST(CudaPyramid, IsTheHostsAtEverySizeDepthAndOrientation) {
  const cuda::Stream stream;
  for (const PixelFormat& format : kFormats)
    for (const Size size : {Size{1, 1}, Size{2, 3}, Size{75, 62}, Size{130, 97}, Size{1283, 733}})
      for (int turns = 0; turns < 4; ++turns)
        for (const bool mirrored : {false, true}) {
          const Frame host = make_noise_frame({format, size, {turns, mirrored}}, 5);
          const DeviceFrame there(host, stream);
          const track::LumaPyramid expected(
              track::make_luma(host.planes[0], host.format, host.size, host.orientation));
          const track::PyramidShape& shape = expected.shape();
          std::size_t samples = 0;
          for (int i = 0; i < shape.levels; ++i) samples += shape.samples(i);
          const cuda::DeviceBuffer<std::uint8_t> memory(samples);
          track::enqueue_pyramid(there.frame(), shape, memory.data(), stream);
          std::vector<std::uint8_t> found(samples);
          cuda::copy(std::span(found), memory.span(), stream);
          stream.synchronize();
          std::size_t begin = 0;
          for (int i = 0; i < shape.levels; begin += shape.samples(i++))
            ASSERT_EQ(
                0, std::memcmp(found.data() + begin, expected.level(i).samples, shape.samples(i)))
                << to_string(size) << ' ' << format.bits << ' ' << turns << ' ' << mirrored
                << ", level " << i;
        }
}

/// Returns a scene's frame. Each sample of the scene's small luma becomes four equal pixels.
Frame frame_of(const Scene& scene) {
  const track::Luma luma = render(scene);
  Frame frame = make_noise_frame({kNv12, scene.picture, {}}, 1);
  for (int y = 0; y < scene.picture.height; ++y)
    for (int x = 0; x < scene.picture.width; ++x)
      frame.planes[0].data[y * frame.planes[0].stride + x] = static_cast<std::byte>(
          luma.samples[static_cast<std::size_t>(y / 2) * static_cast<std::size_t>(luma.size.width) +
                       static_cast<std::size_t>(x / 2)]);
  return frame;
}

/// Runs the device's and the host's estimator on the same pictures.
class Pair {
 public:
  explicit Pair(Size size)
      : there_(track::make_cuda_motion_estimator(size, cuda::Event::Wait::spinning, copies_)) {}

  void push(const Frame& frame) {
    const DeviceFrame on_device(frame, stream_);
    on_host_.push_back(here_.make_picture(frame));
    on_device_.push_back(there_->make_picture(on_device.frame()));
    there_->wait();
  }

  /// Expects that both estimators give the same result, and returns it.
  track::PictureChange compare(std::size_t before, std::size_t now) {
    const track::PictureChange expected = here_.compare(*on_host_[before], *on_host_[now]);
    const track::PictureChange found = there_->compare(*on_device_[before], *on_device_[now]);
    EXPECT_EQ(found.cut, expected.cut);
    EXPECT_EQ(found.camera, expected.camera);
    EXPECT_EQ(found.distance, expected.distance);
    EXPECT_EQ(found.inlier_share, expected.inlier_share);
    return expected;
  }

  std::vector<Box> follow(std::size_t from, std::size_t to, const std::vector<Box>& boxes,
                          const track::Similarity& camera, int grid) {
    std::vector<track::BoxStep> here;
    std::vector<track::BoxStep> there;
    for (const Box& box : boxes) {
      here.push_back({on_host_[from].get(), on_host_[to].get(), box, camera, grid});
      there.push_back({on_device_[from].get(), on_device_[to].get(), box, camera, grid});
    }
    std::vector<Box> expected = here_.follow(here);
    EXPECT_EQ(there_->follow(there), expected);
    return expected;
  }

  [[nodiscard]] CopyTotal copied(CopyKind kind) const { return copies_.total(kind); }

 private:
  CopyCounter copies_;
  cuda::Stream stream_;
  track::CpuMotionEstimator here_;
  std::unique_ptr<track::MotionEstimator> there_;
  std::vector<std::shared_ptr<const track::MotionPicture>> on_host_;
  std::vector<std::shared_ptr<const track::MotionPicture>> on_device_;
};

const std::vector<track::Similarity> kCameras{{},
                                              {1, 0, 17, 0},
                                              {1, 0, -40.5F, 21},
                                              about({320, 180}, 0, 1.04F, 0, 0),
                                              about({320, 180}, 2, 1, -5, 5)};

/// Returns boxes of all sizes. Some of them cross the picture's edge.
std::vector<Box> boxes_in(Size picture, int count) {
  std::mt19937 random(7);
  const auto number = [&](int below) {
    return static_cast<float>(random() % static_cast<unsigned>(below * 8)) / 8;
  };
  std::vector<Box> boxes;
  for (int i = 0; i < count; ++i) {
    const float x = number(picture.width + 80) - 40;
    const float y = number(picture.height + 80) - 40;
    const float side = 2 + number(i % 5 == 0 ? picture.height : 60);
    boxes.push_back({x, y, x + side, y + 1.3F * side});
  }
  return boxes;
}

TEST(CudaMotion, FindsTheCameraAndTheBoxesOfTheHost) {
  const std::vector<Patch> patches{{{50, 50, 250, 250}, 91}, {{400, 100, 430, 140}, 92}};
  for (const Size size : {Size{640, 360}, Size{1283, 733}, Size{333, 517}}) {
    Pair pair(size);
    Scene scene{.picture = size, .patches = patches};
    pair.push(frame_of(scene));
    int found = 0;
    for (std::size_t i = 0; i < kCameras.size(); ++i) {
      SCOPED_TRACE(to_string(size) + ", camera " + std::to_string(i));
      scene.camera = kCameras[i];
      scene.patches[0].box = {55, 47, 255, 247};
      scene.patches[1].box = {391, 104, 421, 144};
      pair.push(frame_of(scene));
      const track::PictureChange change = pair.compare(0, i + 1);
      EXPECT_GE(change.inlier_share, 0.3F);  // the camera's motion is found
      for (const int grid : {0, 3, track::kMostGrid}) {
        const std::vector<Box> boxes = boxes_in(size, 60);
        const std::vector<Box> places = pair.follow(0, i + 1, boxes, change.camera, grid);
        for (std::size_t k = 0; k < boxes.size(); ++k)
          found += places[k] == track::moved(boxes[k], change.camera) ? 0 : 1;
      }
    }
    EXPECT_GT(found, 200);  // of 600 boxes; neither estimator finds the others
  }
}

TEST(CudaMotion, FindsTheCutOfTheHost) {
  Pair pair({640, 360});
  pair.push(frame_of({.picture = {640, 360}, .seed = 1}));
  Frame other = frame_of({.picture = {640, 360}, .seed = 50});
  for (int i = 0; i < 640 * 180; ++i) {
    std::byte& sample = other.planes[0].data[i / 640 * other.planes[0].stride + i % 640];
    sample = static_cast<std::byte>(static_cast<int>(sample) / 8);
  }
  pair.push(other);
  EXPECT_TRUE(pair.compare(0, 1).cut);
  EXPECT_FALSE(pair.compare(1, 1).cut);
}

TEST(CudaMotion, TakesPicturesWithoutPlacesForPoints) {
  for (const Size size : {Size{1, 1}, Size{16, 16}, Size{35, 35}, Size{641, 37}, Size{5, 700}}) {
    SCOPED_TRACE(to_string(size));
    Pair pair(size);
    pair.push(frame_of({.picture = size}));
    pair.push(frame_of({.picture = size, .seed = 2}));
    static_cast<void>(pair.compare(0, 1));
    pair.follow(0, 1, boxes_in(size, 20), {}, track::kMostGrid);
  }
}

// The estimator must reuse the memory of pictures that no longer exist, and allocate more memory if
// there are more steps than before.
TEST(CudaMotion, StaysRightFromPictureToPicture) {
  const Size size{320, 240};
  CopyCounter copies;
  const cuda::Stream stream;
  const auto there = track::make_cuda_motion_estimator(size, cuda::Event::Wait::sleeping, copies);
  track::CpuMotionEstimator here;
  std::shared_ptr<const track::MotionPicture> last_there;
  std::shared_ptr<const track::MotionPicture> last_here;
  for (int i = 0; i < 30; ++i) {
    Scene scene{.picture = size};
    scene.camera = {1, 0, static_cast<float>(3 * i), static_cast<float>(i)};
    const Frame frame = frame_of(scene);
    const DeviceFrame on_device(frame, stream);
    auto now_here = here.make_picture(frame);
    auto now_there = there->make_picture(on_device.frame());
    there->wait();
    if (last_here) {
      const track::Similarity camera = here.compare(*last_here, *now_here).camera;
      ASSERT_EQ(there->compare(*last_there, *now_there).camera, camera) << i;
      std::vector<track::BoxStep> steps_here;
      std::vector<track::BoxStep> steps_there;
      for (const Box& box : boxes_in(size, 10 * i)) {
        const int grid = static_cast<int>(steps_here.size()) % 2 == 0 ? 3 : 0;
        steps_here.push_back({last_here.get(), now_here.get(), box, camera, grid});
        steps_there.push_back({last_there.get(), now_there.get(), box, camera, grid});
      }
      ASSERT_EQ(there->follow(steps_there), here.follow(steps_here)) << i;
    }
    last_here = std::move(now_here);
    last_there = std::move(now_there);
  }
}

TEST(CudaMotion, TellsWhatItCopies) {
  const Size size{640, 360};
  Pair pair(size);
  pair.push(frame_of({.picture = size}));
  pair.push(frame_of({.picture = size}));
  const std::int64_t places = track::TextureGrid({160, 90}).places();
  const std::int64_t findings = 16 * 256 * 4 + 12 * places;
  EXPECT_EQ(pair.copied(CopyKind::motion), (CopyTotal{2, 2 * findings}));
  static_cast<void>(pair.compare(0, 1));
  EXPECT_EQ(pair.copied(CopyKind::motion), (CopyTotal{3, 2 * findings + 12 * places}));
  static_cast<void>(pair.follow(0, 1, boxes_in(size, 2), {}, 3));
  EXPECT_EQ(pair.copied(CopyKind::motion), (CopyTotal{4, 2 * findings + 12 * (places + 50)}));
}

TEST(CudaMotion, RefusesAPictureOfAnotherSize) {
  const cuda::Stream stream;
  CopyCounter copies;
  const DeviceFrame there(make_noise_frame({kNv12, {64, 48}, {}}, 5), stream);
  const auto motion =
      track::make_cuda_motion_estimator({64, 46}, cuda::Event::Wait::spinning, copies);
  expect_error(ErrorKind::internal, "doesn't have the size",
               [&] { static_cast<void>(motion->make_picture(there.frame())); });
}

}  // namespace
}  // namespace facepipe::test
