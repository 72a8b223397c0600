// Identifies the file that a path names, so that a change of the file or of its content is noticed,
// as far as the file system tells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace facepipe {

/// Two identities are equal if the file is the same and nobody has written to it in between.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t bytes = 0;
  std::int64_t written_ns = 0;  ///< when its content last changed, in ns since 1970
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Returns the identity of a regular file, following links. Returns nullopt for anything else, and
/// if the file can't be examined.
[[nodiscard]] std::optional<FileIdentity> identity_of(const std::filesystem::path& path) noexcept;
/// Returns the identity of whatever has this name, even if it is a link; nullopt if there is
/// nothing.
[[nodiscard]] std::optional<FileIdentity> identity_of_name(
    const std::filesystem::path& path) noexcept;

/// Returns whether this name, or the link of this name, leads to something that isn't a regular
/// file: a folder, a FIFO, a device. False if there is nothing.
[[nodiscard]] bool is_no_regular_file(const std::filesystem::path& path) noexcept;

}  // namespace facepipe
