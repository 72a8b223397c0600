#include "core/cuda/check.h"

#include <string>

#include "core/error.h"

namespace facepipe::cuda {

void fail(cudaError_t error, const char* call, const char* file, int line) {
  static_cast<void>(cudaGetLastError());
  throw Error(ErrorKind::device, std::string(call) + " failed: " + cudaGetErrorString(error) +
                                     " (" + cudaGetErrorName(error) + "), " + file + ":" +
                                     std::to_string(line));
}

}  // namespace facepipe::cuda
