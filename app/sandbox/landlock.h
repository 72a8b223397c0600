// Limits which files this process can open, with the kernel's Landlock (landlock(7)).
#pragma once

#include <filesystem>
#include <span>

namespace facepipe::app {

/// Says what the process may do with a file, or with everything below a folder.
enum class FileAccess {
  read,
  write,         ///< also read; in a folder also make, replace and remove files and folders
  remove_empty,  ///< only remove empty folders, and not the folder itself
};

struct AllowedPath {
  std::filesystem::path path;
  FileAccess access = FileAccess::read;
};

/// Returns the version of Landlock's interface, 1 or more; 0 if the kernel has no Landlock, or if
/// it is switched off or forbidden.
[[nodiscard]] int landlock_version() noexcept;

/// Says whether the process may connect to other hosts.
enum class Network { none, allowed };

/// From now on, this thread and the threads that it starts can open only these files, for good.
/// Paths that don't exist are left out. No file can be executed. Files that are open stay as they
/// are. Threads that exist already stay free, so there should be none. Where the kernel is new
/// enough, the threads also can't signal other processes, reach abstract sockets of others, or,
/// without a network, use TCP.
/// Returns 0 or an errno; after an error, nothing is limited.
[[nodiscard]] int limit_files(std::span<const AllowedPath> allowed, Network network);

}  // namespace facepipe::app
