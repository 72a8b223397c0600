#include "track/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace facepipe::track {
namespace {

bool is_near(const Box& a, const Box& b, const Nearness& near) {
  const float side = std::sqrt(b.width() * b.height());
  const float x = std::abs(a.x1 + a.x2 - b.x1 - b.x2) / 2;
  const float y = std::abs(a.y1 + a.y2 - b.y1 - b.y2) / 2;
  return side >= near.least_side && side <= near.most_side &&
         x <= std::max(near.share * (a.width() + b.width()), near.reach) &&
         y <= std::max(near.share * (a.height() + b.height()), near.reach);
}

/// Returns the numbers of the boxes that are found, sorted.
std::vector<std::size_t> numbers_near(const Neighbours& neighbours, const Box& box,
                                      const Nearness& near) {
  std::vector<std::uint32_t> room{7};  // contains a result of an earlier call
  std::vector<std::size_t> numbers;
  for (const std::uint32_t place : neighbours.find(box, near, room))
    numbers.push_back(neighbours[place].number);
  std::ranges::sort(numbers);
  return numbers;
}

class Boxes {
 public:
  explicit Boxes(unsigned seed) : random_(seed) {}
  float from(float least, float most) {
    return std::uniform_real_distribution<float>(least, most)(random_);
  }
  /// Returns a random box in or near a picture of 2,000 pixels. Most boxes are small; a few are
  /// larger than the picture.
  Box any() {
    const float side = std::exp(from(0, from(1, 8)));
    const float x = from(-300, 2300);
    const float y = from(-300, 2300);
    return {x, y, x + side * from(0.3F, 3), y + side};
  }

 private:
  std::mt19937 random_;
};

TEST(Neighbours, AreThoseOfAPlainLoop) {
  Boxes random(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<Box> boxes;
    for (int i = 0; i < 5 * round; ++i) boxes.push_back(random.any());
    const Neighbours neighbours(boxes);
    const Box box = random.any();
    const float least = random.from(0, 30);
    const Nearness near{least, least * random.from(1, 10), random.from(0, 0.5F),
                        random.from(0, 40)};
    const std::vector<std::size_t> found = numbers_near(neighbours, box, near);
    EXPECT_TRUE(std::ranges::adjacent_find(found) == found.end()) << "twice, round " << round;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      EXPECT_TRUE(!is_near(box, boxes[i], near) || std::ranges::binary_search(found, i))
          << i << ", round " << round;
  }
}

TEST(Neighbours, AreFewOfACrowd) {
  Boxes random(2);
  std::vector<Box> boxes{{-3000, -3000, 5000, 5000}};  // this box must not enlarge the searched
                                                       // area of the other boxes
  for (int i = 0; i < 2000; ++i) {
    const float x = random.from(0, 1900);
    const float y = random.from(0, 1060);
    boxes.push_back({x, y, x + 10, y + 12});
  }
  const Neighbours neighbours(boxes);
  EXPECT_LT(numbers_near(neighbours, {500, 500, 510, 512}, {.most_side = 25, .share = 0.5F}).size(),
            20U);
}

TEST(Neighbours, KnowTheBoxesByNumber) {
  const std::vector<Box> boxes{{0, 0, 4, 9}, {900, 0, 990, 40}, {1, 1, 5, 10}};
  const Neighbours neighbours(boxes);
  std::vector<std::uint32_t> room;
  const std::span<const std::uint32_t> places =
      neighbours.find({0, 0, 1000, 1000}, {.share = 0.5F}, room);
  ASSERT_EQ(places.size(), 3U);
  for (const std::uint32_t place : places) {
    const auto& [box, number] = neighbours[place];
    EXPECT_EQ(box.box, boxes[number]);
    EXPECT_EQ(box.area, box.box.width() * box.box.height());
    EXPECT_EQ(box.side, std::sqrt(box.area));
  }
}

TEST(Neighbours, AreFoundFarFromAnyPictureToo) {
  const std::vector<Box> boxes{
      {-9e30F, 5, -8e30F, 6e30F}, {60'000, 60'000, 60'010, 60'010}, {1e9F, 1e9F, 2e9F, 2e9F}};
  const Neighbours neighbours(boxes);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    EXPECT_TRUE(std::ranges::count(numbers_near(neighbours, boxes[i], {}), i) == 1) << i;
}

TEST(Neighbours, AreNoneOfNone) {
  for (const Neighbours& none : {Neighbours(), Neighbours(std::vector<Box>())})
    EXPECT_TRUE(numbers_near(none, {0, 0, 10, 10}, {.reach = 100}).empty());
}

}  // namespace
}  // namespace facepipe::track
