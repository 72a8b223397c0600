// This library for LD_PRELOAD plays a codec that a hostile video has taken over. In the middle of
// the program's work, at the first packet for a decoder, it tries what hostile code would try. For
// each attempt, it prints a line "hostile NAME ERRNO" to standard error, with 0 if the system has
// allowed it. No attempt does lasting harm if it is allowed. Then the decoder goes on as usual.
// Environment variables name the files: FACEPIPE_HOSTILE_INPUT a file beside which there are the
// files "remove-me", "rename-me" and "take-me", FACEPIPE_HOSTILE_OUTPUT the folder of the output,
// and FACEPIPE_HOSTILE_SECRET a file that the run doesn't need. FACEPIPE_HOSTILE_REPORT may name a
// file of kReportBytes zeros: the lines also go there, through memory that is mapped before
// anything else happens, because a process may have closed its standard error.
// FACEPIPE_HOSTILE_CRASH may have the number of a packet: there the library only crashes, as a
// codec with a defect does.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

namespace {

constexpr std::size_t kReportBytes = 65536;
char* report = nullptr;
std::size_t reported = 0;
std::atomic_flag tried;
std::atomic<int> packets;

[[gnu::constructor]] void map_report() {
  const char* const name = getenv("FACEPIPE_HOSTILE_REPORT");
  const int file = name != nullptr ? open(name, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* const memory = mmap(nullptr, kReportBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) report = static_cast<char*>(memory);
  close(file);
}

void attempt(const char* name, const std::function<long()>& act) {
  errno = 0;
  const long result = act();
  const int code = result < 0 ? errno : 0;
  const std::string line = std::string("hostile ") + name + " " + std::to_string(code) + "\n";
  dprintf(STDERR_FILENO, "%s", line.c_str());
  if (report != nullptr && reported + line.size() < kReportBytes)
    reported += line.copy(report + reported, line.size());
}

/// Crashes at the packet that FACEPIPE_HOSTILE_CRASH names. Returns whether it names one.
bool crashes() {
  const char* const at = getenv("FACEPIPE_HOSTILE_CRASH");
  if (at == nullptr) return false;
  if (++packets == std::atoi(at)) raise(SIGSEGV);
  return true;
}

std::string named(const char* variable) {
  const char* const value = getenv(variable);
  return value != nullptr ? value : "";
}

/// Opens a file, and closes it again.
long touch(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file;
}

long open_socket(int family, int type, int protocol) {
  const int made = socket(family, type | SOCK_CLOEXEC, protocol);
  if (made >= 0) close(made);
  return made;
}

/// Returns what a function that returns an errno means for attempt().
long by_errno(int code) {
  errno = code;
  return code == 0 ? 0 : -1;
}

void read_and_write(const std::string& input, const std::string& output,
                    const std::string& secret) {
  const std::string folder = input.substr(0, input.rfind('/') + 1);
  attempt("read /etc/passwd", [] { return touch("/etc/passwd", O_RDONLY); });
  attempt("read secret", [&] { return touch(secret, O_RDONLY); });
  attempt("read secret through link", [&] { return touch(output + "/link", O_RDONLY); });
  attempt("list /", [] { return touch("/", O_RDONLY | O_DIRECTORY); });
  attempt("read input", [&] { return touch(input, O_RDONLY); });
  attempt("write input", [&] { return touch(input, O_WRONLY); });
  attempt("write input through descriptor", [&] {
    const int file = open(input.c_str(), O_RDONLY | O_CLOEXEC);
    const long result = touch("/proc/self/fd/" + std::to_string(file), O_RDWR);
    close(file);
    return result;
  });
  attempt("truncate secret", [&] { return truncate(secret.c_str(), 1); });
  attempt("make beside input", [&] { return touch(folder + "new", O_WRONLY | O_CREAT); });
  attempt("remove beside input", [&] { return unlink((folder + "remove-me").c_str()); });
  attempt("rename beside input",
          [&] { return rename((folder + "rename-me").c_str(), (folder + "renamed").c_str()); });
  attempt("take from beside input",
          [&] { return rename((folder + "take-me").c_str(), (output + "/taken").c_str()); });
  attempt("link to secret", [&] { return link(secret.c_str(), (output + "/hard").c_str()); });
  attempt("symbolic link", [&] { return symlink("/etc", (output + "/soft").c_str()); });
  attempt("make fifo", [&] { return mkfifo((output + "/fifo").c_str(), 0600); });
  attempt("write output", [&] { return touch(output + "/made", O_RDWR | O_CREAT); });
  attempt("chmod", [&] { return chmod(secret.c_str(), 0600); });
  attempt("set attribute", [&] { return setxattr(secret.c_str(), "user.x", "y", 1, 0); });
  attempt("own memory", [] { return touch("/proc/self/mem", O_RDWR); });
  attempt("environment of parent",
          [] { return touch("/proc/" + std::to_string(getppid()) + "/environ", O_RDONLY); });
}

void reach_others() {
  attempt("socket of IPv4", [] { return open_socket(AF_INET, SOCK_STREAM, 0); });
  attempt("socket of IPv6", [] { return open_socket(AF_INET6, SOCK_DGRAM, 0); });
  attempt("local socket", [] { return open_socket(AF_UNIX, SOCK_STREAM, 0); });
  attempt("socket of routes", [] { return open_socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE); });
  attempt("socket of audit", [] { return open_socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT); });
  attempt("signal to parent", [] { return kill(getppid(), SIGWINCH); });
  attempt("thread signal to parent",
          [] { return syscall(SYS_tgkill, getppid(), getppid(), SIGWINCH); });
  attempt("trace", [] { return ptrace(PTRACE_PEEKDATA, getppid(), nullptr, nullptr); });
  attempt("memory of parent",
          [] { return process_vm_readv(getppid(), nullptr, 0, nullptr, 0, 0); });
  attempt("type into terminal", [] {
    const char letter = 'x';
    return ioctl(STDERR_FILENO, TIOCSTI, &letter);
  });
}

