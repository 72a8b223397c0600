#include "experiments/programs/acf_variants/npp_steps.h"

#include <nppi.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "core/cuda/check.h"
#include "detector/acf/channels.h"

namespace facepipe::acf_variants {
namespace {

using detector::acf::kColors;
using detector::acf::kHalf;
using detector::acf::kShrink;

constexpr int kPlanes = 4;  ///< of the result: Sobel's x, y, magnitude and angle need most
constexpr NppiPoint kCorner{0, 0};

/// The range of L, U and V that NPP's 0 and 255 stand for, in CIE's units; from NPP's
/// documentation.
struct Range {
  float least;
  float most;
};
constexpr Range kNppRanges[kColors] = {{0, 100}, {-134, 220}, {-140, 122}};
/// Our values are (CIE's - least) / 270 (detector/acf/channels.h).
constexpr float kLeast[kColors] = {0, -88, -134};
constexpr float kUnits = 270;

void check(NppStatus status, const char* call) {
  if (status != NPP_SUCCESS)
    throw std::runtime_error(std::string(call) + ": NPP's status " +
                             std::to_string(static_cast<int>(status)));
}

NppStreamContext context_of(cuda::StreamView stream) {
  int device = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&device));
  cudaDeviceProp of{};
  FACEPIPE_CUDA_CHECK(cudaGetDeviceProperties(&of, device));
  NppStreamContext context{};
  context.hStream = stream.get();
  context.nCudaDeviceId = device;
  context.nMultiProcessorCount = of.multiProcessorCount;
  context.nMaxThreadsPerMultiProcessor = of.maxThreadsPerMultiProcessor;
  context.nMaxThreadsPerBlock = of.maxThreadsPerBlock;
  context.nSharedMemPerBlock = of.sharedMemPerBlock;
  context.nCudaDevAttrComputeCapabilityMajor = of.major;
  context.nCudaDevAttrComputeCapabilityMinor = of.minor;
  FACEPIPE_CUDA_CHECK(cudaStreamGetFlags(stream.get(), &context.nStreamFlags));
  return context;
}

NppiSize region_of(Size size) { return {size.width, size.height}; }

int row_bytes(int width) { return width * static_cast<int>(sizeof(float)); }

}  // namespace

const char* name_of(NppStep step) {
  switch (step) {
    case NppStep::luv:
      return "luv";
    case NppStep::smooth:
      return "smooth";
    case NppStep::gradient:
      return "gradient";
    case NppStep::sobel:
      return "sobel";
    case NppStep::shrink:
      return "shrink";
  }
  return "";
}

NppSteps::NppSteps(Size size, cuda::StreamView stream)
    : size_(size),
      samples_(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)),
      context_(context_of(stream)),
      rgb_(kColors * samples_),
      luv_(kColors * samples_),
      luv_planes_(kColors * samples_),
      difference_(cuda::uploaded(std::vector<float>{kHalf, 0, -kHalf}, stream)),
      result_(kPlanes * samples_) {}

void NppSteps::enqueue(NppStep step, const std::uint8_t* nv12, const FeaturePlanes& ours) const {
  switch (step) {
    case NppStep::luv:
      return enqueue_luv(nv12);
    case NppStep::smooth:
      return enqueue_smooth(ours.luv);
    case NppStep::gradient:
      return enqueue_gradient(ours.smooth);
    case NppStep::sobel:
      return enqueue_sobel(ours.smooth);
    case NppStep::shrink:
      return enqueue_shrink(ours.smooth);
  }
}

