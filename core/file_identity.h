// Which file a path names, and whether that is still the same one, with the same content as far as
// the file system tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace facepipe {

/// Two are equal where the file is the same and nobody has written to it between.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t written_s = 0;  ///< of the last change of its content
  std::int64_t written_ns = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Of a regular file, through links; nullopt for anything else, and for what can't be looked at.
[[nodiscard]] std::optional<FileIdentity> identity_of(const std::string& path);

}  // namespace facepipe