void start_programs() {
  attempt("execute", [] {
    char name[] = "x";
    char* arguments[] = {name, nullptr};
    return execv("/no/such/program", arguments);
  });
  attempt("fork", [] {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, nullptr, 0);
    return child;
  });
  attempt("spawn", [] {
    pid_t child = -1;
    char name[] = "true";
    char* arguments[] = {name, nullptr};
    const int code = posix_spawnp(&child, name, nullptr, nullptr, arguments, nullptr);
    if (code == 0) waitpid(child, nullptr, 0);
    return by_errno(code);
  });
  attempt("clone3", [] { return syscall(SYS_clone3, nullptr, 0); });
  attempt("thread", [] {
    pthread_t thread{};
    const int code = pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          attempt("read /etc/passwd in a thread", [] { return touch("/etc/passwd", O_RDONLY); });
          return nullptr;
        },
        nullptr);
    if (code == 0) pthread_join(thread, nullptr);
    return by_errno(code);
  });
}

void change_system() {
  attempt("mount", [] { return mount("none", "/no/such/folder", "tmpfs", 0, nullptr); });
  attempt("unshare", [] { return unshare(0); });
  attempt("chroot", [] { return chroot("/no/such/folder"); });
  attempt("setns", [] { return setns(-1, 0); });
  attempt("setuid", [] { return setuid(getuid()); });
  attempt("bpf", [] { return syscall(SYS_bpf, 0, nullptr, 0); });
  attempt("keyctl", [] { return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 0); });
  attempt("io_uring", [] { return syscall(SYS_io_uring_setup, 1, nullptr); });
  attempt("userfaultfd", [] { return syscall(SYS_userfaultfd, -1); });
  attempt("perf", [] { return syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); });
  attempt("handle", [] { return syscall(SYS_open_by_handle_at, -1, nullptr, 0); });
}

void try_all() {
  read_and_write(named("FACEPIPE_HOSTILE_INPUT"), named("FACEPIPE_HOSTILE_OUTPUT"),
                 named("FACEPIPE_HOSTILE_SECRET"));
  reach_others();
  start_programs();
  change_system();
}

}  // namespace

extern "C" int avcodec_send_packet(void* decoder, const void* packet) {
  using Send = int(void*, const void*);
  static auto* const real = reinterpret_cast<Send*>(dlsym(RTLD_NEXT, "avcodec_send_packet"));
  if (!crashes() && !tried.test_and_set()) try_all();
  return real(decoder, packet);
}