void NppSteps::enqueue_luv(const std::uint8_t* nv12) const {
  const NppiSize region = region_of(size_);
  const int width = size_.width;
  const Npp8u* const picture[2] = {nv12, nv12 + samples_};
  check(nppiNV12ToRGB_709CSC_8u_P2C3R_Ctx(picture, width, rgb_.data(), kColors * width, region,
                                          context_),
        "nppiNV12ToRGB_709CSC_8u_P2C3R");
  check(nppiRGBToLUV_8u_C3R_Ctx(rgb_.data(), kColors * width, luv_.data(), kColors * width, region,
                                context_),
        "nppiRGBToLUV_8u_C3R");
  Npp8u* const planes[kColors] = {luv_planes_.data(), luv_planes_.data() + samples_,
                                  luv_planes_.data() + 2 * samples_};
  check(nppiCopy_8u_C3P3R_Ctx(luv_.data(), kColors * width, planes, width, region, context_),
        "nppiCopy_8u_C3P3R");
  for (int c = 0; c < kColors; ++c)
    check(nppiScale_8u32f_C1R_Ctx(planes[c], width, plane(c), row_bytes(width), region,
                                  (kNppRanges[c].least - kLeast[c]) / kUnits,
                                  (kNppRanges[c].most - kLeast[c]) / kUnits, context_),
          "nppiScale_8u32f_C1R");
}

void NppSteps::enqueue_smooth(const float* luv) const {
  const NppiSize region = region_of(size_);
  for (int c = 0; c < kColors; ++c)
    check(nppiFilterGaussBorder_32f_C1R_Ctx(luv + static_cast<std::size_t>(c) * samples_,
                                            row_bytes(size_.width), region, kCorner, plane(c),
                                            row_bytes(size_.width), region, NPP_MASK_SIZE_3_X_3,
                                            NPP_BORDER_REPLICATE, context_),
          "nppiFilterGaussBorder_32f_C1R");
}

void NppSteps::enqueue_gradient(const float* lightness) const {
  const NppiSize region = region_of(size_);
  const int row = row_bytes(size_.width);
  check(nppiFilterRowBorder_32f_C1R_Ctx(lightness, row, region, kCorner, plane(1), row, region,
                                        difference_.data(), 3, 1, NPP_BORDER_REPLICATE, context_),
        "nppiFilterRowBorder_32f_C1R");
  check(
      nppiFilterColumnBorder_32f_C1R_Ctx(lightness, row, region, kCorner, plane(2), row, region,
                                         difference_.data(), 3, 1, NPP_BORDER_REPLICATE, context_),
      "nppiFilterColumnBorder_32f_C1R");
  check(nppiSqr_32f_C1R_Ctx(plane(1), row, plane(0), row, region, context_), "nppiSqr_32f_C1R");
  check(nppiSqr_32f_C1IR_Ctx(plane(2), row, region, context_), "nppiSqr_32f_C1IR");
  check(nppiAdd_32f_C1IR_Ctx(plane(2), row, plane(0), row, region, context_), "nppiAdd_32f_C1IR");
  check(nppiSqrt_32f_C1IR_Ctx(plane(0), row, region, context_), "nppiSqrt_32f_C1IR");
}

void NppSteps::enqueue_sobel(const float* lightness) const {
  const NppiSize region = region_of(size_);
  const int row = row_bytes(size_.width);
  check(nppiGradientVectorSobelBorder_32f_C1R_Ctx(
            lightness, row, region, kCorner, plane(1), row, plane(2), row, plane(0), row, plane(3),
            row, region, NPP_MASK_SIZE_3_X_3, nppiNormL2, NPP_BORDER_REPLICATE, context_),
        "nppiGradientVectorSobelBorder_32f_C1R");
}

void NppSteps::enqueue_shrink(const float* planes) const {
  const Size cells{size_.width / kShrink, size_.height / kShrink};
  const std::size_t of_cells =
      static_cast<std::size_t>(cells.width) * static_cast<std::size_t>(cells.height);
  for (std::size_t i = 0; i < kPlanes; ++i)
    check(nppiResize_32f_C1R_Ctx(planes + i * samples_, row_bytes(size_.width), region_of(size_),
                                 {0, 0, size_.width, size_.height}, result_.data() + i * of_cells,
                                 row_bytes(cells.width), region_of(cells),
                                 {0, 0, cells.width, cells.height}, NPPI_INTER_SUPER, context_),
          "nppiResize_32f_C1R");
}

}  // namespace facepipe::acf_variants
