#include "pipeline/cuda/abilities.h"

#include <memory>

#include "core/cuda/stream.h"
#include "core/error.h"
#include "video/cuda/hardware_device.h"
#include "video/cuda/nvenc.h"

namespace facepipe::pipeline {
namespace {

void ask_nvdec(Device device, ChipAbilities& chip) {
  try {
    cuda::use_device(device);
    chip.decodes = video::nvdec_abilities();
  } catch (const Error& error) {
    chip.nvdec_problem = error.what();
  }
}

void try_nvenc(Device device, ChipAbilities& chip) {
  try {
    cuda::use_device(device);
    const video::UniqueAVBuffer hardware =
        video::open_hardware_device(device, std::make_shared<cuda::Stream>());
    for (const auto& [encoder, bits] :
         {std::pair{"h264_nvenc", 8}, {"hevc_nvenc", 8}, {"hevc_nvenc", 10}}) {
      video::NvencTask task;
      task.encoder = encoder;
      task.surface = bits > 8 ? AV_PIX_FMT_P010LE : AV_PIX_FMT_NV12;
      chip.encodes.push_back({encoder, bits, video::reason_against_nvenc(task, *hardware)});
    }
  } catch (const Error& error) {
    chip.nvenc_problem = error.what();
  }
}

}  // namespace

CudaAbilities cuda_abilities() {
  CudaAbilities found;
  found.versions = cuda::versions();
  found.codes = cuda::compiled_codes();
  int index = 0;
  for (cuda::DeviceFacts& facts : cuda::devices()) {
    const Device device{DeviceKind::cuda, index++};
    ChipAbilities chip;
    chip.facts = std::move(facts);
    ask_nvdec(device, chip);
    try_nvenc(device, chip);
    found.chips.push_back(std::move(chip));
  }
  return found;
}

}  // namespace facepipe::pipeline
