#include "app/sandbox/seccomp.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/error.h"

namespace facepipe::app {
namespace {

/// A system call by its name, and by its number if the library may not know the name yet. (All
/// machines give new calls the same number.)
struct Call {
  const char* name;
  int number = 0;
};

constexpr std::array kRefused{
    // They start programs.
    Call{"execve"}, Call{"execveat"},
    // They reach other processes. pidfd_open() is not among these: it only tells when a process
    // ends, which an output lock must know.
    Call{"ptrace"}, Call{"process_vm_readv"}, Call{"process_vm_writev"}, Call{"kcmp"},
    Call{"pidfd_getfd", 438}, Call{"pidfd_send_signal", 424}, Call{"process_madvise", 440},
    Call{"process_mrelease", 448}, Call{"tkill"}, Call{"rt_sigqueueinfo"},
    Call{"rt_tgsigqueueinfo"}, Call{"migrate_pages"}, Call{"shmget"}, Call{"shmat"}, Call{"msgget"},
    Call{"semget"}, Call{"mq_open"},
    // They change permissions, owners, times and attributes, which Landlock leaves free. Files that
    // are open keep fchmod(). Before version 3, Landlock doesn't know truncate() either.
    Call{"chmod"}, Call{"fchmodat"}, Call{"fchmodat2", 452}, Call{"chown"}, Call{"lchown"},
    Call{"fchown"}, Call{"fchownat"}, Call{"utime"}, Call{"utimes"}, Call{"futimesat"},
    Call{"utimensat"}, Call{"setxattr"}, Call{"lsetxattr"}, Call{"fsetxattr"},
    Call{"setxattrat", 463}, Call{"removexattr"}, Call{"lremovexattr"}, Call{"fremovexattr"},
    Call{"removexattrat", 466}, Call{"file_setattr", 469}, Call{"truncate"}, Call{"mknod"},
    Call{"mknodat"},
    // They go around paths, or change what paths mean.
    Call{"open_by_handle_at"}, Call{"name_to_handle_at"}, Call{"mount"}, Call{"umount2"},
    Call{"pivot_root"}, Call{"chroot"}, Call{"setns"}, Call{"unshare"}, Call{"open_tree", 428},
    Call{"move_mount", 429}, Call{"fsopen", 430}, Call{"fsconfig", 431}, Call{"fsmount", 432},
    Call{"fspick", 433}, Call{"mount_setattr", 442}, Call{"open_tree_attr", 467},
    // They are wide doors into the kernel.
    Call{"bpf"}, Call{"perf_event_open"}, Call{"userfaultfd"}, Call{"io_uring_setup", 425},
    Call{"io_uring_enter", 426}, Call{"io_uring_register", 427}, Call{"keyctl"}, Call{"add_key"},
    Call{"request_key"}, Call{"vmsplice"}, Call{"fanotify_init"}, Call{"modify_ldt"},
    Call{"personality"}, Call{"lookup_dcookie"},
    // They change the system or the rights of the process.
    Call{"setuid"}, Call{"setgid"}, Call{"setreuid"}, Call{"setregid"}, Call{"setresuid"},
    Call{"setresgid"}, Call{"setfsuid"}, Call{"setfsgid"}, Call{"setgroups"}, Call{"capset"},
    Call{"init_module"}, Call{"finit_module"}, Call{"delete_module"}, Call{"kexec_load"},
    Call{"kexec_file_load"}, Call{"reboot"}, Call{"swapon"}, Call{"swapoff"}, Call{"acct"},
    Call{"quotactl"}, Call{"quotactl_fd", 443}, Call{"syslog"}, Call{"vhangup"},
    Call{"sethostname"}, Call{"setdomainname"}, Call{"settimeofday"}, Call{"clock_settime"},
    Call{"clock_adjtime"}, Call{"adjtimex"}, Call{"iopl"}, Call{"ioperm"}};

/// Collects the rules of a filter, and the first error.
class Filter {
 public:
  Filter() : filter_(seccomp_init(SCMP_ACT_ALLOW)) {
    if (!filter_) {
      code_ = ENOMEM;
      return;
    }
    // Calls of another architecture, such as those of 32 bits, would go around the rules.
    note(seccomp_attr_set(filter_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    note(seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_TSYNC, 1));
    constexpr std::uint32_t kBinaryTree = 2;  // each call is found in a few steps
    note(seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_OPTIMIZE, kBinaryTree));
  }

  void refuse(const Call& call) {
    const int known = seccomp_syscall_resolve_name(call.name);
    const int number = known == __NR_SCMP_ERROR ? call.number : known;
    if (number != 0) add(EPERM, number, {});
  }
  /// Refuses a call if all comparisons hold.
  template <typename... Comparisons>
  void refuse_if(int code, int number, Comparisons... comparisons) {
    add(code, number, std::array<scmp_arg_cmp, sizeof...(comparisons)>{comparisons...});
  }
  void refuse_always(int code, int number) { add(code, number, {}); }

  /// Returns 0 or an errno.
  [[nodiscard]] int load() const { return code_ != 0 ? code_ : -seccomp_load(filter_.get()); }

