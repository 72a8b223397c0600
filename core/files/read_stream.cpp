#include "core/files/read_stream.h"

#include <array>
#include <cstddef>

namespace facepipe {

std::optional<std::string> rest_of(std::istream& stream) {
  std::string bytes;
  std::array<char, std::size_t{1} << 14> part{};
  while (stream) {
    stream.read(part.data(), part.size());
    bytes.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.eof()) return std::nullopt;
  return bytes;
}

}  // namespace facepipe
