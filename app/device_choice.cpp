#include "app/device_choice.h"

#include "core/error.h"

namespace facepipe {

DeviceChoice choose_device(const DeviceRequest& request, const CudaProbe& cuda,
                           const DetectorOptions& options, const MakeBackend& make) {
  DeviceChoice choice;
  choice.device = resolve_device(request, cuda, choice.why);
  if (!request.automatic || choice.device.kind == DeviceKind::cpu) {
    choice.backend = make(choice.device, options);
    return choice;
  }
  try {
    choice.backend = make(choice.device, options);
  } catch (const Error& error) {
    choice.why = "cpu: " + to_string(choice.device) + " can't be used: " + error.what();
    choice.device = {};
    choice.backend = make(choice.device, options);
  }
  return choice;
}

}  // namespace facepipe
