// How much of what identifies a face is left of it in another picture.
#pragma once

#include "core/geometry.h"
#include "verify/grey.h"

namespace facepipe {

/// Of a box' inner area (the central 80 %, as far as it lies in the picture) the shares, which add
/// up to 1, whose detail
struct DetailLeft {
  double gone = 1;      ///< is gone: under half of it is left
  double weakened = 0;  ///< is there in part, as behind a weak blur or small cells
  double left = 0;      ///< is there as it was
};

/// A face of which less than this is gone is not hidden.
inline constexpr double kHiddenShare = 0.9;

/// Detail is what identifies a face: 2.5 to 10 cycles a face. The box' luma becomes 20 x 20 cells,
/// less their blur of 1.5 cells. With the detail a of `before` and b of `after`, the sums <..> over
/// 7 x 7 cells say for each cell what is left: r = <a,b> / <a,a>. It is 1 in a copy, brighter or
/// not, and 0 under a solid or another picture. Gone means r < 0.5; weakened, that what differs,
/// <a-b,a-b>, is over 0.3 of <a,a>. Cells without detail to lose (under 2 grey levels) don't
/// count; where no cell counts, all is gone.
///
/// @param before, after  may differ in size: `box`, in pixels of `before`, is scaled for `after`
/// @param box            finite; may pass the picture's edge
[[nodiscard]] DetailLeft detail_left(const Grey& before, const Grey& after, const Box& box);

}  // namespace facepipe
