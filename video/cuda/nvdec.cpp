#include "video/cuda/nvdec.h"

#include <dlfcn.h>
#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>

#include <memory>
#include <utility>

#include "core/error.h"

namespace facepipe {
namespace {

constexpr std::pair<cudaVideoCodec, const char*> kCodecs[] = {
    {cudaVideoCodec_MPEG1, "mpeg1video"}, {cudaVideoCodec_MPEG2, "mpeg2video"},
    {cudaVideoCodec_MPEG4, "mpeg4"},      {cudaVideoCodec_VC1, "vc1"},
    {cudaVideoCodec_H264, "h264"},        {cudaVideoCodec_HEVC, "hevc"},
    {cudaVideoCodec_VP8, "vp8"},          {cudaVideoCodec_VP9, "vp9"},
    {cudaVideoCodec_AV1, "av1"},          {cudaVideoCodec_JPEG, "mjpeg"}};
constexpr std::pair<cudaVideoChromaFormat, const char*> kChroma[] = {
    {cudaVideoChromaFormat_Monochrome, "4:0:0"},
    {cudaVideoChromaFormat_420, "4:2:0"},
    {cudaVideoChromaFormat_422, "4:2:2"},
    {cudaVideoChromaFormat_444, "4:4:4"}};
constexpr int kBits[] = {8, 10, 12};

// What drivers answer to codecs that are newer than they are; the header names neither.
constexpr int kInvalidValue = 1;
constexpr int kNotSupported = 801;

struct CloseLibrary {
  void operator()(void* library) const noexcept { dlclose(library); }
};
using UniqueLibrary = std::unique_ptr<void, CloseLibrary>;

/// Whether the device decodes what `caps` names, whose answers are filled in.
bool ask(tcuvidGetDecoderCaps* get_caps, CUVIDDECODECAPS& caps) {
  const int result = get_caps(&caps);
  if (result == kInvalidValue || result == kNotSupported) return false;
  if (result != CUDA_SUCCESS)
    throw Error(ErrorKind::device,
                "NVDEC: cuvidGetDecoderCaps failed with CUDA's error " + std::to_string(result));
  return caps.bIsSupported != 0;
}

}  // namespace

// Not by cuvid_load_functions(), which takes no file, asks for functions of decoding that nobody
// calls here, and prints its failures.
std::vector<NvdecAbility> nvdec_abilities(const char* file) {
  const UniqueLibrary library(dlopen(file, RTLD_NOW | RTLD_LOCAL));
  if (!library) throw Error(ErrorKind::device, std::string("NVDEC: ") + dlerror());
  auto* const get_caps =
      reinterpret_cast<tcuvidGetDecoderCaps*>(dlsym(library.get(), "cuvidGetDecoderCaps"));
  if (get_caps == nullptr)
    throw Error(ErrorKind::device,
                std::string("NVDEC: ") + file + " doesn't tell what it decodes: it is too old");
  std::vector<NvdecAbility> found;
  for (const auto& [codec, codec_name] : kCodecs)
    for (const auto& [chroma, chroma_name] : kChroma)
      for (const int bits : kBits) {
        CUVIDDECODECAPS caps{};
        caps.eCodecType = codec;
        caps.eChromaFormat = chroma;
        caps.nBitDepthMinus8 = static_cast<unsigned>(bits - 8);
        if (!ask(get_caps, caps)) continue;
        found.push_back({codec_name,
                         chroma_name,
                         bits,
                         {caps.nMinWidth, caps.nMinHeight},
                         {static_cast<int>(caps.nMaxWidth), static_cast<int>(caps.nMaxHeight)},
                         caps.nNumNVDECs});
      }
  return found;
}

}  // namespace facepipe
