#include "app/sandbox/system_paths.h"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

void add(std::vector<AllowedPath>& to, std::initializer_list<const char*> paths,
         FileAccess access = FileAccess::read) {
  for (const char* const path : paths) to.push_back({path, access});
}

/// Adds the folders in which the loader looks for libraries that are loaded by name: those of
/// LD_LIBRARY_PATH, of the program itself, and of the system. Leaves out relative names: they mean
/// the current folder, where the user's own files may lie.
void add_search_path(std::vector<AllowedPath>& to) {
  void* const program = dlopen(nullptr, RTLD_LAZY);
  if (program == nullptr) return;
  Dl_serinfo size{};
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0) {
    // The folders follow the struct in memory.
    const std::unique_ptr<std::byte[]> memory = std::make_unique<std::byte[]>(size.dls_size);
    auto* const found = new (memory.get()) Dl_serinfo{size.dls_size, size.dls_cnt, {}};
    if (dlinfo(program, RTLD_DI_SERINFO, found) == 0)
      for (unsigned i = 0; i < found->dls_cnt; ++i) {
        const fs::path folder = found->dls_serpath[i].dls_name;
        if (folder.is_absolute()) to.push_back({folder, FileAccess::read});
      }
  }
  dlclose(program);
}

/// Adds the folders of the libraries that are loaded. OpenVINO loads its plug-ins from its own.
void add_loaded_libraries(std::vector<AllowedPath>& to) {
  std::set<fs::path> folders;
  const auto take = [](dl_phdr_info* library, std::size_t /*size*/, void* set) {
    const fs::path file = library->dlpi_name;
    if (file.is_absolute()) static_cast<std::set<fs::path>*>(set)->insert(file.parent_path());
    return 0;
  };
  dl_iterate_phdr(take, &folders);
  for (const fs::path& folder : folders) to.push_back({folder, FileAccess::read});
}

void add_hosts(std::vector<AllowedPath>& to) {
  add(to, {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf",
           "/etc/gai.conf", "/etc/services", "/etc/protocols"});
  // The folders of private keys are not among these.
  add(to, {"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem", "/etc/gnutls",
           "/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf",
           "/etc/pki/ca-trust", "/etc/crypto-policies", "/usr/share/ca-certificates",
           "/usr/local/share/ca-certificates", "/usr/share/pki"});
  for (const char* const variable : {"SSL_CERT_FILE", "SSL_CERT_DIR"})
    if (const char* const path = std::getenv(variable); path != nullptr && *path != '\0')
      to.push_back({path, FileAccess::read});
}

}  // namespace

std::vector<AllowedPath> system_paths(Network network) {
  std::vector<AllowedPath> paths;
  // These come first, because the first paths stay open (see most_kept_open()).
  add(paths, {"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems",
              "/proc/sys/kernel/random/boot_id", "/proc/sys/vm/overcommit_memory"});
  add(paths, {"/sys/devices/system", "/sys/fs/cgroup"});
  add(paths, {"/dev/null"}, FileAccess::write);
  add(paths, {"/dev/zero", "/dev/random", "/dev/urandom"});
  add(paths, {"/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo", "/usr/lib/locale",
              "/usr/share/locale"});
  add_search_path(paths);
  add_loaded_libraries(paths);
  if (network == Network::allowed) add_hosts(paths);
  return paths;
}

bool has_nvidia_driver() {
  std::error_code error;
  return fs::exists("/dev/nvidiactl", error) || fs::exists("/dev/dxg", error);
}

std::vector<AllowedPath> cuda_paths() {
  std::vector<AllowedPath> paths;
  std::error_code error;
  for (fs::directory_iterator devices("/dev", error); !error && devices != fs::end(devices);
       devices.increment(error)) {
    const std::string name = devices->path().filename();
    if (name.starts_with("nvidia") || name.starts_with("nvhost") || name.starts_with("nvmap") ||
        name == "dxg")
      paths.push_back({devices->path(), FileAccess::write});
  }
  add(paths, {"/dev/shm"}, FileAccess::write);
  // The driver names its threads in /proc/self/task/*/comm, and doesn't start if it can't.
  add(paths, {"/proc/self/task"}, FileAccess::write);
  add(paths, {"/proc/driver/nvidia", "/proc/devices", "/proc/modules", "/sys/bus/pci",
              "/proc/sys/vm/mmap_min_addr", "/sys/devices", "/sys/module/nvidia",
              "/usr/share/nvidia", "/etc/nvidia"});
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/')
    for (const char* const cache : {".nv", ".cache/facepipe"})
      paths.push_back({fs::path(home) / cache, FileAccess::write});
  for (const char* const variable : {"CUDA_CACHE_PATH", "XDG_CACHE_HOME"})
    if (const char* const path = std::getenv(variable); path != nullptr && *path == '/')
      paths.push_back({path, FileAccess::write});
  return paths;
}

}  // namespace facepipe::app
