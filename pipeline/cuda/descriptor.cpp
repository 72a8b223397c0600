#include "pipeline/cuda/descriptor.h"

#include <cstddef>

#include "overlay/plan.h"
#include "video/cuda/pictures.h"

namespace facepipe {

static_assert(FrameDescriptor::kInks == kInkCount);

void describe_picture(const Frame& frame, FrameDescriptor& descriptor) {
  expect_device_picture(frame);
  descriptor.luma = frame.planes[0].data;
  descriptor.chroma = frame.planes[1].data;
  descriptor.luma_stride = static_cast<std::int32_t>(frame.planes[0].stride);
  descriptor.chroma_stride = static_cast<std::int32_t>(frame.planes[1].stride);
  descriptor.interlaced = frame.field_order != FieldOrder::progressive ? 1 : 0;
  const OverlayInks inks = overlay_inks(frame.format, frame.color, frame.size);
  for (std::size_t i = 0; i < inks.size(); ++i) {
    descriptor.inks[i][0] = inks[i].y;
    descriptor.inks[i][1] = inks[i].u;
    descriptor.inks[i][2] = inks[i].v;
  }
}

DescriptorUpload::DescriptorUpload(CopyCounter& copies) : copies_(copies), host_(1), device_(1) {
  host() = {};
}

void DescriptorUpload::enqueue(cuda::StreamView stream) const {
  cuda::copy(device_.span(), host_.span(), stream);
}

}  // namespace facepipe
