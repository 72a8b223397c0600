#include "verify/looks.h"

#include <gtest/gtest.h>

#include "detector/mirror.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_detector.h"
#include "tests/support/test_frame.h"
#include "verify/grey.h"

namespace facepipe::verify {
namespace {

using test::FakeDetectorFactory;

TEST(Looks, AMirroredViewIsTheUprightPictureInAMirror) {
  for (const Orientation orientation : test::all_orientations()) {
    const Frame frame = test::make_noise_frame({PixelFormat{}, {9, 6}, orientation}, 7);
    const Grey plain = make_grey(frame);
    const Grey mirrored = make_grey(detector::mirrored_view(frame));
    ASSERT_EQ(mirrored.size, plain.size);
    for (int y = 0; y < plain.size.height; ++y)
      for (int x = 0; x < plain.size.width; ++x)
        ASSERT_EQ(mirrored.at(x, y), plain.at(plain.size.width - 1 - x, y));
  }
}

TEST(Looks, WhatTheyFindIsPutTogether) {
  FakeDetectorFactory plain;
  plain.behaviour.candidates.push_back({10, 10, 20, 20}, 0.2F);
  plain.behaviour.candidates.push_back({60, 10, 70, 20}, 0.4F);
  FakeDetectorFactory other;  // x 79..89 and 60..70 in the mirrored picture are 11..21 and 30..40
                              // in the picture, which is 100 pixels wide
  other.behaviour.candidates.push_back({79, 10, 89, 20}, 0.3F);
  other.behaviour.candidates.push_back({60, 40, 70, 50}, 0.1F);
  Looks looks({{&plain, false}, {&other, true}});
  const Frame frame = test::make_noise_frame({PixelFormat{}, {100, 80}}, 7);
  const Detections found = looks.find(frame, {});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found.boxes[0], (Box{60, 10, 70, 20}));
  EXPECT_EQ(found.boxes[1], (Box{11, 10, 21, 20}));  // this box suppresses the one at x = 10
  EXPECT_EQ(found.boxes[2], (Box{30, 40, 40, 50}));
  EXPECT_EQ(found.scores[2], 0.1F);
}

TEST(Looks, EndWhenTheyAreStopped) {
  FakeDetectorFactory plain;
  Looks looks({{&plain, false}});
  std::stop_source stop;
  stop.request_stop();
  const Frame frame = test::make_noise_frame({PixelFormat{}, {100, 80}}, 7);
  EXPECT_THROW(static_cast<void>(looks.find(frame, stop.get_token())), Stopped);
}

TEST(Looks, SizesThatANetworkTakes) {
  EXPECT_EQ(enlarged_size({1280, 720}), (Size{1920, 1080}));
  EXPECT_EQ(enlarged_size({3840, 2160}), std::nullopt);
  EXPECT_EQ(enlarged_size({6000, 16}), std::nullopt);
  EXPECT_EQ(reduced_size({1280, 720}), (Size{640, 360}));
  EXPECT_EQ(reduced_size({640, 120}), std::nullopt);
}

}  // namespace
}  // namespace facepipe::verify
