// This library for LD_PRELOAD makes a call of the tested program fail. These variables control it:
//
// FACEPIPE_FAIL="CALL FROM NTH DO"  The Nth call of the function CALL, counted from 1, is a fault.
//     FROM is its caller: "own" for the program itself, the symbol of one of its functions, or the
//     beginning of a library's file name, such as libavformat. The calls that the program makes
//     through the C++ library are its own calls. DO says what happens:
//     a number  the call fails with this errno
//     short     half of the bytes are read or written
//     kill      the program is killed before the call, as by kill -9
//     int, term SIGINT or SIGTERM comes before the call, which then does its work
// FACEPIPE_FAIL_ON=1                All later calls fail, too.
// FACEPIPE_FAIL_LOG=FILE            A line is added to FILE when the fault happens.
// FACEPIPE_FAIL_SITES=FILE          At the end of the program, FILE gets a line "CALL FROM COUNT"
//     for each function and each of its callers. FROM begins with "lib" for libraries only.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <pthread.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "tests/support/append_file.h"
#include "tests/support/call_site.h"

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

using facepipe::test::append;
using facepipe::test::call_site;
using facepipe::test::CallSite;
using facepipe::test::open_to_append;

enum class Action { fail, transfer_half, kill, signal };

char call_name[32];
char from[400];
long nth = 0;
Action action = Action::fail;
int error_number = 0;
int signal_number = 0;
bool goes_on = false;
// Files to which lines are added; -1: none. They are opened at the beginning, because the program
// may later close itself into a sandbox in which it can't open them.
long log_file = -1;
long sites_file = -1;
std::atomic<long> calls = 0;
std::atomic<bool> ready = false;
thread_local bool inside __attribute__((tls_model("initial-exec"))) = false;

void read_action(const char* text) {
  if (strcmp(text, "short") == 0) action = Action::transfer_half;
  if (strcmp(text, "kill") == 0) action = Action::kill;
  if (strcmp(text, "int") == 0) signal_number = SIGINT;
  if (strcmp(text, "term") == 0) signal_number = SIGTERM;
  if (signal_number != 0) action = Action::signal;
  error_number = atoi(text);
}

__attribute__((constructor)) void read_environment() {
  const char* const text = getenv("FACEPIPE_FAIL");
  sites_file = open_to_append(getenv("FACEPIPE_FAIL_SITES"));
  char what[16];
  if (text != nullptr && sscanf(text, "%31s %399s %ld %15s", call_name, from, &nth, what) == 4)
    read_action(what);
  else if (sites_file < 0)
    return;
  goes_on = getenv("FACEPIPE_FAIL_ON") != nullptr;
  log_file = open_to_append(getenv("FACEPIPE_FAIL_LOG"));
  inside = true;
  facepipe::test::read_symbols();
  inside = false;
  ready = true;
}

// --- Counting calls ------------------------------------------------------------------------------

struct Counted {
  const char* call = nullptr;
  const char* site = nullptr;
  long count = 0;
};

std::array<Counted, 8192> counted;
pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

void count(const char* call, const CallSite& site) {
  pthread_mutex_lock(&counting);
  // The texts have fixed addresses. An entry lies at the place that they choose, or behind it.
  const size_t hash = reinterpret_cast<size_t>(call) * 31 + reinterpret_cast<size_t>(site.name);
  for (size_t i = 0; i < counted.size(); ++i) {
    Counted& entry = counted[(hash + i) % counted.size()];
    if (entry.call == nullptr) entry = {call, site.name, 0};
    if (entry.call != call || entry.site != site.name) continue;
    ++entry.count;
    break;
  }
  pthread_mutex_unlock(&counting);
}

__attribute__((destructor)) void write_sites() {
  if (sites_file < 0) return;
  ready = false;
  char line[512];
  for (const Counted& entry : counted) {
    if (entry.call == nullptr) continue;
    snprintf(line, sizeof line, "%s %s %ld\n", entry.call, entry.site, entry.count);
    append(sites_file, line);
  }
}

// --- Making calls fail ---------------------------------------------------------------------------

bool is_chosen(const CallSite& site) {
  if (strcmp(from, "own") == 0) return site.own;
  if (strncmp(from, "lib", 3) == 0) return !site.own && strncmp(site.name, from, strlen(from)) == 0;
  return site.own && strcmp(site.name, from) == 0;
}

