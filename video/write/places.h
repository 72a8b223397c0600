// Text that tells where something was filmed.
#pragma once

#include <string_view>

namespace facepipe::video {

/// Whether a text (of a subtitle, say) holds coordinates: as drones write them ("GPS(8.5,47.3)",
/// "[latitude: 47.3]"), as a receiver's sentence ("$GPRMC,..."), as degrees ("47°22'N"), or as two
/// numbers with many decimals. Words alone ("GPS doesn't work here") are no place. Any bytes may be
/// given, UTF-16 too.
[[nodiscard]] bool tells_place(std::string_view text);

}  // namespace facepipe::video
