// Makes sets of candidates for tests and measurements of suppression on CPU and device. The sets
// are the same on every machine: this file uses std::mt19937, which is portable. It doesn't use the
// standard library's distributions, which aren't portable.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry.h"

namespace facepipe::test {

struct NmsCase {
  std::string name;
  std::vector<Box> boxes;
  std::vector<float> scores;

  [[nodiscard]] std::size_t size() const { return boxes.size(); }
  void add(const Box& box, float score) {
    boxes.push_back(box);
    scores.push_back(score);
  }
};

class NmsRandom {
 public:
  explicit NmsRandom(unsigned seed) : bits_(seed) {}
  /// Returns a random whole number from 0 to end - 1.
  unsigned below(unsigned end) { return static_cast<unsigned>(bits_() % end); }
  /// Returns a random number in [0, 1), which has all 24 bits of a float's fraction.
  float uniform() { return static_cast<float>(bits_() >> 8) * 0x1p-24F; }
  float uniform(float begin, float end) { return begin + (end - begin) * uniform(); }
  /// Returns a random number with mean 0 and standard deviation 1, between -6 and 6: a sum of
  /// twelve uniform numbers.
  float normal() {
    float sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
  /// Shuffles by the method of Fisher and Yates, because std::shuffle gives different results with
  /// different libraries.
  template <class Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[below(static_cast<unsigned>(i))]);
  }

 private:
  std::mt19937 bits_;
};

// --- Candidates like those of detectors

/// Returns `count` candidates around count / 20 square faces, in random order. Faces have 20 to 120
/// pixels, and the frame has 3840x2160. The standard deviation of a candidate's centre is `jitter`
/// times the face's size, and that of the size's natural logarithm is `jitter`.
inline NmsCase faces(std::string name, std::size_t count, float jitter, unsigned seed) {
  NmsRandom random(seed);
  struct Face {
    float x, y, size;
  };
  std::vector<Face> centres(std::max<std::size_t>(1, count / 20));
  for (Face& face : centres)
    face = {random.uniform(0, 3840), random.uniform(0, 2160), random.uniform(20, 120)};
  NmsCase out;
  out.name = std::move(name);
  for (std::size_t i = 0; i < count; ++i) {
    const Face& face = centres[random.below(static_cast<unsigned>(centres.size()))];
    const float x = face.x + jitter * face.size * random.normal();
    const float y = face.y + jitter * face.size * random.normal();
    const float half = face.size * std::exp(jitter * random.normal()) / 2;
    out.add({x - half, y - half, x + half, y + half}, random.uniform());
  }
  return out;
}

/// Returns faces for which the usual threshold is 0.5.
inline NmsCase tight_faces(std::size_t count, unsigned seed = 1) {
  return faces("faces tight", count, 0.08F, seed);
}

/// Returns faces for which the usual threshold is 0.3.
inline NmsCase wide_faces(std::size_t count, unsigned seed = 2) {
  return faces("faces wide", count, 0.16F, seed);
}

/// Returns candidates around 160 faces, which form a grid of 16x10 without gaps.
inline NmsCase crowd(std::size_t count, unsigned seed = 3) {
  NmsRandom random(seed);
  NmsCase out;
  out.name = "crowd grid";
  constexpr float kSide = 64;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned face = random.below(160);
    const unsigned column = face % 16;
    const unsigned row = face / 16;
    const float x = kSide * (static_cast<float>(column) + 0.1F * random.normal());
    const float y = kSide * (static_cast<float>(row) + 0.1F * random.normal());
    const float side = kSide * std::exp(0.1F * random.normal());
    out.add({x, y, x + side, y + side}, random.uniform());
  }
  return out;
}

