#include "video/cuda/nvdec.h"

#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>

#include <optional>
#include <utility>

#include "core/error.h"
#include "video/cuda/cuvid_library.h"

namespace facepipe::video {
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

// Drivers return these codes for codecs that are newer than the driver. The header has no names for
// the codes.
constexpr int kInvalidValue = 1;
constexpr int kNotSupported = 801;

/// Asks the driver what CUDA's current device decodes.
class Capabilities {
 public:
  explicit Capabilities(const char* file)
      : library_(file), get_caps_(library_.function<tcuvidGetDecoderCaps>("cuvidGetDecoderCaps")) {
    if (get_caps_ == nullptr)
      throw Error(ErrorKind::device,
                  std::string("NVDEC: ") + file + " doesn't tell what it decodes: it is too old");
  }

  /// Returns the device's abilities for streams of this kind; nullopt if it can't decode them.
  [[nodiscard]] std::optional<CUVIDDECODECAPS> ask(cudaVideoCodec codec,
                                                   cudaVideoChromaFormat chroma, int bits) const {
    CUVIDDECODECAPS caps{};
    caps.eCodecType = codec;
    caps.eChromaFormat = chroma;
    caps.nBitDepthMinus8 = static_cast<unsigned>(bits - 8);
    const int result = get_caps_(&caps);
    if (result == kInvalidValue || result == kNotSupported) return std::nullopt;
    if (result != CUDA_SUCCESS)
      throw Error(ErrorKind::device,
                  "NVDEC: cuvidGetDecoderCaps failed with CUDA's error " + std::to_string(result));
    if (caps.bIsSupported == 0) return std::nullopt;
    return caps;
  }

 private:
  CuvidLibrary library_;
  tcuvidGetDecoderCaps* get_caps_;
};

}  // namespace

std::vector<NvdecAbility> nvdec_abilities(const char* file) {
  const Capabilities chip(file);
  std::vector<NvdecAbility> found;
  for (const auto& [codec, codec_name] : kCodecs)
    for (const auto& [chroma, chroma_name] : kChroma)
      for (const int bits : kBits)
        if (const auto caps = chip.ask(codec, chroma, bits))
          found.push_back(
              {codec_name,
               chroma_name,
               bits,
               {caps->nMinWidth, caps->nMinHeight},
               {static_cast<int>(caps->nMaxWidth), static_cast<int>(caps->nMaxHeight)}});
  return found;
}

int nvdec_engines(std::string_view codec, const char* file) {
  const Capabilities chip(file);
  for (const auto& [known, name] : kCodecs) {
    if (name != codec) continue;
    const auto caps = chip.ask(known, cudaVideoChromaFormat_420, 8);
    return caps ? caps->nNumNVDECs : 0;
  }
  return 0;
}

}  // namespace facepipe::video
