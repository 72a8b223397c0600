// These tests look at frames several times, with detectors whose results the test sets, and with
// networks.
#include "detector/looks_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/error.h"
#include "detector/families.h"
#include "detector/looks.h"
#include "detector/mirror.h"
#include "detector/turned_faces.h"
#include "tests/detector/detect.h"
#include "tests/detector/files.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_detector.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/small_exports.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using test::expect_error;
using testing::ElementsAre;

constexpr Size kSize{640, 360};

Frame frame_of(Size size) {
  Frame frame;
  frame.size = size;
  return frame;
}

Detections one_at(float x, float score) {
  Detections made;
  made.push_back(Box{x, 0, x + 10, 10}, score,
                 Landmarks{Point{x, 1}, {x + 4, 1}, {x + 2, 3}, {x, 5}, {x + 4, 5}});
  return made;
}

TEST(LooksDetector, CollectsAllLooksInTheirOrder) {
  std::vector<std::pair<int, bool>> seen;
  const auto of_look = [&](int look) {
    test::FakeBehaviour behaviour;
    behaviour.candidates_of = [&seen, look](const Frame& frame) {
      seen.emplace_back(look, frame.orientation.mirrored);
      return one_at(100, static_cast<float>(look) / 10);
    };
    return behaviour;
  };
  const test::FakeBehaviour first = of_look(1);
  const test::FakeBehaviour second = of_look(2);
  const auto plain = std::make_shared<test::FakeDetector>(first, kSize);
  const auto half = std::make_shared<test::FakeDetector>(second, kSize);
  const auto all = make_looks_detector({{plain}, {half}, {plain, true}, {half, true}});
  const Detections found = test::detect(*all, frame_of(kSize));
  EXPECT_THAT(found.scores, ElementsAre(.1F, .2F, .1F, .2F));
  EXPECT_EQ(found.boxes[1], (Box{100, 0, 110, 10}));
  EXPECT_EQ(found.boxes[2], (Box{530, 0, 540, 10}));
  EXPECT_EQ(found.landmarks.size(), 4U);
  using Look = std::pair<int, bool>;
  EXPECT_THAT(seen, ElementsAre(Look{1, false}, Look{2, false}, Look{1, true}, Look{2, true}));
  EXPECT_EQ(all->facts().network, kSize);
}

/// The fake detectors find a box at the same place of each picture that they get. Where this place
/// is in the picture that isn't turned was computed by hand.
TEST(LooksDetector, LooksAtOneTurnedPictureOfEachFrame) {
  test::FakeBehaviour behaviour;
  behaviour.candidates_of = [](const Frame& frame) {
    Detections made;
    made.push_back(Box{100, 50, 110, 70}, static_cast<float>(frame.orientation.quarter_turns) / 10,
                   Landmarks{});
    return made;
  };
  const auto upright = std::make_shared<test::FakeDetector>(behaviour, kSize);
  const auto lying = std::make_shared<test::FakeDetector>(behaviour, Size{360, 640});
  const auto all = make_looks_detector(
      {{upright}, {lying, false, 0, 1}, {upright, false, 0, 2}, {lying, false, 0, 3}});
  struct Case {
    std::int64_t frame;
    float score;
    Box box;
  };
  const Case cases[] = {{0, .1F, {50, 250, 70, 260}},
                        {1, .2F, {530, 290, 540, 310}},
                        {2, .3F, {570, 100, 590, 110}},
                        {3, .1F, {50, 250, 70, 260}}};
  for (const Case& c : cases) {
    Frame frame = frame_of(kSize);
    frame.index = c.frame;
    const Detections found = test::detect(*all, frame);
    EXPECT_THAT(found.scores, ElementsAre(0, c.score)) << c.frame;
    EXPECT_THAT(found.boxes, ElementsAre(Box{100, 50, 110, 70}, c.box)) << c.frame;
    EXPECT_EQ(found.landmarks.size(), 2U) << c.frame;
    EXPECT_FALSE(found.has_landmarks(1)) << c.frame;
  }
}