void log_fault(const char* call, const CallSite& site) {
  if (log_file < 0) return;
  char line[512];
  snprintf(line, sizeof line, "%s %s %ld\n", call, site.name, nth);
  append(log_file, line);
}

/// Returns whether the call is a fault that has to be made by the caller.
bool happens(const char* name, const CallSite& site) {
  if (!is_chosen(site)) return false;
  const long call = ++calls;
  if (call < nth || (call > nth && !goes_on)) return false;
  if (call == nth) log_fault(name, site);
  if (action == Action::kill) {
    syscall(SYS_kill, getpid(), SIGKILL);
    while (true) pause();
  }
  if (action == Action::signal) syscall(SYS_kill, getpid(), signal_number);
  return action != Action::signal;
}

/// Returns whether this call must fail, or transfer only half of its bytes.
bool fails(const char* name, const void* place) {
  if (!ready || inside) return false;
  const bool chosen = strcmp(name, call_name) == 0;
  if (!chosen && sites_file < 0) return false;
  const int before = errno;
  inside = true;
  const CallSite site = call_site(place);
  if (sites_file >= 0) count(name, site);
  const bool fault = chosen && happens(name, site);
  inside = false;
  errno = before;
  return fault;
}

bool transfers_half() { return action == Action::transfer_half; }
size_t half(size_t size) { return size > 1 ? size / 2 : size; }

/// Returns the function that this library hides. dlsym() may allocate memory.
template <typename Function>
Function* next(Function* /*like*/, const char* name) {
  const bool before = std::exchange(inside, true);
  void* const found = dlsym(RTLD_NEXT, name);
  inside = before;
  return reinterpret_cast<Function*>(found);
}

void* allocation(const void* place, void* (*allocate)(size_t, size_t), size_t first,
                 size_t second) {
  if (!fails("malloc", place)) return allocate(first, second);
  errno = ENOMEM;
  return nullptr;
}

