// Identifies the file that a path names, so that callers notice if the file or its content changes.
// Only changes that the file system reports are noticed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace facepipe {

/// Identifies a file and its content. Two identities are equal if the file is the same and nobody
/// has written to it in between.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  std::int64_t written_ns = 0;  ///< when its content last changed, in ns since 1970
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Returns the identity of a regular file, and follows links. Returns nullopt for anything else,
/// and if the file can't be examined.
[[nodiscard]] std::optional<FileIdentity> identity_of(const std::filesystem::path& path) noexcept;
/// Returns the identity of the file, folder or link that has this name. It doesn't follow links.
/// Returns nullopt if nothing has this name.
[[nodiscard]] std::optional<FileIdentity> identity_of_name(
    const std::filesystem::path& path) noexcept;

/// Returns whether this name leads, perhaps through a link, to something that isn't a regular file:
/// for example a folder, a FIFO or a device. Returns false if nothing has this name.
[[nodiscard]] bool is_no_regular_file(const std::filesystem::path& path) noexcept;

}  // namespace facepipe
