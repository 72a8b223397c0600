#include "track/between.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <utility>

#include "track/matching.h"
#include "track/motion_rules.h"

namespace facepipe::track {
namespace {

// These values were chosen on the clips of data/loop-clips with every second frame searched. There,
// recall and precision against the run that searches all frames are about equal
// (bench/every_nth.py).
/// The weight of the higher score in the score of a pair.
constexpr float kHigherScore = 0.6F;
/// A detection without a partner loses this share of its score from its own searched frame to the
/// other searched frame.
constexpr float kLostScore = 0.6F;

/// Limits for a face that moves so fast that its points are not found again. The limits apply to
/// two detections that have no other partner: the distance of the centres, divided by the smaller
/// size; the ratio of the sizes; and the scores, on the usual scale.
constexpr float kMostFar = 1.5F;
constexpr float kMostFarRatio = 1.4F;
constexpr float kLeastFarScore = 0.3F;

/// For each picture of a Way: the positions of the boxes of one searched frame.
using Paths = std::vector<std::vector<Box>>;

/// Holds the pictures from one searched frame to the next, and the changes between neighbouring
/// pictures.
struct Way {
  std::vector<TimedPicture> pictures;  ///< includes the pictures of the searched frames
  /// The change to each picture from the previous picture; [0] is unused.
  std::vector<PictureChange> changes;

  [[nodiscard]] std::size_t last() const { return pictures.size() - 1; }
  /// Returns the time from the first picture, as a share of the whole time.
  [[nodiscard]] float share(std::size_t i) const {
    const double first = pictures.front().time_s;
    return static_cast<float>((pictures[i].time_s - first) / (pictures.back().time_s - first));
  }
};

Way way_of(MotionEstimator& motion, const SearchedFrame& before,
           std::span<const TimedPicture> between, const SearchedFrame* after) {
  Way way;
  way.pictures.push_back(before.at);
  way.pictures.insert(way.pictures.end(), between.begin(), between.end());
  if (after != nullptr) way.pictures.push_back(after->at);
  way.changes.emplace_back();
  for (std::size_t i = 1; i < way.pictures.size(); ++i)
    way.changes.push_back(motion.compare(*way.pictures[i - 1].picture, *way.pictures[i].picture));
  return way;
}

/// Follows boxes from picture to picture, forwards or backwards, up to a cut. Only boxes for which
/// `goes` is true move; the others stay as they are.
/// @return the boxes in each picture; none in pictures beyond a cut
Paths paths_of(MotionEstimator& motion, const Way& way, std::vector<Box> boxes,
               const std::vector<bool>& goes, bool forwards) {
  Paths paths(way.pictures.size());
  std::size_t at = forwards ? 0 : way.last();
  paths[at] = boxes;
  const int grid = grid_for(static_cast<std::size_t>(std::ranges::count(goes, true)));
  while (at != (forwards ? way.last() : 0)) {
    const std::size_t to = forwards ? at + 1 : at - 1;
    const PictureChange& change = way.changes[std::max(at, to)];
    if (change.cut) break;
    const Similarity camera = forwards ? change.camera : change.camera.inverse();
    std::vector<BoxStep> steps;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (goes[i] && is_usable(boxes[i]))
        steps.push_back({way.pictures[at].picture.get(), way.pictures[to].picture.get(), boxes[i],
                         camera, grid});
    const std::vector<Box> places = motion.follow(steps);
    auto place = places.begin();
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (goes[i] && is_usable(boxes[i])) boxes[i] = *place++;
    paths[to] = boxes;
    at = to;
  }
  return paths;
}

/// Holds a possible pair of detections, one of each searched frame.
struct FarPair {
  float apart = 0;         ///< distance of the centres, divided by the smaller size
  std::size_t before = 0;  ///< index of the detection in the first frame
  std::size_t after = 0;   ///< index of the detection in the second frame
  friend auto operator<=>(const FarPair&, const FarPair&) = default;
};

/// Returns FarPair::apart; nullopt if the boxes can't be of one face.
std::optional<float> far_apart(const Box& a, const Box& b) {
  const float of_a = std::sqrt(a.width() * a.height());
  const float of_b = std::sqrt(b.width() * b.height());
  const auto [small, large] = std::minmax(of_a, of_b);
  const float x = (a.x1 + a.x2 - b.x1 - b.x2) / 2;
  const float y = (a.y1 + a.y2 - b.y1 - b.y2) / 2;
  const float apart = std::hypot(x, y) / small;
  if (large > kMostFarRatio * small || apart > kMostFar) return std::nullopt;
  return apart;
}

std::vector<bool> usable_ones(const std::vector<Box>& boxes) {
  std::vector<bool> usable;
  for (const Box& box : boxes) usable.push_back(is_usable(box));
  return usable;
}

Point inside(const Box& box, float u, float v) {
  return {box.x1 + u * box.width(), box.y1 + v * box.height()};
}

/// Returns landmarks in `box`. Their relative positions in the box are interpolated between face i
/// of `a` (k = 0) and face j of `b` (k = 1).
Landmarks landmarks_in(const Box& box, const Detections& a, std::size_t i, const Detections& b,
                       std::size_t j, float k) {
  Landmarks points;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Box& of_a = a.boxes[i];
    const Box& of_b = b.boxes[j];
    const Point in_a = a.landmarks[i][p];
    const Point in_b = b.landmarks[j][p];
    const auto mixed = [k](float from, float to) { return from + k * (to - from); };
    points[p] =
        inside(box, mixed((in_a.x - of_a.x1) / of_a.width(), (in_b.x - of_b.x1) / of_b.width()),
               mixed((in_a.y - of_a.y1) / of_a.height(), (in_b.y - of_b.y1) / of_b.height()));
  }
  return points;
}

/// A face as it is added to FacesBetween.
struct FaceToAdd {
  Box box;
  float score = 0;
  std::uint16_t found_class = 0;
  const Landmarks* points = nullptr;  ///< null if there are none
};

void add(FacesBetween& to, const FaceToAdd& face, std::optional<std::size_t> before,
         std::optional<std::size_t> after) {
  if (face.points != nullptr)
    to.faces.push_back(face.box, face.score, *face.points);
  else
    to.faces.push_back(face.box, face.score);
  to.faces.set_class_of_last(face.found_class);
  to.before.push_back(before);
  to.after.push_back(after);
}

/// Finds the faces of the pictures between two searched frames, picture by picture.
class Filling {
 public:
  Filling(MotionEstimator& motion, const SearchedFrame& before, const Way& way,
          const SearchedFrame* after, const ScoreScales& scale)
      : motion_(motion),
        before_(before),
        after_(after),
        way_(way),
        end_(end_of(before, after)),
        scale_(scale) {
    forwards_ =
        paths_of(motion_, way_, before_.found.boxes, usable_ones(before_.found.boxes), true);
    if (after_ == nullptr) return;
    match();
    backwards_ = paths_of(motion_, way_, end_.boxes, alone_after_, false);
  }

