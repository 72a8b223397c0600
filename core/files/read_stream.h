// Reads a whole stream, and tells a failed read from the end of the file.
#pragma once

#include <istream>
#include <optional>
#include <string>

namespace facepipe {

/// Returns all bytes from the current position to the end of the stream; nullopt if they can't be
/// read, or if the stream isn't open. A std::istreambuf_iterator would throw an exception then, and
/// std::getline() would end as at the end of the file.
[[nodiscard]] std::optional<std::string> rest_of(std::istream& stream);

}  // namespace facepipe