TEST(LooksDetector, OneLookIsItsOwnDetector) {
  const test::FakeBehaviour behaviour;
  const auto plain = std::make_shared<test::FakeDetector>(behaviour, kSize);
  EXPECT_EQ(make_looks_detector({{plain}}), plain);
  expect_error(ErrorKind::internal, "first look", [&] {
    (void)make_looks_detector({{plain, true}});
  });
  expect_error(ErrorKind::internal, "first look", [&] {
    (void)make_looks_detector({{plain, false, 0, 1}});
  });
  const auto request = make_looks_detector({{plain}, {plain, true}})->acquire({});
  expect_error(ErrorKind::internal, "out of turn", [&] { (void)request->collect(); });
}

TEST(LooksDetector, CountsTheCopiesAndTimesOfAllLooks) {
  test::FakeBehaviour behaviour;
  behaviour.copied = [](CopyCounter& copies) { copies.add(CopyKind::network_input, 100); };
  const auto plain = std::make_shared<test::FakeDetector>(behaviour, kSize);
  const auto other = std::make_shared<test::FakeDetector>(behaviour, kSize);
  const auto all = make_looks_detector({{plain}, {other}, {plain, true}});
  const auto request = all->acquire({});
  for (int round = 0; round < 2; ++round) {
    request->prepare(frame_of(kSize));
    const Clock::time_point before = Clock::now();
    request->start();
    (void)request->collect();
    CopyCounter copies;
    request->count_copies(copies);
    EXPECT_EQ(copies.total(CopyKind::network_input), (CopyTotal{3, 300}));
    EXPECT_GE(request->inference().begin, before);
    EXPECT_GE(request->inference().end, request->inference().begin);
  }
}

TEST(LooksDetector, AFailureOfAnyLookIsTheFramesFailure) {
  test::FakeBehaviour good;
  test::FakeBehaviour bad;
  bad.on_collect = [] { throw Error(ErrorKind::device, "the second look failed"); };
  const auto plain = std::make_shared<test::FakeDetector>(good, kSize);
  const auto other = std::make_shared<test::FakeDetector>(bad, kSize);
  const auto all = make_looks_detector({{plain}, {other}});
  // Afterwards the requests must be free again: a detector has only two.
  for (int i = 0; i < 4; ++i)
    expect_error(ErrorKind::device, "second look", [&] { test::detect(*all, frame_of(kSize)); });
}

/// There are more frames at the same time than the second detector has requests. The frames must
/// not wait for each other for ever.
TEST(LooksDetector, FramesAtOnceShareTheOtherLooks) {
  test::FakeBehaviour first;
  first.candidates = one_at(0, .5F);
  test::FakeBehaviour second;
  second.candidates = one_at(50, .25F);
  const auto all = make_looks_detector({{std::make_shared<test::FakeDetector>(first, kSize)},
                                        {std::make_shared<test::FakeDetector>(second, kSize)}});
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int round = 0; round < 50; ++round)
          good += test::detect(*all, frame_of(kSize)).size() == 2;
      });
  }
  EXPECT_EQ(good, 200);
}

TEST(Looks, SizesAreRounded) {
  EXPECT_EQ(scaled({1919, 1080}, .5F), (Size{960, 540}));
  EXPECT_EQ(scaled({10, 20}, 1.5F), (Size{15, 30}));
  EXPECT_EQ(scaled({3, 1}, .1F), (Size{1, 1}));
}

