// Looks for a face in other places and planes of a hidden video. A face can be seen although it
// isn't at its place or isn't in the luma.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/geometry.h"
#include "verify/detail.h"
#include "verify/grey.h"

namespace facepipe::verify {

enum class Disguise : std::uint8_t {
  none,          ///< at its place, in the luma
  other_plane,   ///< in chroma or in alpha
  other_frame,   ///< a frame too early or too late
  whole_turned,  ///< the whole picture is mirrored, turned by a quarter or upside down
  moved          ///< slightly beside its place, mirrored or not
};
/// Returns "as it was", "in another plane", ...
[[nodiscard]] std::string_view name_of(Disguise disguise);

struct Shown {
  DetailLeft detail;
  Disguise disguise = Disguise::none;
};

/// Refers to a frame of the hidden video, and to its neighbours, which are null if there are none.
struct HiddenPictures {
  const Planes& now;
  const Planes* before = nullptr;
  const Planes* after = nullptr;
};

/// Returns what the hidden video shows of a face at its place. If the face is hidden or weakened
/// there, it looks for the first disguise that shows the face, and returns that one if it shows
/// more. It tries offsets of up to 1.25 % of the picture's longer side and at most 16 cells.
/// Enlarging by 2.5 % moves the picture's edge as far. Places where the original itself shows the
/// same don't count, as neighbours on a wall do. Faces under 12 pixels are looked for only at their
/// place.
/// @param box  finite, in pixels of the original
[[nodiscard]] Shown shown_of(const Planes& original, const HiddenPictures& hidden, const Box& box);

}  // namespace facepipe::verify
