// Loads the driver's decoder library, and finds its functions by name.
#pragma once

#include <dlfcn.h>

#include <memory>

namespace facepipe::video {

/// Loads the library itself, and doesn't use FFmpeg's cuvid_load_functions(). That function takes
/// no file name, requires decoding functions that this program never calls, and prints its
/// failures.
class CuvidLibrary {
 public:
  static constexpr const char* kUsual = "libnvcuvid.so.1";

  /// Throws Error(device) if `file` can't be loaded, for example on a machine without a driver.
  explicit CuvidLibrary(const char* file);

  /// Returns the function of this name; nullptr if the library is too old to have it.
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
