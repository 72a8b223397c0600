// Measures how much of the detail that identifies a face is left in another picture.
#pragma once

#include "core/geometry.h"
#include "verify/cells.h"
#include "verify/grey.h"

namespace facepipe::verify {

/// Divides the inner area of a face's box into three shares, which add up to 1. The inner area is
/// the central 80 % of the box, as far as it lies in the picture.
struct DetailLeft {
  /// The share whose detail is gone: less than half of the detail is left, and the other picture
  /// shows something else there.
  double gone = 1;
  /// The share whose detail is partly left, as behind a weak blur or small mosaic cells.
  double weakened = 0;
  /// The share whose detail is unchanged, even if it is dimmed or negative.
  double left = 0;
};

/// A face is hidden if at least this share of it is gone.
inline constexpr double kHiddenShare = 0.9;

[[nodiscard]] inline bool is_hidden(const DetailLeft& detail) {
  return detail.gone >= kHiddenShare;
}

/// Returns whether hardly any of the detail is unchanged: it is weakened or gone.
[[nodiscard]] inline bool is_weakened(const DetailLeft& detail) {
  return detail.left <= 1 - kHiddenShare;
}

/// Detail at the face's own place counts even with a changed contrast if its likeness() with the
/// face is at least this value. README.md has the measurements.
inline constexpr double kLikeInPlace = 0.5;
/// This is the limit for other places, of which the most similar place is chosen. The limit is
/// higher, because the most similar of several places is more often similar by chance.
inline constexpr double kLikeElsewhere = 0.7;

/// Measures what another picture shows of a face in the original.
class FaceDetail {
 public:
  /// @param box  finite, in pixels of `picture`; it may extend beyond the picture
  FaceDetail(const Grey& picture, const Box& box);

  /// Returns what is left of the face in `other`, the detail of another area with kFaceCells cells
  /// a side. Let a be the detail of the face, b the detail `other`, and <..> the mean over the 7 x
  /// 7 cells around a cell. The detail of this cell isn't gone in two cases:
  /// * r = <a,b> / <a,a> is at least 0.5. r is 1 in a copy, even if it is brighter or noisy. r is 0
  ///   under a solid colour or another picture.
  /// * The correlation <a,b> / sqrt(<a,a> <b,b>) is over 0.7 or under -0.7, and likeness() is at
  ///   least `like`. The correlation ignores scale and sign. b must then be larger than rounding
  ///   errors: at least 0.3 grey levels, and at least 5 % of a.
  /// In the first case, the detail is unchanged if b - a has at most 0.3 of a's energy. In the
  /// second case, it is unchanged if a explains at least 0.7 of b's energy. Cells with too little
  /// detail (under 2 grey levels) don't count. If no cell counts, all is gone.
  [[nodiscard]] DetailLeft left_in(const Cells& other, double like) const;

  /// Returns the absolute correlation of all inner cells: 0..1, or 0 if the face or `other` has too
  /// little detail.
  /// @param x, y  position of the face's first cell in `other`, which may be larger
  [[nodiscard]] double likeness(const Cells& other, int x = 0, int y = 0) const;

  /// Returns whether the face has enough detail for likeness().
  [[nodiscard]] bool has_detail() const { return has_detail_; }

 private:
  [[nodiscard]] bool is_inner(int x, int y) const { return inner_.at(x, y) > 0; }

  Cells cells_;
  Cells inner_;  // 1 for inner cells that lie in the picture, otherwise 0
  Cells energies_;
  bool has_detail_ = false;
};

}  // namespace facepipe::verify