 private:
  struct Release {
    void operator()(void* filter) const { seccomp_release(filter); }
  };

  void note(int result) {
    if (result < 0 && code_ == 0) code_ = -result;
  }
  void add(int code, int number, std::span<const scmp_arg_cmp> comparisons) {
    if (code_ != 0) return;
    note(seccomp_rule_add_array(filter_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(code)), number,
                                static_cast<unsigned>(comparisons.size()), comparisons.data()));
  }

  std::unique_ptr<void, Release> filter_;
  int code_ = 0;
};

/// Refuses new processes, but allows new threads. The flags of clone3() lie in memory, which a
/// filter can't read: with ENOSYS, the C library calls clone() instead.
void refuse_processes(Filter& filter) {
  filter.refuse({"fork"});
  filter.refuse({"vfork"});
  filter.refuse_if(EPERM, SCMP_SYS(clone), SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  filter.refuse_always(ENOSYS, SCMP_SYS(clone3));
}

/// Allows signals and limits only for this process. Signal 0, which sends nothing, may ask whether
/// a process exists.
void refuse_signals(Filter& filter) {
  const auto own = static_cast<scmp_datum_t>(getpid());
  filter.refuse_if(EPERM, SCMP_SYS(kill), SCMP_A0_64(SCMP_CMP_NE, own), SCMP_A1_64(SCMP_CMP_NE, 0));
  filter.refuse_if(EPERM, SCMP_SYS(tgkill), SCMP_A0_64(SCMP_CMP_NE, own));
  filter.refuse_if(EPERM, SCMP_SYS(prlimit64), SCMP_A0_64(SCMP_CMP_NE, 0));
}

/// Refuses the calls that type into the terminal of the user, who may have a shell there. Other
/// numbers of ioctl() stay free, because each version of NVIDIA's driver has its own.
void refuse_typing(Filter& filter) {
  for (const scmp_datum_t request : {TIOCSTI, TIOCLINUX})
    filter.refuse_if(EPERM, SCMP_SYS(ioctl),
                     SCMP_A1_64(SCMP_CMP_MASKED_EQ, scmp_datum_t{0xFFFFFFFF}, request));
}

/// Refuses all sockets but those of the families in `allowed`.
void refuse_other_families(Filter& filter, std::span<const scmp_datum_t> allowed) {
  constexpr scmp_datum_t kFamilies = 64;  // there are fewer
  for (scmp_datum_t family = 0; family < kFamilies; ++family)
    if (std::ranges::count(allowed, family) == 0)
      filter.refuse_if(EACCES, SCMP_SYS(socket), SCMP_A0_64(SCMP_CMP_EQ, family));
  filter.refuse_if(EACCES, SCMP_SYS(socket), SCMP_A0_64(SCMP_CMP_GE, kFamilies));
}

/// Refuses sockets of this machine, but for those of the type on which NVIDIA's driver listens.
void refuse_other_local_sockets(Filter& filter) {
  constexpr scmp_datum_t kTypes = 16;  // the bits above are flags
  for (scmp_datum_t type = 0; type < kTypes; ++type)
    if (type != SOCK_SEQPACKET)
      filter.refuse_if(EACCES, SCMP_SYS(socket), SCMP_A0_64(SCMP_CMP_EQ, AF_UNIX),
                       SCMP_A1_64(SCMP_CMP_MASKED_EQ, kTypes - 1, type));
}

/// Refuses sockets; with a network, all but those of IP, and the kernel's list of addresses, which
/// getaddrinfo() asks for. NVIDIA's driver doesn't start unless it can listen on a socket of this
/// machine. Without a network, it can connect to none.
void refuse_sockets(Filter& filter, Network network, Driver driver) {
  std::vector<scmp_datum_t> families;
  if (network == Network::allowed) families = {AF_INET, AF_INET6, AF_NETLINK};
  if (driver == Driver::nvidia) families.push_back(AF_UNIX);
  if (families.empty()) {
    filter.refuse_always(EACCES, SCMP_SYS(socket));
    return;
  }
  refuse_other_families(filter, families);
  if (driver == Driver::nvidia) refuse_other_local_sockets(filter);
  if (network == Network::none) filter.refuse_always(EACCES, SCMP_SYS(connect));
  constexpr scmp_datum_t kRoutes = 0;  // NETLINK_ROUTE
  if (network == Network::allowed)
    filter.refuse_if(EACCES, SCMP_SYS(socket), SCMP_A0_64(SCMP_CMP_EQ, AF_NETLINK),
                     SCMP_A2_64(SCMP_CMP_NE, kRoutes));
}

}  // namespace

bool can_limit_calls() noexcept {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) == 0;
}

int limit_calls(Network network, Processes processes, Driver driver) {
  Filter filter;
  for (const Call& call : kRefused) filter.refuse(call);
  if (processes == Processes::none) {
    refuse_processes(filter);
    refuse_signals(filter);
  }
  refuse_typing(filter);
  refuse_sockets(filter, network, driver);
  return filter.load();
}

}  // namespace facepipe::app
