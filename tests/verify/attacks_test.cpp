// These tests check what verify finds. It must find faces that are still visible, even if they are
// changed, and nothing in faces that a style has hidden. The faces are textures, and the fake
// detector knows where they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "overlay/hide.h"
#include "tests/support/fake_detector.h"
#include "tests/verify/pictures.h"
#include "verify/lone_pictures.h"
#include "verify/verifier.h"

namespace facepipe::verify {
namespace {

constexpr Size kPicture{320, 200};
constexpr Box kFace{120, 60, 168, 116};
constexpr int kStep = 3;  // pixels by which the camera moves from frame to frame

/// Returns the original video's frame `number`. The camera moves right.
Grey original(int number) {
  Grey grey{kPicture, {}};
  for (int y = 0; y < kPicture.height; ++y)
    for (int x = 0; x < kPicture.width; ++x)
      grey.samples.push_back(static_cast<std::uint8_t>(
          test::texture(static_cast<float>(x + kStep * number), static_cast<float>(y), 4)));
  return grey;
}

Box face_at(int number) {
  const auto left = static_cast<float>(kStep * number);
  return {kFace.x1 - left, kFace.y1, kFace.x2 - left, kFace.y2};
}

/// Returns a frame that owns its planes, with 8 bits and full range. Chroma planes have the size of
/// luma.
Frame frame_of(const Planes& planes) {
  auto samples = std::make_shared<std::vector<std::vector<std::uint8_t>>>();
  samples->push_back(planes.luma.samples);
  for (const Grey& chroma : planes.chroma) samples->push_back(chroma.samples);
  if (!planes.alpha.samples.empty()) {
    samples->resize(4, std::vector<std::uint8_t>(planes.luma.samples.size(), 128));
    samples->back() = planes.alpha.samples;
  }
  Frame frame;
  frame.format.has_chroma = samples->size() > 1;
  frame.format.has_alpha = !planes.alpha.samples.empty();
  frame.format.log2_chroma_w = frame.format.log2_chroma_h = 0;
  frame.color.full_range = true;
  frame.size = planes.luma.size;
  for (std::size_t i = 0; i < samples->size(); ++i)
    frame.planes[i] = {reinterpret_cast<std::byte*>((*samples)[i].data()), planes.luma.size.width};
  frame.owner = std::move(samples);
  return frame;
}

Grey each(Grey grey, const std::function<double(double)>& change) {
  for (std::uint8_t& sample : grey.samples)
    sample = static_cast<std::uint8_t>(std::clamp(std::lround(change(sample)), 0L, 255L));
  return grey;
}

Grey flat(std::uint8_t value) { return test::flat(kPicture, value); }

/// Returns a picture whose pixel (x, y) is the pixel of `from` at place(x, y).
Grey warped(const Grey& from, const std::function<Point(int, int)>& place) {
  Grey to = from;
  for (int y = 0; y < from.size.height; ++y)
    for (int x = 0; x < from.size.width; ++x) {
      const Point at = place(x, y);
      test::pixel(to, x, y) =
          from.at(std::clamp(static_cast<int>(std::lround(at.x)), 0, from.size.width - 1),
                  std::clamp(static_cast<int>(std::lround(at.y)), 0, from.size.height - 1));
    }
  return to;
}

Point mirrored_place(int x, int y) {
  return {static_cast<float>(kPicture.width - 1 - x), static_cast<float>(y)};
}

Grey blurred(const Grey& from) {
  Grey to = from;
  for (int y = 1; y + 1 < from.size.height; ++y)
    for (int x = 1; x + 1 < from.size.width; ++x) {
      int sum = 0;
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) sum += from.at(x + i, y + j);
      test::pixel(to, x, y) = static_cast<std::uint8_t>(sum / 9);
    }
  return to;
}

Grey noisy(const Grey& from, double sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  return each(from, [&](double v) { return v + noise(random); });
}

/// Returns the original video's picture `number` with the face hidden.
Grey hidden(int number, const overlay::HideOptions& options) {
  Frame frame = test::frame_of(original(number));
  overlay::FaceHider hider(options);
  const Box face = face_at(number);
  hider.hide(frame, {&face, 1});
  return make_grey(frame);
}

Grey mirrored_in_place(const Grey& from, const Box& face) {
  const float edges = face.x1 + face.x2 - 1;
  return warped(from, [&](int x, int y) {
    const bool in = static_cast<float>(x) > face.x1 - 8 && static_cast<float>(x) < face.x2 + 8;
    return Point{in ? edges - static_cast<float>(x) : static_cast<float>(x), static_cast<float>(y)};
  });
}

/// Returns the hidden video's frame with a given number.
using Making = std::function<Planes(int)>;

struct Case {
  std::string name;
  Making make;
};

class Attacks : public testing::Test {
 protected:
  /// @param found_there  score of the face that the detector finds in the hidden video, or 0 if it
  /// finds no face
  std::vector<Finding> run(const Making& make, int frames = 8, float found_there = 0) {
    int number = 0;
    original_.behaviour.candidates_of = [&](const Frame&) {
      Detections found;
      found.push_back(face_at(number), 0.8F);
      return found;
    };
    hidden_.behaviour.candidates_of = [&](const Frame&) {
      Detections found;
      if (found_there > 0) found.push_back(face_at(number), found_there);
      return found;
    };
    Verifier verifier({}, Looks({{&original_}}), Looks({{&hidden_}}));
    for (number = 0; number < frames; ++number) {
      Frame frame = test::frame_of(original(number));
      frame.pts = number;
      frame.time_base = {1, 25};
      verifier.push({frame, frame_of(make(number)), number, number / 25.0, false}, {});
    }
    return verifier.finish();
  }