/// Returns the boxes of torchvision's test_ops.TestNMS: one corner is in 100x100, and sides are up
/// to 100. The IoU of the last box with the first is threshold + 1e-5.
inline NmsCase torchvision_random(std::size_t count, float threshold, unsigned seed = 4) {
  NmsRandom random(seed);
  NmsCase out;
  out.name = "random";
  for (std::size_t i = 0; i < count; ++i) {
    const float x = random.uniform(0, 100);
    const float y = random.uniform(0, 100);
    const float width = random.uniform(0, 100);
    const float height = random.uniform(0, 100);
    out.add({x, y, x + width, y + height}, random.uniform());
  }
  if (count < 2) return out;
  const float iou = threshold + 1e-5F;
  Box& last = out.boxes.back() = out.boxes.front();
  last.x2 += last.width() * (1 - iou) / iou;
  return out;
}

// --- Candidates with whole-number corners, whose areas are exact

/// Returns `count` candidates around count / 7 places. There are only `score_steps` different
/// scores, so scores can be equal.
inline NmsCase whole_clusters(std::size_t count, unsigned seed, unsigned score_steps) {
  NmsRandom random(seed);
  const auto pick = [&](unsigned end) { return static_cast<float>(random.below(end)); };
  std::vector<Box> centres(count / 7 + 1);
  for (Box& box : centres) {
    const float x = pick(1800);
    const float y = pick(1000);
    const float side = 8 + pick(120);
    box = {x, y, x + side, y + side + pick(30)};
  }
  NmsCase out;
  out.name = "whole clusters";
  for (std::size_t i = 0; i < count; ++i) {
    const Box& near = centres[random.below(static_cast<unsigned>(centres.size()))];
    const float dx = pick(25) - 12;
    const float dy = pick(25) - 12;
    const float wider = pick(7);
    const float score = pick(score_steps) / static_cast<float>(score_steps);
    out.add({near.x1 + dx, near.y1 + dy, near.x2 + dx + wider, near.y2 + dy}, score);
  }
  return out;
}

/// Replaces the n scores by k / (n + 1), k = 1..n, in random order.
inline void make_scores_distinct(NmsCase& all, unsigned seed) {
  NmsRandom random(seed);
  std::iota(all.scores.begin(), all.scores.end(), 1.0F);
  random.shuffle(all.scores);
  for (float& score : all.scores) score /= static_cast<float>(all.size() + 1);
}

/// Returns a chain of boxes. Each box has an IoU of 3/7 with the next box, and of 1/9 with the box
/// after the next. Scores fall along the chain, so that each decision depends on the decision
/// before.
inline NmsCase chain(std::size_t count) {
  NmsCase out;
  out.name = "chain";
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<float>(40 * i);
    out.add({x, 0, x + 100, 100}, static_cast<float>(count - i) / static_cast<float>(count + 1));
  }
  return out;
}

/// Returns boxes without overlaps. Some of them touch.
inline NmsCase disjoint(std::size_t count, unsigned seed = 5) {
  NmsRandom random(seed);
  NmsCase out;
  out.name = "disjoint";
  const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t column = i % columns;
    const std::size_t row = i / columns;
    const auto x = static_cast<float>(12 * column);
    const auto y = static_cast<float>(10 * row);
    out.add({x, y, x + 10, y + 10}, random.uniform());
  }
  return out;
}

/// Returns candidates that all have the same box and score.
inline NmsCase identical(std::size_t count) {
  return {"identical", std::vector<Box>(count, Box{10, 20, 110, 140}),
          std::vector<float>(count, 0.5F)};
}

/// Returns a middle box with the score `middle_score`, and other boxes in a circle around it, with
/// scores in [0.25, 0.75). Each of the other boxes overlaps the middle box. Boxes on opposite sides
/// of the circle don't overlap each other.
inline NmsCase star(std::size_t count, float middle_score, unsigned seed = 6) {
  NmsRandom random(seed);
  NmsCase out;
  out.name = "star";
  for (std::size_t i = 0; i < count; ++i) {
    const bool middle = i == count / 2;
    const double angle = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(count);
    const auto x = middle ? 0.0F : static_cast<float>(std::lround(60 * std::cos(angle)));
    const auto y = middle ? 0.0F : static_cast<float>(std::lround(60 * std::sin(angle)));
    const float score = 0.25F + random.uniform() / 2;
    out.add({x, y, x + 100, y + 100}, middle ? middle_score : score);
  }
  return out;
}

