// This library for LD_PRELOAD makes a call of NVIDIA's libraries fail: of the driver (cu...), of
// NVDEC (cuvid...) or of nvJPEG (nvjpeg...). It needs a GPU, because all other calls do their work.
// These variables control it; failing_calls.cpp has variables of the same names:
//
// FACEPIPE_FAIL="CALL FROM NTH DO"  The Nth call of the function CALL, counted from 1, does nothing
//     and returns the number DO. If CALL is "any", the calls of all functions count. FROM is "gpu".
// FACEPIPE_FAIL_ON=1                All later calls fail, too, as if the GPU were lost.
// FACEPIPE_FAIL_LOG=FILE            A line is added to FILE when the fault happens.
// FACEPIPE_FAIL_SITES=FILE          At the end of the program, FILE gets a line "CALL gpu COUNT"
//     for each function.
//
// The program finds the functions of the driver and of NVDEC with dlsym() and cuGetProcAddress().
// It gets stubs instead: pieces of machine code that this library writes, one for each function. A
// stub asks decide() first, and then jumps to the function, whose arguments it needn't know.
#include <dlfcn.h>
#include <sys/mman.h>

#include <pthread.h>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/append_file.h"

namespace {

using facepipe::test::append;
using facepipe::test::open_to_append;

// --- What is asked for ---------------------------------------------------------------------------

char call_name[64];
long nth = 0;
long answer = 0;
bool goes_on = false;
long log_file = -1;
long sites_file = -1;
std::atomic<long> all_calls = 0;

__attribute__((constructor)) void read_environment() {
  const char* const text = getenv("FACEPIPE_FAIL");
  if (text != nullptr && sscanf(text, "%63s %*s %ld %ld", call_name, &nth, &answer) != 3)
    call_name[0] = '\0';
  goes_on = getenv("FACEPIPE_FAIL_ON") != nullptr;
  sites_file = open_to_append(getenv("FACEPIPE_FAIL_SITES"));
  log_file = open_to_append(getenv("FACEPIPE_FAIL_LOG"));
}

// --- Functions -----------------------------------------------------------------------------------

struct Function {
  std::array<char, 64> name{};
  void* real = nullptr;
  void* stub = nullptr;
  std::atomic<long> calls = 0;
};

std::array<Function, 1024> functions;
std::size_t function_count = 0;
pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;

void append_line(long file, const char* name, long number) {
  char line[128];
  snprintf(line, sizeof line, "%s gpu %ld\n", name, number);
  append(file, line);
}

/// Returns what the call must return instead of doing its work; 0: it does its work.
extern "C" long decide(Function* function) {
  const long own = ++function->calls;
  const long any = ++all_calls;
  const bool is_any = strcmp(call_name, "any") == 0;
  if (!is_any && strcmp(call_name, function->name.data()) != 0) return 0;
  const long call = is_any ? any : own;
  if (call == nth && log_file >= 0) append_line(log_file, function->name.data(), call);
  return call == nth || (call > nth && goes_on) ? answer : 0;
}

__attribute__((destructor)) void write_sites() {
  if (sites_file < 0) return;
  for (std::size_t i = 0; i < function_count; ++i) {
    const Function& function = functions[i];
    if (function.calls > 0) append_line(sites_file, function.name.data(), function.calls);
  }
  append_line(sites_file, "any", all_calls);
}

// --- Stubs ---------------------------------------------------------------------------------------

/// Writes machine code of x86-64 from `at` on.
class Code {
 public:
  explicit Code(std::uint8_t* at) : at_(at) {}
  Code& bytes(std::initializer_list<std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) *at_++ = byte;
    return *this;
  }
  Code& address(const void* address) {
    memcpy(at_, &address, sizeof address);
    at_ += sizeof address;
    return *this;
  }

 private:
  std::uint8_t* at_;
};

constexpr std::size_t kStubBytes = 128;

/// Saves the registers with arguments, calls decide(function), and restores them. Then it returns
/// what decide() said, or jumps to the real function.
void write_stub(std::uint8_t* at, const Function& function) {
  Code(at)
      .bytes({0x57, 0x56, 0x52, 0x51, 0x41, 0x50, 0x41, 0x51})  // push rdi, rsi, rdx, rcx, r8, r9
      .bytes({0x48, 0x83, 0xEC, 0x08})                          // sub rsp, 8: calls need 16 bytes
      .bytes({0x48, 0xBF})                                      // mov rdi, &function
      .address(&function)
      .bytes({0x48, 0xB8})  // mov rax, decide
      .address(reinterpret_cast<const void*>(&decide))
      .bytes({0xFF, 0xD0})                                      // call rax
      .bytes({0x48, 0x83, 0xC4, 0x08})                          // add rsp, 8
      .bytes({0x41, 0x59, 0x41, 0x58, 0x59, 0x5A, 0x5E, 0x5F})  // pop them
      .bytes({0x48, 0x85, 0xC0, 0x74, 0x01, 0xC3})              // test rax, rax; if it isn't 0: ret
      .bytes({0x49, 0xBB})                                      // mov r11, the real function
      .address(function.real)
      .bytes({0x41, 0xFF, 0xE3});  // jmp r11
}

