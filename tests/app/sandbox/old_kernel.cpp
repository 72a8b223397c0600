// old_kernel WHAT COMMAND...: runs a command as if the kernel had no Landlock (WHAT is "landlock")
// or no seccomp ("seccomp"): a filter answers the system calls as such a kernel would.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace {

/// Refuses the calls from number `first` to number `last` with ENOSYS.
bool leave_out(unsigned first, unsigned last) {
  // The numbers are those of BPF: how many instructions follow that are passed over.
  std::array<sock_filter, 5> filter{
      sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      sock_filter{BPF_JMP | BPF_JGE | BPF_K, 0, 2, first},
      sock_filter{BPF_JMP | BPF_JGT | BPF_K, 1, 0, last},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
      sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog program{filter.size(), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr unsigned kFirstOfLandlock = 444;
  constexpr unsigned kLastOfLandlock = 446;
  constexpr int kNotStarted = 127;
  if (argc < 3) return kNotStarted;
  const bool landlock = std::string_view(argv[1]) == "landlock";
  const bool done =
      landlock ? leave_out(kFirstOfLandlock, kLastOfLandlock) : leave_out(SYS_seccomp, SYS_seccomp);
  if (!done) {
    std::perror("old_kernel");
    return kNotStarted;
  }
  execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return kNotStarted;
}
