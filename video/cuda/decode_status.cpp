#include "video/cuda/decode_status.h"

#include "video/ffmpeg_compat.h"

namespace facepipe::video {

bool has_decode_status(AVCodecID codec) {
  return compat::kKnowsNvdecPictures && (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC);
}

DecodeStatusReader::DecodeStatusReader(const char* file)
    : library_(file),
      get_status_(library_.function<tcuvidGetDecodeStatus>("cuvidGetDecodeStatus")) {}

DecodeStatus DecodeStatusReader::of(const AVFrame& surface) const {
  const auto picture = compat::nvdec_picture(surface);
  if (!picture || get_status_ == nullptr) return DecodeStatus::unknown;
  CUVIDGETDECODESTATUS told{};
  if (get_status_(static_cast<CUvideodecoder>(picture->decoder), picture->number, &told) !=
      CUDA_SUCCESS)
    return DecodeStatus::unknown;
  switch (told.decodeStatus) {
    case cuvidDecodeStatus_InProgress:
      return DecodeStatus::decoding;
    case cuvidDecodeStatus_Success:
      return DecodeStatus::whole;
    case cuvidDecodeStatus_Error:
    case cuvidDecodeStatus_Error_Concealed:
      return DecodeStatus::damaged;
    default:
      return DecodeStatus::unknown;
  }
}

}  // namespace facepipe::video