  [[nodiscard]] FacesBetween at(std::size_t i) const {
    FacesBetween here;
    if (!forwards_[i].empty())
      for (std::size_t a = 0; a < forwards_[i].size(); ++a) add_of_before(here, i, a);
    if (after_ != nullptr && !backwards_[i].empty())
      for (std::size_t b = 0; b < backwards_[i].size(); ++b) add_of_after(here, i, b);
    return here;
  }

 private:
  static const Detections& end_of(const SearchedFrame& before, const SearchedFrame* after) {
    return after != nullptr ? after->found : before.found;
  }

  void match() {
    partner_.assign(before_.found.size(), std::nullopt);
    alone_after_ = usable_ones(end_.boxes);
    reached_ = !forwards_.back().empty();
    if (!reached_) return;
    Detections predictions;
    std::vector<std::size_t> whose;
    for (std::size_t a = 0; a < forwards_.back().size(); ++a) {
      if (!is_usable(before_.found.boxes[a]) || !is_usable(forwards_.back()[a])) continue;
      predictions.push_back(forwards_.back()[a], before_.found.scores[a]);
      predictions.set_class_of_last(before_.found.class_of(a));
      whose.push_back(a);
    }
    for (const Match& match : match_greedily(predictions, end_)) {
      if (!is_usable(end_.boxes[match.detection])) continue;
      partner_[whose[match.prediction]] = match.detection;
      alone_after_[match.detection] = false;
    }
    match_far();
  }

  /// Returns the least score of both detections of a pair of match_far().
  [[nodiscard]] float far_score(std::uint16_t found_class) const {
    return scale_.of(found_class).own(kLeastFarScore);
  }