/// Returns normal boxes mixed with invalid, infinite and huge boxes.
inline NmsCase degenerate(std::size_t count, unsigned seed = 7) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kHuge = std::numeric_limits<float>::max();
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  NmsCase out = whole_clusters(count, seed, 50);
  out.name = "degenerate";
  NmsRandom random(seed + 1);
  const std::vector<Box> odd{
      {kNan, 1, 9, 9},
      {1, kNan, 9, 9},
      {1, 1, kNan, 9},
      {1, 1, 9, kNan},
      {5, 5, 5, 9},
      {5, 5, 9, 5},
      {9, 5, 5, 9},
      {5, 9, 9, 5},
      {-kInf, -kInf, kInf, kInf},
      {-kHuge, -kHuge, kHuge, kHuge},
      {0, -kInf, 50, kInf},
      {kInf, 0, kInf, 9},
      {0, 0, kTiny, kTiny},
      {0, 0, kTiny, 1000},
      {-0.0F, 0, 0, 5},
  };
  const std::vector<float> odd_scores{kNan, kInf, -kInf, 0.0F, -0.0F, -1.0F, kTiny, -kTiny};
  for (std::size_t i = 0; i < count; ++i) {
    if (random.below(3) == 0) out.boxes[i] = odd[random.below(static_cast<unsigned>(odd.size()))];
    if (random.below(4) == 0)
      out.scores[i] = odd_scores[random.below(static_cast<unsigned>(odd_scores.size()))];
  }
  return out;
}

// --- Orders, and sets of cases

/// Returns the same candidates in the order in which a detector's head returns candidates: row by
/// row of the head's output, with stride 4.
inline NmsCase in_raster_order(const NmsCase& all) {
  std::vector<std::pair<double, std::size_t>> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Box& box = all.boxes[i];
    const double row = std::floor((static_cast<double>(box.y1) + box.y2) / 8);
    const double column = std::floor((static_cast<double>(box.x1) + box.x2) / 8);
    places.emplace_back(row * 1e7 + column, i);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  NmsCase out;
  out.name = all.name + ", raster order";
  for (const auto& [place, i] : places) out.add(all.boxes[i], all.scores[i]);
  return out;
}

inline NmsCase shuffled(const NmsCase& all, unsigned seed) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  NmsRandom(seed).shuffle(order);
  NmsCase out;
  out.name = all.name + ", shuffled";
  for (const std::size_t i : order) out.add(all.boxes[i], all.scores[i]);
  return out;
}

/// Holds a case for measurements, and its usual threshold. Variants of a case have different seeds.
struct TimedCase {
  NmsCase candidates;
  float threshold;
};
inline std::vector<TimedCase> timed_cases(std::size_t count, unsigned variant = 0) {
  const unsigned seed = 1000 * variant;
  return {{tight_faces(count, seed + 1), 0.5F},
          {wide_faces(count, seed + 2), 0.3F},
          {crowd(count, seed + 3), 0.3F},
          {torchvision_random(count, 0.5F, seed + 4), 0.5F},
          {chain(count), 0.3F},
          {disjoint(count, seed + 5), 0.3F},
          {identical(count), 0.5F}};
}

/// Returns numbers of candidates at which the code changes its method, or at which its last block
/// isn't full.
inline std::vector<std::size_t> edge_sizes() {
  return {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1024};
}

/// Returns cases in random order, with equal scores and whole-number corners, so that oracles can
/// compute exactly.
inline std::vector<NmsCase> exact_cases(std::size_t count, unsigned seed) {
  std::vector<NmsCase> out{whole_clusters(count, seed, 1),
                           whole_clusters(count, seed + 1, 4),
                           whole_clusters(count, seed + 2, 1U << 20),
                           chain(count),
                           shuffled(chain(count), seed + 3),
                           disjoint(count, seed + 4),
                           identical(count),
                           star(count, 0.9F, seed + 5),
                           star(count, 0.1F, seed + 6)};
  return out;
}

}  // namespace facepipe::test
