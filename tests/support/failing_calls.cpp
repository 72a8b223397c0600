// This library for LD_PRELOAD makes one system call of the tested program fail. The environment
// variable FACEPIPE_FAIL="CALL FROM NTH DO" says which call. FROM is the caller: "own" for the
// program itself, or the beginning of a library's file name. DO is an errno, or "short" (half of
// the bytes are written). With FACEPIPE_FAIL_ON=1 all later calls fail, too.
#include <dlfcn.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <unistd.h>

#include <pthread.h>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

char call_name[32];
char from[64];
long nth = 0;
int error_number = 0;
bool writes_half = false;
bool goes_on = false;
const void* program = nullptr;
std::atomic<long> calls = 0;
std::atomic<bool> ready = false;
thread_local bool inside __attribute__((tls_model("initial-exec"))) = false;

__attribute__((constructor)) void read_environment() {
  const char* const text = getenv("FACEPIPE_FAIL");
  char action[16];
  if (text == nullptr || sscanf(text, "%31s %63s %ld %15s", call_name, from, &nth, action) != 4)
    return;
  writes_half = strcmp(action, "short") == 0;
  error_number = atoi(action);
  goes_on = getenv("FACEPIPE_FAIL_ON") != nullptr;
  Dl_info info{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the system returns the address as a number.
  if (dladdr(reinterpret_cast<void*>(getauxval(AT_PHDR)), &info) != 0) program = info.dli_fbase;
  ready = true;
}

bool comes_from(const void* place) {
  Dl_info info{};
  if (dladdr(place, &info) == 0 || info.dli_fname == nullptr) return false;
  if (strcmp(from, "own") == 0) return info.dli_fbase == program;
  const char* const slash = strrchr(info.dli_fname, '/');
  return info.dli_fbase != program &&
         strncmp(slash != nullptr ? slash + 1 : info.dli_fname, from, strlen(from)) == 0;
}

/// Returns whether this call must fail.
bool fails(const char* name, const void* place) {
  if (!ready || inside || strcmp(name, call_name) != 0) return false;
  const int before = errno;
  inside = true;
  const bool ours = comes_from(place);
  inside = false;
  errno = before;
  if (!ours) return false;
  const long call = ++calls;
  return goes_on ? call >= nth : call == nth;
}

template <typename Function>
Function* next(Function* /*like*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void* allocation(const void* place, void* (*allocate)(size_t, size_t), size_t first,
                 size_t second) {
  if (!fails("malloc", place)) return allocate(first, second);
  errno = ENOMEM;
  return nullptr;
}

}  // namespace

#define HERE __builtin_return_address(0)
#define FAIL_WITH(name, answer) \
  if (fails(name, HERE)) {      \
    errno = error_number;       \
    return answer;              \
  }

// In the C library, the parameters of the following functions have reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const real = next(&::write, "write");
  if (!fails("write", HERE)) return real(file, bytes, size);
  if (writes_half) return real(file, bytes, size > 1 ? size / 2 : size);
  errno = error_number;
  return -1;
}
ssize_t read(int file, void* bytes, size_t size) {
  static auto* const real = next(&::read, "read");
  FAIL_WITH("read", -1);
  return real(file, bytes, size);
}
int fsync(int file) {
  static auto* const real = next(&::fsync, "fsync");
  FAIL_WITH("fsync", -1);
  return real(file);
}
// With the errno 0, the lock is taken, but nobody else sees it, as on a file system whose locks
// only one machine sees.
int flock(int file, int operation) {
  static auto* const real = next(&::flock, "flock");
  if (!fails("flock", HERE)) return real(file, operation);
  errno = error_number;
  return error_number == 0 ? 0 : -1;
}
int unlink(const char* path) {
  static auto* const real = next(&::unlink, "unlink");
  FAIL_WITH("unlink", -1);
  return real(path);
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

void* operator new(size_t size) {
  void* const memory = fails("new", HERE) ? nullptr : __libc_malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// NOLINTBEGIN(cppcoreguidelines-no-malloc): `delete` is implemented by a function of the C library.
void operator delete(void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { free(memory); }
// NOLINTEND(cppcoreguidelines-no-malloc)
