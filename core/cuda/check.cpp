#include "core/cuda/check.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/passing_error.h"

namespace facepipe::cuda {
namespace {

/// Returns whether another process may not meet the error: the device's memory is full, or the
/// device or this process's context on it has failed.
bool may_pass(cudaError_t error) {
  constexpr std::array kPassing{cudaErrorMemoryAllocation,
                                cudaErrorDevicesUnavailable,
                                cudaErrorSystemNotReady,
                                cudaErrorIllegalAddress,
                                cudaErrorLaunchFailure,
                                cudaErrorLaunchTimeout,
                                cudaErrorHardwareStackError,
                                cudaErrorECCUncorrectable,
                                cudaErrorNvlinkUncorrectable,
                                cudaErrorMisalignedAddress,
                                cudaErrorUnknown};
  return std::ranges::find(kPassing, error) != kPassing.end();
}

}  // namespace

void fail(cudaError_t error, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());
  const std::string message = std::string(call) + " failed: " + cudaGetErrorString(error) + " (" +
                              cudaGetErrorName(error) + "), " + file + ":" + std::to_string(line);
  if (may_pass(error)) throw PassingError(ErrorKind::device, message);
  throw Error(ErrorKind::device, message);
}

}  // namespace facepipe::cuda
