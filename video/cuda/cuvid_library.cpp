#include "video/cuda/cuvid_library.h"

#include <string>

#include "core/error.h"

namespace facepipe::video {

CuvidLibrary::CuvidLibrary(const char* file) : library_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (!library_) throw Error(ErrorKind::device, std::string("NVDEC: ") + dlerror());
}

}  // namespace facepipe::video
