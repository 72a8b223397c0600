// Measures how much of what identifies a face is left of it in another picture.
#pragma once

#include "core/geometry.h"
#include "verify/cells.h"
#include "verify/grey.h"

namespace facepipe::verify {

/// Divides a box' inner area (the central 80 %, as far as it lies in the picture) into three
/// shares, which add up to 1: those whose detail
struct DetailLeft {
  double gone = 1;      ///< is gone: under half of it is left, and what is there is something else
  double weakened = 0;  ///< is there in part, as behind a weak blur or small cells
  double left = 0;      ///< is there as it was, dimmed and negative included
};

/// A face of which less than this is gone is not hidden.
inline constexpr double kHiddenShare = 0.9;

[[nodiscard]] inline bool is_hidden(const DetailLeft& detail) {
  return detail.gone >= kHiddenShare;
}

/// Whether hardly any of it is there as it was: it is weakened, or gone.
[[nodiscard]] inline bool is_weakened(const DetailLeft& detail) {
  return detail.left <= 1 - kHiddenShare;
}

/// An area's detail must be so like the whole face to count whatever its contrast. README.md has
/// the measurements.
inline constexpr double kLikeInPlace = 0.5;
/// It must be more like it where one of several places is chosen: chance has more to choose from.
inline constexpr double kLikeElsewhere = 0.7;

/// Measures what another picture shows of a face in the original.
class FaceDetail {
 public:
  /// @param box  finite; in pixels of `picture`, whose edge it may pass
  FaceDetail(const Grey& picture, const Box& box);

  /// Returns what of it is left in the detail of another area, of kFaceCells a side. Detail is what
  /// identifies a face: 2.5 to 10 cycles a face. With the detail a of the face and b of the other,
  /// the sums <..> over 7 x 7 cells say for each cell what is left. It isn't gone
  /// * where r = <a,b> / <a,a> is 0.5 at least: r is 1 in a copy, brighter or not, whatever noise
  ///   lies on it, and 0 under a solid or another picture; or
  /// * where the correlation <a,b> / sqrt(<a,a> <b,b>), which knows neither scale nor sign, is over
  ///   0.7 or under -0.7, and that of all inner cells at least `like`. Of b there must be more than
  ///   rounding leaves: 0.3 grey levels, and 5 % of a.
  /// It is as it was where the part of b that a doesn't explain is under 0.3 of its energy.
  /// Cells without detail to lose (under 2 grey levels) don't count; where no cell counts, all is
  /// gone.
  [[nodiscard]] DetailLeft left_in(const Cells& other, double like) const;

  /// Correlates all inner cells: 0..1, and 0 where there is too little of either.
  /// @param x, y  where in `other`, which may be larger, the face's first cell is
  [[nodiscard]] double likeness(const Cells& other, int x = 0, int y = 0) const;

  /// Whether there is enough of it for likeness().
  [[nodiscard]] bool has_detail() const { return has_detail_; }

 private:
  [[nodiscard]] bool is_inner(int x, int y) const { return inner_.at(x, y) > 0; }

  Cells cells_;
  Cells inner_;  // 1 for those that lie in the picture, else 0
  Cells energies_;
  bool has_detail_ = false;
};

}  // namespace facepipe::verify
