// Identifies this machine, and says how much of it this process may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace facepipe {

/// Identifies a machine among those that share a file system.
struct Machine {
  /// Linux's random id of the running kernel. All containers on a machine have the same id. It
  /// changes when the machine starts again. Empty if it can't be read.
  std::string boot;
  std::string host;  ///< the machine's name; in a container often the container's name

  /// Returns whether both describe one machine: the same kernel, or, after it has started again,
  /// the same name.
  [[nodiscard]] bool is_same(const Machine& other) const {
    return (!boot.empty() && boot == other.boot) || host == other.host;
  }
};

[[nodiscard]] const Machine& this_machine();

/// Returns on how many processors this process can run at the same time: as many as its affinity
/// and its control groups allow (CPU quota, rounded up). At least 1.
[[nodiscard]] int usable_processors();

/// Returns whether usable_processors() is fewer than the machine has.
[[nodiscard]] bool has_fewer_processors();

/// Returns how much memory the control groups of this process may use, in bytes; nullopt if they
/// set no limit.
[[nodiscard]] std::optional<std::int64_t> memory_limit();

/// Says what the control groups of a process allow (cgroups(7), version 2 and version 1).
struct GroupLimits {
  std::optional<double> processors;
  std::optional<std::int64_t> bytes;
};

/// Reads the limits of a control group and of the groups around it.
/// @param membership  the text of /proc/PID/cgroup
/// @param root        the folder where the control groups are mounted, /sys/fs/cgroup
[[nodiscard]] GroupLimits limits_of_group(const std::string& membership,
                                          const std::filesystem::path& root);

}  // namespace facepipe
