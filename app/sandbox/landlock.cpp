#include "app/sandbox/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/files/descriptor.h"

namespace facepipe::app {
namespace {

// The system's headers may be older than the kernel that runs the program, so the numbers and names
// of <linux/landlock.h> are repeated here. They never change.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

using Rights = std::uint64_t;
constexpr Rights kWriteFile = 1U << 1U;
constexpr Rights kReadFile = 1U << 2U;
constexpr Rights kReadFolder = 1U << 3U;
constexpr Rights kRemoveFolder = 1U << 4U;
constexpr Rights kRemoveFile = 1U << 5U;
constexpr Rights kMakeFolder = 1U << 7U;
constexpr Rights kMakeFile = 1U << 8U;
constexpr Rights kOfVersion1 = (1U << 13U) - 1;
constexpr Rights kRefer = 1U << 13U;      // since version 2: rename into another folder
constexpr Rights kTruncate = 1U << 14U;   // since version 3
constexpr Rights kUseDevice = 1U << 15U;  // since version 5: ioctl()
constexpr Rights kTcp = 3;                // since version 4: bind() and connect()
constexpr Rights kScopes = 3;             // since version 6: abstract sockets and signals

constexpr Rights kRead = kReadFile | kReadFolder;
constexpr Rights kWrite = kRead | kWriteFile | kTruncate | kUseDevice | kRemoveFile |
                          kRemoveFolder | kMakeFile | kMakeFolder;
constexpr Rights kOfFiles = kReadFile | kWriteFile | kTruncate | kUseDevice;

struct RulesetAttributes {
  Rights files;
  Rights network;
  Rights scopes;
};

struct [[gnu::packed]] PathRule {
  Rights allowed;
  std::int32_t path;
};

Rights rights_of(FileAccess access) {
  if (access == FileAccess::read) return kRead;
  return access == FileAccess::write ? kWrite : kRemoveFolder;
}

Rights rights_known_to(int version) {
  return kOfVersion1 | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0) |
         (version >= 5 ? kUseDevice : 0);
}

/// Returns how many of the paths stay open. A rule belongs to what the kernel knows of a file while
/// somebody uses it. Some file systems, such as /proc, forget this, and the rule with it; but not
/// while the path is open.
std::size_t most_kept_open() {
  constexpr rlim_t kMost = 128;
  constexpr rlim_t kShare = 8;  // of the descriptors that the process may have
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<std::size_t>(std::min(kMost, limit.rlim_cur / kShare));
}

int create_ruleset(int version, Rights files, Network network) {
  const RulesetAttributes attributes{files, version >= 4 && network == Network::none ? kTcp : 0,
                                     version >= 6 ? kScopes : 0};
  // An older kernel knows only the first members.
  const std::size_t size = version >= 6   ? sizeof(attributes)
                           : version >= 4 ? offsetof(RulesetAttributes, scopes)
                                          : offsetof(RulesetAttributes, network);
  return static_cast<int>(syscall(kCreateRuleset, &attributes, size, 0U));
}

/// Adds a rule for an open path. Returns 0 or an errno.
int add_rule(int ruleset, int path, Rights rights) {
  struct stat found {};
  if (fstat(path, &found) != 0) return errno;
  if (!S_ISDIR(found.st_mode)) rights &= kOfFiles;
  if (rights == 0) return 0;
  const PathRule rule{rights, path};
  if (syscall(kAddRule, ruleset, kPathBeneath, &rule, 0U) == 0) return 0;
  return errno == EBADFD ? 0 : errno;  // pipes and sockets take no rule, and need none
}

bool is_missing(int code) { return code != EMFILE && code != ENFILE && code != ENOMEM; }

}  // namespace

int landlock_version() noexcept {
  const long version = syscall(kCreateRuleset, nullptr, std::size_t{0}, kAskVersion);
  return version > 0 ? static_cast<int>(version) : 0;
}

int limit_files(std::span<const AllowedPath> allowed, Network network) {
  const int version = landlock_version();
  const Rights known = rights_known_to(version);
  const Descriptor ruleset(create_ruleset(version, known, network));
  if (ruleset.number() < 0) return errno;
  std::vector<Descriptor> paths;
  for (const AllowedPath& each : allowed) {
    Descriptor path(open(each.path.c_str(), O_PATH | O_CLOEXEC));
    if (path.number() < 0) {
      if (is_missing(errno)) continue;
      return errno;
    }
    const int code = add_rule(ruleset.number(), path.number(), rights_of(each.access) & known);
    if (code != 0) return code;
    if (paths.size() < most_kept_open()) paths.push_back(std::move(path));
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  if (syscall(kRestrictSelf, ruleset.number(), 0U) != 0) return errno;
  for (Descriptor& path : paths) path.release();
  return 0;
}

}  // namespace facepipe::app
