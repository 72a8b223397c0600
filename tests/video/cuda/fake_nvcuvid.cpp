// Fakes the driver's decoder library of a GPU that decodes 8-bit H.264 4:2:0 and 10-bit HEVC 4:4:4.
// The library is too old to know VP9. If FAKE_NVCUVID_BREAKS is set, it fails when it is asked
// about AV1. A decoder is a list of the statuses of its pictures.
#include <ffnvcodec/dynlink_cuda.h>
#include <ffnvcodec/dynlink_cuviddec.h>

#include <cstdlib>

extern "C" __attribute__((visibility("default"))) CUresult cuvidGetDecoderCaps(
    CUVIDDECODECAPS* caps) {
  if (caps->eCodecType == cudaVideoCodec_VP9)
    return static_cast<CUresult>(1);  // CUDA_ERROR_INVALID_VALUE
  if (caps->eCodecType == cudaVideoCodec_AV1 && std::getenv("FAKE_NVCUVID_BREAKS") != nullptr)
    return CUDA_ERROR_UNKNOWN;
  const bool h264 = caps->eCodecType == cudaVideoCodec_H264 &&
                    caps->eChromaFormat == cudaVideoChromaFormat_420 && caps->nBitDepthMinus8 == 0;
  const bool hevc = caps->eCodecType == cudaVideoCodec_HEVC &&
                    caps->eChromaFormat == cudaVideoChromaFormat_444 && caps->nBitDepthMinus8 == 2;
  caps->bIsSupported = h264 || hevc ? 1 : 0;
  caps->nMaxWidth = h264 ? 4096 : 8192;
  caps->nMaxHeight = h264 ? 4080 : 8176;
  caps->nMinWidth = h264 ? 48 : 144;
  caps->nMinHeight = h264 ? 16 : 128;
  return CUDA_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) CUresult cuvidGetDecodeStatus(
    CUvideodecoder decoder, int picture, CUVIDGETDECODESTATUS* status) {
  const int told = static_cast<const int*>(decoder)[picture];
  if (told < 0) return static_cast<CUresult>(801);  // CUDA_ERROR_NOT_SUPPORTED
  status->decodeStatus = static_cast<cuvidDecodeStatus>(told);
  return CUDA_SUCCESS;
}