/// Has a network with random weights, whose candidates differ from look to look.
class LooksOfANetwork : public testing::Test {
 protected:
  [[nodiscard]] Detections found(const std::optional<Looks>& looks, std::optional<Size> size = {},
                                 const Frame* frame = nullptr, bool mirrored_too = false) const {
    DetectorOptions options;
    options.model = model_;
    options.library = Library::opencv;
    options.precision = Precision::f32;
    options.score_threshold = 0.25F;
    options.looks = looks;
    options.detect_size = size;
    options.mirrored_too = mirrored_too;
    options.threads = 1;
    const auto factory = make_detector_factory({}, options);
    const Frame& searched = frame != nullptr ? *frame : frame_;
    return test::detect(*factory->detector(searched.upright()), searched);
  }

  const test::TemporaryFolder dir_;
  const std::filesystem::path model_ = test::write_small_scrfd(dir_);
  const Frame frame_ = test::make_noise_frame({.format = {}, .size = {160, 96}}, 40);
};

void expect_equal(const Detections& found, const Detections& expected) {
  ASSERT_GT(expected.size(), 0U);
  EXPECT_EQ(found.boxes, expected.boxes);
  EXPECT_EQ(found.scores, expected.scores);
  EXPECT_EQ(found.landmarks, expected.landmarks);
}

TEST_F(LooksOfANetwork, AreSeparateRunsJoined) {
  Detections expected = found(Looks{});
  append(expected, found(Looks{}, Size{80, 48}));
  append(expected, found(Looks{}, Size{240, 144}));
  const Frame mirror = mirrored_view(frame_);
  append_mirrored(expected, found(Looks{}, {}, &mirror), frame_.upright().width);
  expect_equal(found(Looks{{1, .5F, 1.5F}, true}), expected);
}

TEST_F(LooksOfANetwork, MirroredOnesComeWithATurnedOne) {
  for (int turns = 1; turns <= 3; ++turns) {
    Frame frame = view_of(frame_);
    frame.index = turns + 2;
    Detections expected = found(Looks{{1}, true});
    const Frame turned = turned_view(frame_, turns);
    append_turned_back(expected, found(Looks{}, {}, &turned), turns, frame_.upright());
    const Detections all = found(Looks{}, {}, &frame, true);
    EXPECT_GT(expected.size(), found(Looks{{1}, true}).size()) << turns;
    EXPECT_EQ(all.boxes, expected.boxes) << turns;
    EXPECT_EQ(all.scores, expected.scores) << turns;
  }
  const Size size{160, 96};
  expect_equal(found(Looks{}, size, nullptr, true), found(Looks{{1}, true}, size));
}

TEST_F(LooksOfANetwork, AreSharesOfTheUsersSize) {
  Detections expected = found(Looks{}, Size{320, 192});
  append(expected, found(Looks{}, Size{160, 96}));
  expect_equal(found(Looks{{1, .5F}, false}, Size{320, 192}), expected);
}

// The content of the file is that of an SCRFD, which misses large faces at its own size.
TEST_F(LooksOfANetwork, AreThoseOfTheCardUnlessTheUserChooses) {
  expect_equal(found(std::nullopt), found(Looks{{1, .5F}, false}));
}

TEST_F(LooksOfANetwork, ALookIsNotLargerThanOneRunOfTheNetwork) {
  DetectorOptions options;
  options.model = model_;
  options.looks = Looks{{1, 4}, false};
  const auto factory = make_detector_factory({}, options);
  expect_error(ErrorKind::device, "a look at 4 times the size of 1920x1080", [&] {
    (void)factory->detector({1920, 1080});
  });
  EXPECT_NE(factory->detector({64, 64}), nullptr);
}

TEST(LooksOfAnOtherFamily, HaveOneSize) {
  DetectorOptions options;
  options.model = test::source_dir() / "data/acf_face.json";
  options.looks = Looks{{1, .5F}, false};
  expect_error(ErrorKind::usage, "sizes in --looks work only with networks",
               [&] { (void)make_detector_factory({}, options); });
  options.looks = Looks{{1}, true};
  EXPECT_NE(make_detector_factory({}, options), nullptr);
}

}  // namespace
}  // namespace facepipe::detector
