// Recognises text that tells where a video was filmed.
#pragma once

#include <string_view>

namespace facepipe::video {

/// Returns whether a text (for example of a subtitle) holds coordinates. Drones write them as
/// "GPS(8.5,47.3)" or "[latitude: 47.3]", receivers as sentences ("$GPRMC,..."). They may be
/// degrees ("47°22'N"), or two numbers with many decimals. Words without numbers ("GPS doesn't work
/// here") are no place. Any bytes may be given, also UTF-16.
[[nodiscard]] bool tells_place(std::string_view text);

}  // namespace facepipe::video
