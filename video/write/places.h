// Recognises text that says where a video was filmed.
#pragma once

#include <string_view>

namespace facepipe::video {

/// Returns whether a text (for example of a subtitle) contains coordinates. Drones write them as
/// "GPS(8.5,47.3)" or "[latitude: 47.3]", and receivers write them as sentences ("$GPRMC,...").
/// Coordinates can also be degrees ("47°22'N"), or two numbers with many decimals. Words without
/// numbers ("GPS doesn't work here") don't count as a place. The text can consist of any bytes, for
/// example of UTF-16.
[[nodiscard]] bool names_place(std::string_view text);

}  // namespace facepipe::video
