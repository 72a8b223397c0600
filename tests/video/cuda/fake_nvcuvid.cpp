// A decoder library of a chip that decodes H.264 4:2:0 of 8 bits and HEVC 4:4:4 of 10, that is too
// old to know VP9, and that breaks down when it is asked for AV1 if the environment says so.
#include <cstdlib>

#include "video/cuda/nvdec_interface.h"

namespace {

constexpr int kH264 = 4;
constexpr int kHevc = 8;
constexpr int kVp9 = 10;
constexpr int kAv1 = 11;
constexpr int k420 = 1;
constexpr int k444 = 3;

}  // namespace

extern "C" __attribute__((visibility("default"))) int cuvidGetDecoderCaps(
    facepipe::nvdec::DecodeCaps* caps) {
  if (caps->codec == kVp9) return 1;  // CUDA_ERROR_INVALID_VALUE
  if (caps->codec == kAv1 && std::getenv("FAKE_NVCUVID_BREAKS") != nullptr) return 999;
  const bool h264 = caps->codec == kH264 && caps->chroma == k420 && caps->bits_minus_8 == 0;
  const bool hevc = caps->codec == kHevc && caps->chroma == k444 && caps->bits_minus_8 == 2;
  caps->supported = h264 || hevc ? 1 : 0;
  caps->max_width = h264 ? 4096 : 8192;
  caps->max_height = h264 ? 4080 : 8176;
  caps->min_width = h264 ? 48 : 144;
  caps->min_height = h264 ? 16 : 128;
  return 0;
}
