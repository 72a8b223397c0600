#include "video/cuda/nvdec.h"

#include "core/error.h"

namespace facepipe {
namespace {

struct Codec {
  std::int32_t number;  ///< cudaVideoCodec
  const char* name;
};
constexpr Codec kCodecs[] = {{0, "mpeg1video"}, {1, "mpeg2video"}, {2, "mpeg4"}, {3, "vc1"},
                             {4, "h264"},       {8, "hevc"},       {9, "vp8"},   {10, "vp9"},
                             {11, "av1"},       {5, "mjpeg"}};
constexpr const char* kChroma[] = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};  // cudaVideoChromaFormat
constexpr int kBits[] = {8, 10, 12};

// CUresult: what drivers answer to codecs that are newer than they are.
constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kNotSupported = 801;

}  // namespace

NvdecLibrary::NvdecLibrary(const char* file) : library_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
  if (!library_) throw Error(ErrorKind::device, std::string("NVDEC: ") + dlerror());
  get_caps_ =
      reinterpret_cast<nvdec::GetDecoderCaps*>(dlsym(library_.get(), "cuvidGetDecoderCaps"));
  if (get_caps_ == nullptr)
    throw Error(ErrorKind::device,
                std::string("NVDEC: ") + file + " doesn't tell what it decodes: it is too old");
}

bool NvdecLibrary::ask(nvdec::DecodeCaps& caps) const {
  const int result = get_caps_(&caps);
  if (result == kInvalidValue || result == kNotSupported) return false;
  if (result != kSuccess)
    throw Error(ErrorKind::device,
                "NVDEC: cuvidGetDecoderCaps failed with CUDA's error " + std::to_string(result));
  return caps.supported != 0;
}

std::vector<NvdecAbility> NvdecLibrary::abilities() const {
  std::vector<NvdecAbility> found;
  for (const Codec& codec : kCodecs)
    for (std::int32_t chroma = 0; chroma < static_cast<std::int32_t>(std::size(kChroma)); ++chroma)
      for (const int bits : kBits) {
        nvdec::DecodeCaps caps;
        caps.codec = codec.number;
        caps.chroma = chroma;
        caps.bits_minus_8 = static_cast<std::uint32_t>(bits - 8);
        if (!ask(caps)) continue;
        found.push_back({codec.name,
                         kChroma[chroma],
                         bits,
                         {caps.min_width, caps.min_height},
                         {static_cast<int>(caps.max_width), static_cast<int>(caps.max_height)}});
      }
  return found;
}

}  // namespace facepipe
