// What NVDEC decodes.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>
#include <vector>

#include "core/geometry.h"
#include "video/cuda/nvdec_interface.h"

namespace facepipe {

/// A kind of stream that a chip decodes.
struct NvdecAbility {
  std::string codec;   ///< FFmpeg's name
  std::string chroma;  ///< "4:2:0"
  int bits = 8;        ///< of a sample
  Size smallest;       ///< coded size in pixels
  Size largest;        ///< likewise
};

struct CloseLibrary {
  void operator()(void* library) const noexcept { dlclose(library); }
};
using UniqueLibrary = std::unique_ptr<void, CloseLibrary>;

/// The driver's decoder library, loaded while the program runs: a machine without a driver lacks
/// it.
class NvdecLibrary {
 public:
  /// Errors: Error(device) where `file` can't be loaded or isn't that library.
  explicit NvdecLibrary(const char* file = "libnvcuvid.so.1");

  /// What CUDA's current device decodes, by codec, chroma and bits. Errors: Error(device).
  [[nodiscard]] std::vector<NvdecAbility> abilities() const;

 private:
  [[nodiscard]] bool ask(nvdec::DecodeCaps& caps) const;

  UniqueLibrary library_;
  nvdec::GetDecoderCaps* get_caps_ = nullptr;
};

}  // namespace facepipe