/// Returns the stub of a function, which is made once. Returns the function itself if there is no
/// room.
void* stub_of(const char* name, void* real) {
  pthread_mutex_lock(&listing);
  std::size_t i = 0;
  while (i < function_count && functions[i].real != real) ++i;
  void* found = real;
  static auto* const code = static_cast<std::uint8_t*>(mmap(nullptr, kStubBytes * functions.size(),
                                                            PROT_READ | PROT_WRITE | PROT_EXEC,
                                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (i < function_count) {
    found = functions[i].stub;
  } else if (i < functions.size() && code != MAP_FAILED) {
    Function& function = functions[i];
    snprintf(function.name.data(), function.name.size(), "%s", name);
    function.real = real;
    function.stub = found = code + i * kStubBytes;
    write_stub(static_cast<std::uint8_t*>(found), function);
    ++function_count;
  }
  pthread_mutex_unlock(&listing);
  return found;
}

bool is_of_the_gpu(const char* name) {
  const bool driver = strncmp(name, "cu", 2) == 0 && name[2] >= 'A' && name[2] <= 'Z';
  return driver || strncmp(name, "cuvid", 5) == 0;
}

void* real_dlsym(void* library, const char* name) {
  using Dlsym = void*(void*, const char*);
  static auto* const real = reinterpret_cast<Dlsym*>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  return real(library, name);
}

using GetProcAddress = int(const char*, void**, int, std::uint64_t, void*);
GetProcAddress* real_get_proc_address = nullptr;

int get_proc_address(const char* name, void** found, int version, std::uint64_t flags,
                     void* result);

/// Returns what the program gets instead of a function.
void* replaced(const char* name, void* real) {
  if (real == nullptr || !is_of_the_gpu(name)) return real;
  // The runtime's private tables have no names.
  if (strcmp(name, "cuGetExportTable") == 0) return real;
  if (strncmp(name, "cuGetProcAddress", 16) != 0) return stub_of(name, real);
  real_get_proc_address = reinterpret_cast<GetProcAddress*>(real);
  return reinterpret_cast<void*>(&get_proc_address);
}

/// cuGetProcAddress() has no last parameter, and its second version has. Both take this call.
int get_proc_address(const char* name, void** found, int version, std::uint64_t flags,
                     void* result) {
  const int code = real_get_proc_address(name, found, version, flags, result);
  if (code == 0) *found = replaced(name, *found);
  return code;
}

/// Calls a function of a library that the program links. No argument is a floating-point number.
long call_linked(Function& function, const std::array<long, 8>& arguments) {
  if (const long failure = decide(&function)) return failure;
  using Any = long(long, long, long, long, long, long, long, long);
  if (function.real == nullptr) function.real = real_dlsym(RTLD_NEXT, function.name.data());
  const auto [a, b, c, d, e, f, g, h] = arguments;
  return reinterpret_cast<Any*>(function.real)(a, b, c, d, e, f, g, h);
}

Function& linked(const char* name) {
  pthread_mutex_lock(&listing);
  Function& function = functions[function_count++];
  pthread_mutex_unlock(&listing);
  snprintf(function.name.data(), function.name.size(), "%s", name);
  return function;
}

}  // namespace

// --- What the program calls ----------------------------------------------------------------------

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-identifier-length)
extern "C" {

void* dlsym(void* library, const char* name) {
  void* const real = real_dlsym(library, name);
  return replaced(name, real);
}

#define CAN_FAIL(name)                                                        \
  long name(long a, long b, long c, long d, long e, long f, long g, long h) { \
    static Function& function = linked(#name);                                \
    return static_cast<int>(call_linked(function, {a, b, c, d, e, f, g, h})); \
  }
CAN_FAIL(nvjpegCreateSimple)
CAN_FAIL(nvjpegEncodeGetBufferSize)
CAN_FAIL(nvjpegEncodeRetrieveBitstream)
CAN_FAIL(nvjpegEncodeYUV)
CAN_FAIL(nvjpegEncoderParamsCreate)
CAN_FAIL(nvjpegEncoderParamsSetQuality)
CAN_FAIL(nvjpegEncoderParamsSetSamplingFactors)
CAN_FAIL(nvjpegEncoderStateCreate)
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-identifier-length)
