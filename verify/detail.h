// Measures how much of the detail that identifies a face is left in another picture.
#pragma once

#include "core/geometry.h"
#include "verify/cells.h"
#include "verify/grey.h"

namespace facepipe::verify {

/// Divides the inner area of a box into three shares, which add up to 1. The inner area is the
/// central 80 %, as far as it lies in the picture.
struct DetailLeft {
  /// The share whose detail is gone: less than half is left, and what is there is something else.
  double gone = 1;
  /// The share whose detail is partly there, as behind a weak blur or small cells.
  double weakened = 0;
  /// The share whose detail is there as it was, even if it is dimmed or negative.
  double left = 0;
};

/// A face isn't hidden if less than this share of it is gone.
inline constexpr double kHiddenShare = 0.9;

[[nodiscard]] inline bool is_hidden(const DetailLeft& detail) {
  return detail.gone >= kHiddenShare;
}

/// Returns whether hardly any of it is there as it was. It is then weakened or gone.
[[nodiscard]] inline bool is_weakened(const DetailLeft& detail) {
  return detail.left <= 1 - kHiddenShare;
}

/// An area's detail must be so similar to the whole face to count with any contrast. README.md has
/// the measurements.
inline constexpr double kLikeInPlace = 0.5;
/// If one of several places is chosen, the similarity must be higher, because chance has more to
/// choose from.
inline constexpr double kLikeElsewhere = 0.7;

/// Measures what another picture shows of a face in the original.
class FaceDetail {
 public:
  /// @param box  finite, in pixels of `picture`; it may extend beyond the picture
  FaceDetail(const Grey& picture, const Box& box);

  /// Returns what is left of the face in `other`, the detail of another area with kFaceCells a
  /// side. Detail is what identifies a face: 2.5 to 10 cycles a face. Let a be the detail of the
  /// face, and b the other one. The sums <..> over 7 x 7 cells tell for each cell what is left. The
  /// detail of a cell isn't gone
  /// * if r = <a,b> / <a,a> is at least 0.5. r is 1 in a copy, brighter or not, whatever noise lies
  ///   on it, and 0 under a solid colour or another picture; or
  /// * if the correlation <a,b> / sqrt(<a,a> <b,b>) is over 0.7 or under -0.7, and the correlation
  ///   of all inner cells is at least `like`. The correlation ignores scale and sign. b must then
  ///   be more than rounding leaves: 0.3 grey levels, and 5 % of a.
  /// The detail is as it was if the part of b that a doesn't explain is under 0.3 of its energy.
  /// Cells without detail to lose (under 2 grey levels) don't count. If no cell counts, all is
  /// gone.
  [[nodiscard]] DetailLeft left_in(const Cells& other, double like) const;

  /// Returns the correlation of all inner cells: 0..1, and 0 if either has too little detail.
  /// @param x, y  position of the face's first cell in `other`, which may be larger
  [[nodiscard]] double likeness(const Cells& other, int x = 0, int y = 0) const;

  /// Returns whether the face has enough detail for likeness().
  [[nodiscard]] bool has_detail() const { return has_detail_; }

 private:
  [[nodiscard]] bool is_inner(int x, int y) const { return inner_.at(x, y) > 0; }

  Cells cells_;
  Cells inner_;  // 1 for cells in the picture, otherwise 0
  Cells energies_;
  bool has_detail_ = false;
};

}  // namespace facepipe::verify