void* allocation_or_throw(const void* place, size_t alignment, size_t size) {
  void* const memory = fails("new", place) ? nullptr
                       : alignment == 0    ? __libc_malloc(std::max<size_t>(size, 1))
                                           : __libc_memalign(alignment, size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

#define HERE __builtin_return_address(0)
#define FAIL_WITH(name, answer) \
  if (fails(name, HERE)) {      \
    errno = error_number;       \
    return answer;              \
  }
/// Defines a function that can fail under this name.
#define CAN_FAIL_AS(call, name, answer, result, parameters, arguments) \
  result name parameters {                                             \
    static auto* const real = next(&::name, #name);                    \
    FAIL_WITH(call, answer);                                           \
    return real arguments;                                             \
  }
#define CAN_FAIL(name, answer, result, parameters, arguments) \
  CAN_FAIL_AS(#name, name, answer, result, parameters, arguments)
/// Defines a function that can fail, or transfer only half of `size` bytes.
#define CAN_TRANSFER_HALF(call, name, result, parameters, arguments) \
  result name parameters {                                           \
    static auto* const real = next(&::name, #name);                  \
    if (fails(call, HERE)) {                                         \
      errno = error_number;                                          \
      if (!transfers_half()) return -1;                              \
      size = half(size);                                             \
    }                                                                \
    return real arguments;                                           \
  }
/// Defines a function that gives something back even if it fails.
#define CAN_FAIL_AFTER(name, answer, result, parameters, arguments) \
  result name parameters {                                          \
    static auto* const real = next(&::name, #name);                 \
    if (fails(#name, HERE)) {                                       \
      real arguments;                                               \
      errno = error_number;                                         \
      return answer;                                                \
    }                                                               \
    return real arguments;                                          \
  }

// In the C library, the parameters of the following functions have reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

CAN_TRANSFER_HALF("write", write, ssize_t, (int file, const void* bytes, size_t size),
                  (file, bytes, size))
CAN_TRANSFER_HALF("write", pwrite, ssize_t, (int file, const void* bytes, size_t size, off_t at),
                  (file, bytes, size, at))
CAN_TRANSFER_HALF("write", pwrite64, ssize_t,
                  (int file, const void* bytes, size_t size, off64_t at), (file, bytes, size, at))
CAN_TRANSFER_HALF("send", send, ssize_t, (int file, const void* bytes, size_t size, int flags),
                  (file, bytes, size, flags))
CAN_TRANSFER_HALF("read", read, ssize_t, (int file, void* bytes, size_t size), (file, bytes, size))
CAN_TRANSFER_HALF("read", pread, ssize_t, (int file, void* bytes, size_t size, off_t at),
                  (file, bytes, size, at))
CAN_TRANSFER_HALF("read", pread64, ssize_t, (int file, void* bytes, size_t size, off64_t at),
                  (file, bytes, size, at))
CAN_TRANSFER_HALF("recv", recv, ssize_t, (int file, void* bytes, size_t size, int flags),
                  (file, bytes, size, flags))

// The C++ library writes a buffer and the bytes behind it with one call.
ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const real = next(&::writev, "writev");
  if (!fails("write", HERE)) return real(file, parts, count);
  errno = error_number;
  if (!transfers_half()) return -1;
  const iovec part{parts->iov_base, half(parts->iov_len)};
  return real(file, &part, 1);
}

// The mode comes last, and only some calls give it. The real function ignores it in the other
// calls.
#define OPEN_CAN_FAIL(function, parameters, arguments)      \
  int function parameters {                                 \
    va_list rest;                                           \
    va_start(rest, flags);                                  \
    const mode_t mode = va_arg(rest, mode_t);               \
    va_end(rest);                                           \
    static auto* const real = next(&::function, #function); \
    FAIL_WITH("open", -1);                                  \
    return real arguments;                                  \
  }
OPEN_CAN_FAIL(open, (const char* path, int flags, ...), (path, flags, mode))
OPEN_CAN_FAIL(open64, (const char* path, int flags, ...), (path, flags, mode))
OPEN_CAN_FAIL(openat, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
int fcntl(int file, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  static auto* const real = next(&::fcntl, "fcntl");
  FAIL_WITH("fcntl", -1);
  return real(file, command, argument);
}

CAN_FAIL(fopen, nullptr, FILE*, (const char* path, const char* mode), (path, mode))
CAN_FAIL_AS("fopen", fopen64, nullptr, FILE*, (const char* path, const char* mode), (path, mode))
CAN_FAIL_AS("fopen", fdopen, nullptr, FILE*, (int file, const char* mode), (file, mode))
CAN_FAIL(fwrite, 0, size_t, (const void* bytes, size_t size, size_t count, FILE* file),
         (bytes, size, count, file))
CAN_FAIL(fread, 0, size_t, (void* bytes, size_t size, size_t count, FILE* file),
         (bytes, size, count, file))
CAN_FAIL(fflush, EOF, int, (FILE * file), (file))
CAN_FAIL_AFTER(fclose, EOF, int, (FILE * file), (file))
CAN_FAIL_AFTER(close, -1, int, (int file), (file))
CAN_FAIL(fsync, -1, int, (int file), (file))
CAN_FAIL_AS("fsync", fdatasync, -1, int, (int file), (file))
CAN_FAIL(ftruncate, -1, int, (int file, off_t size), (file, size))
CAN_FAIL(fallocate, -1, int, (int file, int mode, off_t at, off_t size), (file, mode, at, size))
CAN_FAIL(lseek, -1, off_t, (int file, off_t at, int whence), (file, at, whence))
CAN_FAIL_AS("lseek", lseek64, -1, off64_t, (int file, off64_t at, int whence), (file, at, whence))
CAN_FAIL(rename, -1, int, (const char* old, const char* name), (old, name))
CAN_FAIL_AS("rename", renameat2, -1, int,
            (int folder, const char* old, int target, const char* name, unsigned flags),
            (folder, old, target, name, flags))
CAN_FAIL(unlink, -1, int, (const char* path), (path))
CAN_FAIL_AS("unlink", unlinkat, -1, int, (int folder, const char* path, int flags),
            (folder, path, flags))
CAN_FAIL_AS("unlink", remove, -1, int, (const char* path), (path))
CAN_FAIL(link, -1, int, (const char* old, const char* name), (old, name))
CAN_FAIL(mkdir, -1, int, (const char* path, mode_t mode), (path, mode))
CAN_FAIL(mkfifo, -1, int, (const char* path, mode_t mode), (path, mode))
CAN_FAIL(chmod, -1, int, (const char* path, mode_t mode), (path, mode))
CAN_FAIL_AS("chmod", fchmod, -1, int, (int file, mode_t mode), (file, mode))
CAN_FAIL_AS("stat", stat, -1, int, (const char* path, struct stat* facts), (path, facts))
CAN_FAIL_AS("stat", lstat, -1, int, (const char* path, struct stat* facts), (path, facts))
CAN_FAIL_AS("stat", fstat, -1, int, (int file, struct stat* facts), (file, facts))
CAN_FAIL_AS("stat", stat64, -1, int, (const char* path, struct stat64* facts), (path, facts))
CAN_FAIL_AS("stat", fstat64, -1, int, (int file, struct stat64* facts), (file, facts))
CAN_FAIL(fstatvfs, -1, int, (int file, struct statvfs* facts), (file, facts))
CAN_FAIL_AS("access", faccessat, -1, int, (int folder, const char* path, int mode, int flags),
            (folder, path, mode, flags))
CAN_FAIL(opendir, nullptr, DIR*, (const char* path), (path))
CAN_FAIL(realpath, nullptr, char*, (const char* path, char* result), (path, result))
CAN_FAIL(getcwd, nullptr, char*, (char* path, size_t size), (path, size))
CAN_FAIL(mkostemp, -1, int, (char* path, int flags), (path, flags))
CAN_FAIL(memfd_create, -1, int, (const char* name, unsigned flags), (name, flags))
CAN_FAIL(eventfd, -1, int, (unsigned value, int flags), (value, flags))
CAN_FAIL_AS("pipe", pipe, -1, int, (int* files), (files))
CAN_FAIL_AS("pipe", pipe2, -1, int, (int* files, int flags), (files, flags))
CAN_FAIL(poll, -1, int, (pollfd * files, nfds_t count, int timeout), (files, count, timeout))
CAN_FAIL(getrandom, -1, ssize_t, (void* bytes, size_t size, unsigned flags), (bytes, size, flags))
CAN_FAIL(mmap, MAP_FAILED, void*,
         (void* address, size_t size, int protection, int flags, int file, off_t at),
         (address, size, protection, flags, file, at))
CAN_FAIL_AS("mmap", mmap64, MAP_FAILED, void*,
            (void* address, size_t size, int protection, int flags, int file, off64_t at),
            (address, size, protection, flags, file, at))
CAN_FAIL(socket, -1, int, (int domain, int type, int protocol), (domain, type, protocol))
CAN_FAIL(bind, -1, int, (int file, const sockaddr* address, socklen_t size), (file, address, size))
CAN_FAIL(listen, -1, int, (int file, int backlog), (file, backlog))
CAN_FAIL_AS("accept", accept4, -1, int, (int file, sockaddr* address, socklen_t* size, int flags),
            (file, address, size, flags))

// With the errno 0, the lock is taken, but nobody else sees it, as on a file system whose locks
// only one machine sees.
int flock(int file, int operation) {
  static auto* const real = next(&::flock, "flock");
  if (!fails("flock", HERE)) return real(file, operation);
  errno = error_number;
  return error_number == 0 ? 0 : -1;
}
// These functions return the errno.
int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* words, char* const* variables) {
  static auto* const real = next(&::posix_spawnp, "posix_spawnp");
  if (fails("posix_spawnp", HERE)) return error_number;
  return real(process, file, actions, attributes, words, variables);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  static auto* const real = next(&::pthread_create, "pthread_create");
  if (fails("pthread_create", HERE)) return error_number;
  return real(thread, attributes, body, argument);
}

void* malloc(size_t size) {
  return allocation(
      HERE, [](size_t bytes, size_t) { return __libc_malloc(bytes); }, size, 0);
}
void* calloc(size_t count, size_t size) { return allocation(HERE, __libc_calloc, count, size); }
void* realloc(void* old, size_t size) {
  FAIL_WITH("malloc", nullptr);
  return __libc_realloc(old, size);
}
int posix_memalign(void** result, size_t alignment, size_t size) {
  void* const memory = allocation(HERE, __libc_memalign, alignment, size);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
void* aligned_alloc(size_t alignment, size_t size) {
  return allocation(HERE, __libc_memalign, alignment, size);
}
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)

void* operator new(size_t size) { return allocation_or_throw(HERE, 0, size); }
void* operator new(size_t size, std::align_val_t alignment) {
  return allocation_or_throw(HERE, static_cast<size_t>(alignment), size);
}
// NOLINTBEGIN(cppcoreguidelines-no-malloc): `delete` is implemented by a function of the C library.
void operator delete(void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { free(memory); }
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept { free(memory); }
void operator delete(void* memory, size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)