  /// Matches the detections that have no partner yet, nearest first.
  void match_far() {
    const Detections& found = before_.found;
    far_.assign(found.size(), false);
    std::vector<FarPair> pairs;
    for (std::size_t a = 0; a < found.size(); ++a) {
      if (partner_[a] || found.scores[a] < far_score(found.class_of(a)) ||
          !is_usable(forwards_.back()[a]))
        continue;
      for (std::size_t b = 0; b < end_.size(); ++b) {
        if (!alone_after_[b] || found.class_of(a) != end_.class_of(b)) continue;
        if (end_.scores[b] < far_score(end_.class_of(b))) continue;
        // Both the followed box and the detected box are tried, because the followed points may
        // belong to the background.
        for (const Box& from : {forwards_.back()[a], found.boxes[a]})
          if (const auto apart = far_apart(from, end_.boxes[b])) pairs.push_back({*apart, a, b});
      }
    }
    std::ranges::sort(pairs);
    for (const FarPair& pair : pairs) {
      if (partner_[pair.before] || !alone_after_[pair.after]) continue;
      partner_[pair.before] = pair.after;
      far_[pair.before] = true;
      alone_after_[pair.after] = false;
    }
  }

  void add_of_before(FacesBetween& here, std::size_t i, std::size_t a) const {
    const Detections& found = before_.found;
    Box box = forwards_[i][a];
    if (!is_usable(found.boxes[a]) || !is_usable(box)) return;
    const float k = way_.share(i);
    float score = found.scores[a];
    std::optional<std::size_t> b;
    if (after_ != nullptr) b = partner_[a];
    if (b) {
      const Box& end = end_.boxes[*b];
      const Box& came = forwards_.back()[a];
      box = far_[a] ? track::between(found.boxes[a], end, k)
                    : Box{box.x1 + k * (end.x1 - came.x1), box.y1 + k * (end.y1 - came.y1),
                          box.x2 + k * (end.x2 - came.x2), box.y2 + k * (end.y2 - came.y2)};
      const auto [low, high] = std::minmax(score, end_.scores[*b]);
      score = kHigherScore * high + (1 - kHigherScore) * low;
    } else if (after_ != nullptr && reached_) {
      score *= 1 - kLostScore * k;  // not after a cut: then the other frame can't show this face
    }
    if (!is_usable(box) || !meets(box, way_.pictures[i].picture->size())) return;
    const bool points = found.has_landmarks() && (!b || end_.has_landmarks());
    const Landmarks marks = !points ? Landmarks{}
                            : b     ? landmarks_in(box, found, a, end_, *b, k)
                                    : landmarks_in(box, found, a, found, a, 0);
    add(here, {box, score, found.class_of(a), points ? &marks : nullptr}, a, b);
  }

  void add_of_after(FacesBetween& here, std::size_t i, std::size_t b) const {
    const Box& box = backwards_[i][b];
    if (!alone_after_[b] || !is_usable(box) || !meets(box, way_.pictures[i].picture->size()))
      return;
    const float lost = reached_ ? kLostScore * (1 - way_.share(i)) : 0;
    const bool points = end_.has_landmarks();
    const Landmarks marks = points ? landmarks_in(box, end_, b, end_, b, 0) : Landmarks{};
    add(here, {box, end_.scores[b] * (1 - lost), end_.class_of(b), points ? &marks : nullptr},
        std::nullopt, b);
  }

  MotionEstimator& motion_;
  const SearchedFrame& before_;
  const SearchedFrame* after_;
  const Way& way_;
  const Detections& end_;
  const ScoreScales& scale_;
  Paths forwards_;
  Paths backwards_;
  std::vector<std::optional<std::size_t>> partner_;  ///< the partner of each detection of `before`
  std::vector<bool> far_;                            ///< whether match_far() has found the partner
  std::vector<bool> alone_after_;  ///< by detection of `after`: it is usable and has no partner
  bool reached_ = false;           ///< true if no cut lies between the searched frames
};

}  // namespace

std::vector<FacesBetween> faces_between(MotionEstimator& motion, const SearchedFrame& before,
                                        std::span<const TimedPicture> between,
                                        const SearchedFrame* after, const ScoreScales& scale) {
  const Way way = way_of(motion, before, between, after);
  const Filling filling(motion, before, way, after, scale);
  std::vector<FacesBetween> frames;
  for (std::size_t i = 1; i <= between.size(); ++i) frames.push_back(filling.at(i));
  return frames;
}

}  // namespace facepipe::track
