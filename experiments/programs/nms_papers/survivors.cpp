#include "experiments/programs/nms_papers/survivors.h"

#include <span>

namespace facepipe::nms_papers {

std::vector<std::uint32_t> survivors(const cuda::DeviceBuffer<std::uint8_t>& v, std::uint32_t count,
                                     cuda::StreamView stream) {
  std::vector<std::uint8_t> bytes(count);
  cuda::copy(std::span(bytes), v.span(), stream);
  stream.synchronize();
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < count; ++i)
    if (bytes[i] != 0) out.push_back(i);
  return out;
}

}  // namespace facepipe::nms_papers
