#include "tests/support/call_site.h"

#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pthread.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>

// Nothing here may allocate memory by malloc or new, because these are the calls that are looked
// at.
namespace facepipe::test {
namespace {

using Address = std::uintptr_t;

struct Module {
  Address begin = 0;
  Address end = 0;
  std::array<char, 40> name{};
  bool passes_on = false;  ///< is the C or the C++ library, or this one: its caller is asked for
};

struct Symbol {
  Address begin = 0;
  Address end = 0;
  const char* name = "?";
  bool ours = false;
};

// The first module is the program.
constexpr std::size_t kMostModules = 512;
std::array<Module, kMostModules> modules;
std::atomic<std::size_t> module_count = 0;
pthread_mutex_t reading_modules = PTHREAD_MUTEX_INITIALIZER;
std::span<Symbol> symbols;

Address number(const void* place) { return reinterpret_cast<Address>(place); }

/// Returns whether a function with this mangled name is in our namespace, or is a lambda or a
/// variable in such a function. Templates of other libraries have our types only as arguments.
bool is_ours(const char* name) {
  if (strcmp(name, "main") == 0) return true;
  if (strncmp(name, "_Z", 2) != 0) return false;
  name += 2;
  name += strspn(name, "ZTnKN");  // local names, thunks, constant member functions, nested names
  return strncmp(name, "8facepipe", 9) == 0;
}

bool passes_on(const char* name) {
  return strcmp(name, "libc") == 0 || strcmp(name, "libstdc++") == 0 ||
         strcmp(name, "libfacepipe_failing_calls") == 0;
}

int add_module(dl_phdr_info* info, size_t /*size*/, void* count_pointer) {
  auto& count = *static_cast<std::size_t*>(count_pointer);
  if (count == kMostModules) return 1;
  Module module;
  module.begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const Address begin = info->dlpi_addr + part.p_vaddr;
    module.begin = std::min(module.begin, begin);
    module.end = std::max(module.end, begin + part.p_memsz);
  }
  const char* const slash = strrchr(info->dlpi_name, '/');
  const char* const file = slash != nullptr ? slash + 1 : info->dlpi_name;
  const char* const dot = strstr(file, ".so");
  const std::size_t length = dot != nullptr ? static_cast<std::size_t>(dot - file) : strlen(file);
  memcpy(module.name.data(), file, std::min(length, module.name.size() - 1));
  module.passes_on = passes_on(module.name.data());
  modules[count++] = module;
  return 0;
}

/// Lists the loaded libraries again. Threads that are just looking something up find either list,
/// because libraries keep their order and facepipe unloads none.
void read_modules() {
  pthread_mutex_lock(&reading_modules);
  std::size_t count = 0;
  dl_iterate_phdr(add_module, &count);
  module_count = count;
  pthread_mutex_unlock(&reading_modules);
}

const Module* known_module(Address place) {
  for (const Module& module : std::span(modules).first(module_count))
    if (place >= module.begin && place < module.end) return &module;
  return nullptr;
}

const Module* module_at(Address place) {
  if (const Module* const known = known_module(place)) return known;
  read_modules();  // a library was loaded in the meantime
  return known_module(place);
}

const Symbol* symbol_at(Address place) {
  const auto after = std::ranges::upper_bound(symbols, place, {}, &Symbol::begin);
  if (after == symbols.begin()) return nullptr;
  const auto& symbol = *std::prev(after);
  return place < symbol.end ? &symbol : nullptr;
}

void* new_pages(std::size_t size) {
  void* const pages =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) abort();
  return pages;
}

const char* mapped_program() {
  const int file = static_cast<int>(syscall(SYS_open, "/proc/self/exe", O_RDONLY));
  if (file < 0) abort();
  const off_t size = lseek(file, 0, SEEK_END);
  void* const bytes =
      mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, file, 0);
  syscall(SYS_close, file);
  if (bytes == MAP_FAILED) abort();
  return static_cast<const char*>(bytes);
}

template <typename T>
const T* at(const char* bytes, std::size_t offset) {
  return reinterpret_cast<const T*>(bytes + offset);
}

/// Returns the functions in a table of symbols, sorted by their addresses.
std::span<Symbol> functions(std::span<const ElfW(Sym)> table, const char* names, Address base) {
  auto* const all = static_cast<Symbol*>(new_pages(table.size() * sizeof(Symbol)));
  std::size_t count = 0;
  for (const auto& entry : table) {
    if (ELF64_ST_TYPE(entry.st_info) != STT_FUNC || entry.st_size == 0) continue;
    const char* const name = names + entry.st_name;
    const Address begin = base + entry.st_value;
    all[count++] = {begin, begin + entry.st_size, name, is_ours(name)};
  }
  const std::span<Symbol> found(all, count);
  std::ranges::sort(found, {}, &Symbol::begin);
  return found;
}

}  // namespace

void read_symbols() {
  std::array<void*, 2> first{};
  backtrace(first.data(), first.size());  // the first call loads a library, which allocates
  read_modules();
  const char* const bytes = mapped_program();
  const auto* const header = at<ElfW(Ehdr)>(bytes, 0);
  const auto* const sections = at<ElfW(Shdr)>(bytes, header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    const auto& section = sections[i];
    if (section.sh_type != SHT_SYMTAB) continue;
    const std::span table(at<ElfW(Sym)>(bytes, section.sh_offset),
                          section.sh_size / sizeof(ElfW(Sym)));
    symbols = functions(table, bytes + sections[section.sh_link].sh_offset, modules[0].begin);
  }
}

CallSite call_site(const void* place) {
  const Module* module = module_at(number(place));
  const auto in_program = [&] { return module == modules.data(); };
  const Symbol* symbol = in_program() ? symbol_at(number(place) - 1) : nullptr;
  if (symbol != nullptr && symbol->ours) return {true, symbol->name};
  if (module != nullptr && !in_program() && !module->passes_on) return {false, module->name.data()};

  // The call comes from the C++ library, or from a template of a library in the program.
  std::array<void*, 64> stack{};
  const int depth = backtrace(stack.data(), static_cast<int>(stack.size()));
  CallSite site{in_program(), symbol != nullptr ? symbol->name : "?"};
  bool reached = false;
  for (void* const frame : std::span(stack).first(static_cast<std::size_t>(depth))) {
    reached = reached || frame == place;
    if (!reached) continue;
    module = module_at(number(frame));
    if (module == nullptr || module->passes_on) continue;
    if (!in_program()) return site.own ? site : CallSite{false, module->name.data()};
    symbol = symbol_at(number(frame) - 1);
    if (symbol == nullptr) continue;
    if (symbol->ours) return {true, symbol->name};
    if (!site.own) site = {true, symbol->name};
  }
  return site;
}

}  // namespace facepipe::test