  void expect_leak(const Case& one) {
    const std::vector<Finding> found = run(one.make);
    ASSERT_EQ(found.size(), 1U) << one.name;
    EXPECT_EQ(found[0].kind, FindingKind::leak) << one.name;
  }

  test::FakeDetectorFactory original_;
  test::FakeDetectorFactory hidden_;
};

Planes plain(Grey luma) { return {std::move(luma), {}, {}}; }

Case levels(const std::string& name, const std::function<double(double)>& change) {
  return {name, [change](int i) { return plain(each(original(i), change)); }};
}

TEST_F(Attacks, A1FindsWhatIsDimmedVeiledOrNegative) {
  for (const Case& one :
       {levels("dimmed", [](double v) { return v * 0.5; }),
        levels("under 50 % black", [](double v) { return 16 + (v - 16) * 0.5; }),
        levels("under 80 % black", [](double v) { return 16 + (v - 16) * 0.2; }),
        levels("under 60 % white", [](double v) { return 153 + v * 0.4; }),
        levels("contrast 0.15", [](double v) { return 128 + (v - 128) * 0.15; }),
        levels("contrast 0.45", [](double v) { return 128 + (v - 128) * 0.45; }),
        levels("negative", [](double v) { return 255 - v; }),
        levels("dimmed negative", [](double v) { return (255 - v) * 0.3; }),
        levels("another gamma", [](double v) { return 255 * std::pow(v / 255, 2.2); }),
        levels("of more contrast", [](double v) { return 128 + (v - 128) * 2.5; })})
    expect_leak(one);
}

TEST_F(Attacks, A1FindsWhatIsMirroredTurnedOrMoved) {
  const auto shown = [](const std::function<Point(int, int)>& place) {
    return [place](int i) { return plain(warped(original(i), place)); };
  };
  const auto scaled = [](float by) {
    return [by](int x, int y) {
      return Point{160 + (static_cast<float>(x) - 160) / by,
                   100 + (static_cast<float>(y) - 100) / by};
    };
  };
  for (const Case& one : {
           Case{"mirrored", shown(mirrored_place)},
           {"upside down", shown([](int x, int y) {
              return Point{static_cast<float>(319 - x), static_cast<float>(199 - y)};
            })},
           {"mirrored, negative, dimmed",
            [](int i) {
              return plain(
                  each(warped(original(i), mirrored_place), [](double v) { return 90 - v * 0.3; }));
            }},
           {"mirrored in its place",
            [](int i) { return plain(mirrored_in_place(original(i), face_at(i))); }},
           {"a frame late", [](int i) { return plain(original(std::max(0, i - 1))); }},
           {"a frame early", [](int i) { return plain(original(i + 1)); }},
           {"enlarged by 2 %", shown(scaled(1.02F))},
           {"reduced by 2 %", shown(scaled(0.98F))},
           {"moved", shown([](int x, int y) {
              return Point{static_cast<float>(x - 4), static_cast<float>(y + 3)};
            })},
       })
    expect_leak(one);
}

TEST_F(Attacks, A1FindsWhatIsBlurredALittleOrNoisy) {
  EXPECT_FALSE(run([](int i) { return plain(blurred(original(i))); }).empty());
  EXPECT_FALSE(
      run([](int i) { return plain(noisy(original(i), 20, static_cast<unsigned>(i))); }).empty());
}

TEST_F(Attacks, A5FindsWhatIsInChromaOrAlpha) {
  for (const Case& one :
       {Case{"in Cb",
             [](int i) {
               return Planes{flat(16), {original(i), flat(128)}, {}};
             }},
        {"in Cr, at a fifth of its contrast",
         [](int i) {
           return Planes{
               flat(16),
               {flat(128), each(original(i), [](double v) { return 128 + (v - 128) * 0.2; })},
               {}};
         }},
        {"in alpha", [](int i) {
           return Planes{flat(16), {flat(128), flat(128)}, original(i)};
         }}})
    expect_leak(one);
}

TEST_F(Attacks, A1FindsOneFrameOfAThousand) {
  constexpr Size kSmall{96, 64};
  constexpr Box kSmallFace{32, 16, 64, 48};
  original_.behaviour.candidates.push_back(kSmallFace, 0.8F);
  const Grey before = test::textured(kSmall, 4);
  const Grey after = test::flat(kSmall, 16);
  Verifier verifier({}, Looks({{&original_}}), Looks({{&hidden_}}));
  for (int i = 0; i < 1000; ++i) {
    const Frame frame = test::frame_of(before);
    verifier.push({frame, test::frame_of(i == 567 ? before : after), i, i / 25.0, false}, {});
  }
  const std::vector<Finding> found = verifier.finish();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::leak);
  // In the neighbouring frames, the picture shows the face too late or too early.
  EXPECT_LE(found[0].frames, 3);
  const auto shows = [](const FoundBox& box) { return box.frame == 567; };
  EXPECT_TRUE(std::ranges::any_of(found[0].boxes, shows));
}

