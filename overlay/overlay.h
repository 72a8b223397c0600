// Draws faces on the YUV planes of a frame. All other samples keep their values.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/detections.h"
#include "core/frame.h"

namespace facepipe::overlay {

/// Says which parts are drawn; kOverlayParts names them.
struct OverlayStyle {
  bool boxes = true;
  bool scores = false;
  bool landmarks = false;  ///< only if faces have landmarks
  bool count = false;      ///< "N faces" in the upright picture's top left corner
  bool ids = false;        ///< "#12", the id of a face's track, before its score

  [[nodiscard]] bool any() const;
  friend bool operator==(const OverlayStyle&, const OverlayStyle&) = default;
};
inline constexpr OverlayStyle kNoOverlay{.boxes = false};

/// Describes a part of the overlay.
struct OverlayPart {
  std::string_view name;                 ///< the name that users give it
  decltype(&OverlayStyle::boxes) drawn;  ///< the member of a style that switches it on
};
inline constexpr std::array kOverlayParts{
    OverlayPart{"boxes", &OverlayStyle::boxes},
    OverlayPart{"scores", &OverlayStyle::scores},
    OverlayPart{"landmarks", &OverlayStyle::landmarks},
    OverlayPart{"count", &OverlayStyle::count},
    OverlayPart{"ids", &OverlayStyle::ids},
};

inline bool OverlayStyle::any() const {
  return std::ranges::any_of(kOverlayParts,
                             [this](const OverlayPart& part) { return this->*part.drawn; });
}

/// Draws `faces` on the stored picture. Their coordinates are in the upright picture. Text is
/// upright once a player has turned the picture. Colours are converted by the frame's matrix and
/// range. If the frame has alpha, drawn samples become opaque; at the soft edge of a glyph they
/// become partly opaque. Line width and text size follow the picture's shorter side. Coordinates
/// may have any value, even NaN. The outline surrounds the part of a box that is inside of the
/// picture. The frame's planes must be writable. Errors: Error(internal) for a frame that is not in
/// host memory.
/// @param tracks  FrameRecord::face_tracks: the track of each face, or empty; only kNoTrack is
///     negative
void draw_overlay(Frame& frame, const Detections& faces, const OverlayStyle& style,
                  std::span<const std::int64_t> tracks = {});

}  // namespace facepipe::overlay
