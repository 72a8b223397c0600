// The driver's decoder library, whose functions are looked up by name.
#pragma once

#include <dlfcn.h>

#include <memory>

namespace facepipe::video {

/// Not by FFmpeg's cuvid_load_functions(), which takes no file, asks for functions of decoding that
/// nobody calls here, and prints its failures.
class CuvidLibrary {
 public:
  static constexpr const char* kUsual = "libnvcuvid.so.1";

  /// Errors: Error(device) where `file` can't be loaded, as on a machine without a driver.
  explicit CuvidLibrary(const char* file);

  /// Null where the library is older than the function.
  template <typename Function>
  [[nodiscard]] Function* function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_.get(), name));
  }

 private:
  struct Close {
    void operator()(void* library) const noexcept { dlclose(library); }
  };
  std::unique_ptr<void, Close> library_;
};

}  // namespace facepipe::video