// The original's face is completely hidden, but the detector finds a face at its place. The found
// face can be another picture of the same person.
TEST_F(Attacks, A1FindsWhatADetectorSurelyFindsAtAFacesPlace) {
  const auto cover = [](int i) { return plain(hidden(i, {})); };
  const std::vector<Finding> found = run(cover, 8, 0.7F);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::leak);
  EXPECT_TRUE(run(cover, 8, 0.5F).empty());  // faces in what hide draws also have such low scores
}

TEST_F(Attacks, A1FindsNothingUnderWhatHideDraws) {
  auto image = std::make_shared<RgbaImage>();
  image->size = {40, 40};
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x) {
      const auto value = static_cast<std::uint8_t>(
          test::texture(static_cast<float>(x * 2), static_cast<float>(y * 2), 99));
      for (const std::uint8_t byte : {value, value, value, std::uint8_t{255}})
        image->bytes.push_back(byte);
    }
  overlay::HideOptions blur;
  blur.style = overlay::HideStyle::blur;
  overlay::HideOptions picture;
  picture.style = overlay::HideStyle::image;
  picture.image = image;
  overlay::HideOptions ellipse;
  ellipse.shape = overlay::MaskShape::ellipse;
  ellipse.grow = overlay::default_grow(overlay::MaskShape::ellipse);
  overlay::HideOptions grey;
  grey.color = {128, 128, 128};
  for (const overlay::HideOptions& options :
       {overlay::HideOptions{}, grey, ellipse, blur, picture}) {
    const int style = static_cast<int>(options.style);
    EXPECT_TRUE(run([&](int i) { return plain(hidden(i, options)); }).empty()) << style;
    // A codec adds noise, and a file can have a wrong tag for the range.
    EXPECT_TRUE(run([&](int i) {
                  return plain(noisy(hidden(i, options), 2, static_cast<unsigned>(i)));
                }).empty())
        << style;
    EXPECT_TRUE(run([&](int i) {
                  return plain(
                      each(hidden(i, options), [](double v) { return 16 + v * 219 / 255; }));
                }).empty())
        << style;
  }
}

// The picture is a wall of equal stones. A detector took one stone for a face, so it was hidden.
// The stones beside it look the same, but are not a leak.
TEST_F(Attacks, A1FindsNothingInNeighboursThatAreAlike) {
  constexpr int kStone = 20;
  constexpr Box kOne{100, 60, 120, 80};
  original_.behaviour.candidates.push_back(kOne, 0.8F);
  const Grey stone = test::textured({kStone, kStone}, 4);
  Grey wall = flat(0);
  for (int y = 0; y < kPicture.height; ++y)
    for (int x = 0; x < kPicture.width; ++x)
      test::pixel(wall, x, y) = stone.at(x % kStone, y % kStone);
  Grey after = wall;
  test::fill(after, {95, 55, 125, 85}, 16);
  Verifier verifier({}, Looks({{&original_}}), Looks({{&hidden_}}));
  for (int i = 0; i < 3; ++i)
    verifier.push({test::frame_of(wall), test::frame_of(after), i, i / 25.0, false}, {});
  EXPECT_TRUE(verifier.finish().empty());
}

TEST_F(Attacks, A5FindsFacesInPicturesOfTheirOwn) {
  hidden_.behaviour.candidates.push_back(kFace, 0.7F);
  hidden_.behaviour.candidates.push_back({10, 10, 40, 40}, 0.4F);  // this score is too low for a
                                                                   // sure face
  LonePictures pictures(Looks({{&hidden_}}), true);
  const Frame frame = test::frame_of(original(0));
  for (int i = 0; i < 3; ++i) pictures.push(frame, i, i / 25.0, {});
  const std::vector<Finding> found = pictures.finish();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::leak);
  EXPECT_EQ(found[0].source, FindingSource::other_picture);
  EXPECT_EQ(found[0].frames, 3);
  EXPECT_EQ(found[0].clearest.box, kFace);
  EXPECT_FALSE(found[0].thumbnail.samples.empty());
}

}  // namespace
}  // namespace facepipe::verify
