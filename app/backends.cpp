#include "app/backends.h"

#include "core/error.h"

#if FACEPIPE_CUDA
#include "core/cuda/devices.h"
#include "pipeline/cuda/backend.h"
#endif

namespace facepipe {

CudaProbe probe_cuda(const DeviceRequest& request) {
  CudaProbe probe;
#if FACEPIPE_CUDA
  probe.built = true;
  if (!request.automatic && request.device.kind == DeviceKind::cuda) probe = cuda::probe_devices();
#else
  static_cast<void>(request);
#endif
  return probe;
}

std::unique_ptr<Backend> make_backend(const Device& device, const DetectorOptions& options) {
  if (device.kind == DeviceKind::cpu)
    return make_cpu_backend(make_detector_factory(device, options));
#if FACEPIPE_CUDA
  return make_cuda_backend(device, options);
#else
  throw Error(ErrorKind::device, to_string(device) + ": this build has no CUDA support");
#endif
}

}  // namespace facepipe
