#include "track/similarity.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace facepipe::track {
namespace {

constexpr float kMostScale = 2;
constexpr int kMostRounds = 200;
constexpr double kConfidence = 0.995;

bool is_plausible(const Similarity& s) {
  const float square = s.a * s.a + s.b * s.b;
  return square > 1 / (kMostScale * kMostScale) && square < kMostScale * kMostScale;
}

class Fit {
 public:
  Fit(std::span<const Point> from, std::span<const Point> to, float tolerance)
      : from_(from), to_(to), square_(tolerance * tolerance) {}

  /// Returns the similarity that two pairs of points define; nullopt if the points coincide, or if
  /// the scale isn't plausible.
  [[nodiscard]] std::optional<Similarity> through(std::size_t i, std::size_t j) const {
    const float ux = from_[j].x - from_[i].x;
    const float uy = from_[j].y - from_[i].y;
    const float vx = to_[j].x - to_[i].x;
    const float vy = to_[j].y - to_[i].y;
    const float square = ux * ux + uy * uy;
    if (!(square > 1)) return std::nullopt;
    Similarity s;
    s.a = (ux * vx + uy * vy) / square;
    s.b = (ux * vy - uy * vx) / square;
    s.dx = to_[i].x - s.a * from_[i].x + s.b * from_[i].y;
    s.dy = to_[i].y - s.b * from_[i].x - s.a * from_[i].y;
    if (!is_plausible(s)) return std::nullopt;
    return s;
  }

  [[nodiscard]] bool fits(const Similarity& s, std::size_t i) const {
    const Point p = s(from_[i]);
    const float x = p.x - to_[i].x;
    const float y = p.y - to_[i].y;
    return x * x + y * y <= square_;
  }

  [[nodiscard]] std::size_t inliers(const Similarity& s) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < from_.size(); ++i) count += fits(s, i) ? 1 : 0;
    return count;
  }

  /// Returns the least-squares fit over the inliers of `s`; nullopt if all inliers coincide, or if
  /// the scale isn't plausible.
  [[nodiscard]] std::optional<Similarity> refined(const Similarity& s) const {
    std::vector<std::size_t> in;
    for (std::size_t i = 0; i < from_.size(); ++i)
      if (fits(s, i)) in.push_back(i);
    if (in.size() < 2) return std::nullopt;
    double fx = 0, fy = 0, tx = 0, ty = 0;  // NOLINT(readability-isolate-declaration): means
    for (const std::size_t i : in) {
      fx += from_[i].x, fy += from_[i].y;
      tx += to_[i].x, ty += to_[i].y;
    }
    const auto n = static_cast<double>(in.size());
    fx /= n, fy /= n, tx /= n, ty /= n;
    double dot = 0, cross = 0, square = 0;  // NOLINT(readability-isolate-declaration): sums
    for (const std::size_t i : in) {
      const double ux = from_[i].x - fx;
      const double uy = from_[i].y - fy;
      const double vx = to_[i].x - tx;
      const double vy = to_[i].y - ty;
      dot += ux * vx + uy * vy;
      cross += ux * vy - uy * vx;
      square += ux * ux + uy * uy;
    }
    if (!(square > 1)) return std::nullopt;
    const double a = dot / square;
    const double b = cross / square;
    const Similarity fit{static_cast<float>(a), static_cast<float>(b),
                         static_cast<float>(tx - a * fx + b * fy),
                         static_cast<float>(ty - b * fx - a * fy)};
    if (!is_plausible(fit)) return std::nullopt;
    return fit;
  }

 private:
  std::span<const Point> from_;
  std::span<const Point> to_;
  float square_;
};

/// Returns the number of rounds after which, with the probability kConfidence, both points of a
/// round were inliers at least once.
int rounds_for(std::size_t inliers, std::size_t points) {
  const double share = static_cast<double>(inliers) / static_cast<double>(points);
  const double miss = 1 - share * share;
  if (miss <= 0) return 1;
  const double rounds = std::log(1 - kConfidence) / std::log(miss);
  return rounds < kMostRounds ? static_cast<int>(std::ceil(rounds)) : kMostRounds;
}

}  // namespace

float Similarity::scale() const { return std::sqrt(a * a + b * b); }

Similarity Similarity::inverse() const {
  const float square = a * a + b * b;
  Similarity s;
  s.a = a / square;
  s.b = -b / square;
  s.dx = -(s.a * dx - s.b * dy);
  s.dy = -(s.b * dx + s.a * dy);
  return s;
}

Box moved(const Box& box, const Similarity& by) {
  const Point centre = by({(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2});
  const float x = box.width() / 2 * by.scale();
  const float y = box.height() / 2 * by.scale();
  return {centre.x - x, centre.y - y, centre.x + x, centre.y + y};
}

SimilarityFit fit_similarity(std::span<const Point> from, std::span<const Point> to,
                             float tolerance) {
  const std::size_t n = std::min(from.size(), to.size());
  const Fit fit(from.first(n), to.first(n), tolerance);
  SimilarityFit best;
  if (n < 2) return best;
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): equal pictures must give equal motion
  int rounds = kMostRounds;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t i = random() % n;
    const std::size_t j = random() % n;
    const std::optional<Similarity> model = fit.through(i, j);
    if (!model) continue;
    const std::size_t inliers = fit.inliers(*model);
    if (inliers <= best.inliers) continue;
    best = {*model, inliers};
    rounds = rounds_for(inliers, n);
  }
  for (int again = 0; again < 2; ++again)
    if (const std::optional<Similarity> model = fit.refined(best.model))
      if (const std::size_t inliers = fit.inliers(*model); inliers >= best.inliers)
        best = {*model, inliers};
  return best;
}

}  // namespace facepipe::track
