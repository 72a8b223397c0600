// Searches a hidden video for faces in disguise. Such a face is visible, but not at its place or
// not in the luma.
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
  other_frame,   ///< in the previous or the next frame
  whole_turned,  ///< the whole picture is mirrored, turned by a multiple of 90 degrees, or both
  moved          ///< at a small distance from its place, possibly mirrored
};
/// Returns "as it was", "in another plane", ...
[[nodiscard]] std::string_view name_of(Disguise disguise);

struct Shown {
  DetailLeft detail;
  Disguise disguise = Disguise::none;
};

/// Refers to a frame of the hidden video and its neighbours. A neighbour is null if it doesn't
/// exist.
struct HiddenPictures {
  const Planes& now;
  const Planes* before = nullptr;
  const Planes* after = nullptr;
};

/// Returns what the hidden video shows of a face at its place. If the face is hidden or weakened
/// there, the function searches for the first disguise that shows the face, and returns this
/// disguise if it shows more detail. The function tries offsets of up to 1.25 % of the picture's
/// longer side, and at most 16 cells. (Enlarging the whole picture by 2.5 % moves the picture's
/// edge by this offset.) An offset doesn't count if the original itself looks like the face there,
/// as in a repeated pattern. For faces under 12 pixels, the function tries no offsets.
/// @param box  finite, in pixels of the original
[[nodiscard]] Shown shown_of(const Planes& original, const HiddenPictures& hidden, const Box& box);

}  // namespace facepipe::verify
