#include "experiments/programs/hardware/green_context.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <string>

#include "core/cuda/check.h"
#include "core/error.h"

namespace facepipe::experiments {
namespace {

/// Gets the driver's function of this CUDA version from the runtime. So the program needn't be
/// linked to the driver's library, which machines without a GPU don't have.
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  FACEPIPE_CUDA_CHECK(
      cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result));
  if (result != cudaDriverEntryPointSuccess)
    throw Error(ErrorKind::device, std::string("the driver has no ") + name);
  return reinterpret_cast<Function>(found);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
}

// NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared
#define FACEPIPE_DRIVER_FUNCTION(name, version) \
  decltype(&::name) name = driver_function<decltype(&::name)>(#name, version)
// NOLINTEND(bugprone-macro-parentheses)

struct Driver {
  FACEPIPE_DRIVER_FUNCTION(cuGetErrorString, 6000);
  FACEPIPE_DRIVER_FUNCTION(cuDeviceGet, 2000);
  FACEPIPE_DRIVER_FUNCTION(cuCtxGetCurrent, 4000);
  FACEPIPE_DRIVER_FUNCTION(cuCtxSetCurrent, 4000);
  FACEPIPE_DRIVER_FUNCTION(cuDeviceGetDevResource, 12040);
  FACEPIPE_DRIVER_FUNCTION(cuDevSmResourceSplitByCount, 12040);
  FACEPIPE_DRIVER_FUNCTION(cuDevResourceGenerateDesc, 12040);
  FACEPIPE_DRIVER_FUNCTION(cuGreenCtxCreate, 12040);
  FACEPIPE_DRIVER_FUNCTION(cuGreenCtxDestroy, 12040);
  FACEPIPE_DRIVER_FUNCTION(cuCtxFromGreenCtx, 12040);

  void check(CUresult result, const char* what) const {
    if (result == CUDA_SUCCESS) return;
    const char* text = nullptr;
    if (cuGetErrorString(result, &text) != CUDA_SUCCESS) text = "unknown error";
    throw Error(ErrorKind::device, std::string(what) + ": " + text);
  }
};

#undef FACEPIPE_DRIVER_FUNCTION

const Driver& driver() {
  static const Driver functions;
  return functions;
}

/// Returns a resource with at least `multiprocessors` of the device's multiprocessors.
CUdevResource part_of(CUdevice device, std::uint32_t multiprocessors) {
  CUdevResource all{};
  driver().check(driver().cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM),
                 "cuDeviceGetDevResource");
  if (multiprocessors >= all.sm.smCount) return all;
  CUdevResource part{};
  unsigned parts = 1;
  const CUresult result =
      driver().cuDevSmResourceSplitByCount(&part, &parts, &all, nullptr, 0, multiprocessors);
  // The rounded number can exceed that of the device.
  if (result == CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION || parts == 0) return all;
  driver().check(result, "cuDevSmResourceSplitByCount");
  return part;
}

}  // namespace

GreenContext::GreenContext(std::uint32_t multiprocessors) {
  FACEPIPE_CUDA_CHECK(cudaFree(nullptr));  // creates the device's own context, unless it exists
  int ordinal = 0;
  FACEPIPE_CUDA_CHECK(cudaGetDevice(&ordinal));
  CUdevice device = 0;
  driver().check(driver().cuDeviceGet(&device, ordinal), "cuDeviceGet");
  CUcontext previous = nullptr;
  driver().check(driver().cuCtxGetCurrent(&previous), "cuCtxGetCurrent");
  CUdevResource part = part_of(device, multiprocessors);
  CUdevResourceDesc description = nullptr;
  driver().check(driver().cuDevResourceGenerateDesc(&description, &part, 1),
                 "cuDevResourceGenerateDesc");
  CUgreenCtx green = nullptr;
  driver().check(
      driver().cuGreenCtxCreate(&green, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
      "cuGreenCtxCreate");
  CUcontext context = nullptr;
  CUresult result = driver().cuCtxFromGreenCtx(&context, green);
  if (result == CUDA_SUCCESS) result = driver().cuCtxSetCurrent(context);
  if (result != CUDA_SUCCESS) driver().cuGreenCtxDestroy(green);
  driver().check(result, "cuCtxSetCurrent");
  context_ = green;
  previous_ = previous;
  multiprocessors_ = part.sm.smCount;
}

GreenContext::~GreenContext() {
  driver().cuCtxSetCurrent(static_cast<CUcontext>(previous_));
  driver().cuGreenCtxDestroy(static_cast<CUgreenCtx>(context_));
}

}  // namespace facepipe::experiments
