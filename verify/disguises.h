// Looks for a face in other places and planes of a hidden video: it need not be where it was, nor
// in the luma, to be seen.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/geometry.h"
#include "verify/detail.h"
#include "verify/grey.h"

namespace facepipe::verify {

/// Says how a face is shown.
enum class Disguise : std::uint8_t {
  none,          ///< where it was, in the luma
  other_plane,   ///< in chroma or alpha
  other_frame,   ///< a frame too early or too late
  whole_turned,  ///< with all of the picture mirrored, turned by a quarter or upside down
  moved          ///< a little beside its place, mirrored or not
};
/// "as it was", "in another plane", ...
[[nodiscard]] std::string_view name_of(Disguise disguise);

struct Shown {
  DetailLeft detail;
  Disguise disguise = Disguise::none;
};

/// Holds a frame of the hidden video, and its neighbours, null where there is none.
struct HiddenPictures {
  const Planes& now;
  const Planes* before = nullptr;
  const Planes* after = nullptr;
};

/// Returns what of a face the hidden video shows at its place, or, where that is hidden or
/// weakened, in the first of the disguises that show it. Offsets of up to 1.25 % of the picture's
/// longer side are tried, as much as enlarging by 2.5 % moves its edge, and at most 16 cells;
/// places where the original shows the same itself, as neighbours on a wall do, don't count. Faces
/// under 12 pixels are looked for at their place alone.
/// @param box  finite; in pixels of the original
[[nodiscard]] Shown shown_of(const Planes& original, const HiddenPictures& hidden, const Box& box);

}  // namespace facepipe::verify
