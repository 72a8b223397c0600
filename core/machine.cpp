#include "core/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/files/read_stream.h"

namespace facepipe {
namespace {

namespace fs = std::filesystem;

/// Returns the text of a file; an empty text if it can't be read.
std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return rest_of(stream).value_or("");
}

std::string first_word_of(const fs::path& file) {
  std::istringstream text(text_of(file));
  std::string word;
  text >> word;
  return word;
}

/// Returns a number in a file of a control group; nullopt for "max", for -1, and if there is no
/// such file.
std::optional<double> number_in(std::istream& text) {
  double value = 0;
  if (text >> value && value > 0) return value;
  return std::nullopt;
}

template <typename T>
void lower(std::optional<T>& limit, std::optional<double> value) {
  // Version 1 writes a huge number if there is no limit.
  constexpr double kNoLimit = 0x1p62;
  if (!value || *value >= kNoLimit) return;
  const auto found = static_cast<T>(*value);
  limit = limit ? std::min(*limit, found) : found;
}

/// Adds the limits that one folder sets, in the files of both versions.
void add_limits_in(const fs::path& folder, GroupLimits& limits) {
  std::istringstream quota(text_of(folder / "cpu.max"));
  if (const auto most = number_in(quota))
    if (const auto period = number_in(quota)) lower(limits.processors, *most / *period);
  std::istringstream old_quota(text_of(folder / "cpu.cfs_quota_us"));
  std::istringstream old_period(text_of(folder / "cpu.cfs_period_us"));
  if (const auto most = number_in(old_quota))
    if (const auto period = number_in(old_period)) lower(limits.processors, *most / *period);
  for (const char* const name : {"memory.max", "memory.limit_in_bytes"}) {
    std::istringstream bytes(text_of(folder / name));
    lower(limits.bytes, number_in(bytes));
  }
}

/// Adds the limits of a group and of all groups around it.
/// @param mount  the folder of the outermost group
/// @param group  the path of the group below it
void add_limits_of(const fs::path& mount, fs::path group, GroupLimits& limits) {
  group = group.relative_path();
  // A container may see the path of its group on the host, which doesn't exist in the container.
  for (; !group.empty(); group = group.parent_path()) add_limits_in(mount / group, limits);
  add_limits_in(mount, limits);
}

const GroupLimits& own_limits() {
  static const GroupLimits limits = limits_of_group(text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
  return limits;
}

int all_processors() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

/// Returns the number of processors that the affinity of the process allows.
int processors_by_affinity() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // The call fails on machines with more processors than the set has room for.
  return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed)
                                                              : all_processors();
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine = [] {
    std::array<char, HOST_NAME_MAX + 1> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) host.front() = '\0';
    return Machine{first_word_of("/proc/sys/kernel/random/boot_id"), host.data()};
  }();
  return machine;
}

GroupLimits limits_of_group(const std::string& membership, const fs::path& root) {
  GroupLimits limits;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // "NUMBER:CONTROLLERS:PATH"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (controllers.empty()) add_limits_of(root, group, limits);  // version 2
    // Each controller of version 1 has a folder of its own.
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');)
      if (name == "cpu" || name == "memory") add_limits_of(root / name, group, limits);
  }
  return limits;
}

int usable_processors() {
  const int allowed = processors_by_affinity();
  const std::optional<double>& quota = own_limits().processors;
  return std::max(1, quota ? std::min(allowed, static_cast<int>(std::ceil(*quota))) : allowed);
}

bool has_fewer_processors() { return usable_processors() < all_processors(); }

std::optional<std::int64_t> memory_limit() { return own_limits().bytes; }

}  // namespace facepipe
