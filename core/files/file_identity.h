// Which file a path names, and whether that is still the same one, with the same content as far as
// the file system tells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace facepipe {

/// Two are equal where the file is the same and nobody has written to it between.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  std::int64_t written_ns = 0;  ///< when its content last changed, since 1970
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Follows links to a regular file; nullopt for anything else, and for what can't be looked at.
[[nodiscard]] std::optional<FileIdentity> identity_of(const std::filesystem::path& path) noexcept;
/// Looks at what has this very name, a link itself included; nullopt where there is nothing.
[[nodiscard]] std::optional<FileIdentity> identity_of_name(
    const std::filesystem::path& path) noexcept;

/// Whether something has this name, or a link of this name leads to it, that is no regular file: a
/// folder, a FIFO, a device. False where there is nothing.
[[nodiscard]] bool is_no_regular_file(const std::filesystem::path& path) noexcept;

}  // namespace facepipe
