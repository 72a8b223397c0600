#include "pipeline/cuda/descriptor.h"

#include <cstddef>

#include "overlay/plan.h"
#include "video/cuda/pictures.h"

namespace facepipe::pipeline {

static_assert(FrameDescriptor::kOverlayColors == overlay::kOverlayColorCount);

void describe_picture(const Frame& frame, FrameDescriptor& descriptor) {
  video::expect_device_picture(frame);
  descriptor.luma = frame.planes[0].data;
  descriptor.chroma = frame.planes[1].data;
  descriptor.luma_stride = static_cast<std::int32_t>(frame.planes[0].stride);
  descriptor.chroma_stride = static_cast<std::int32_t>(frame.planes[1].stride);
  descriptor.interlaced = frame.field_order != FieldOrder::progressive ? 1 : 0;
  const overlay::OverlayColors colors =
      overlay::overlay_colors(frame.format, frame.color, frame.size);
  for (std::size_t i = 0; i < colors.size(); ++i) {
    descriptor.overlay_colors[i][0] = colors[i].y;
    descriptor.overlay_colors[i][1] = colors[i].u;
    descriptor.overlay_colors[i][2] = colors[i].v;
  }
}

DescriptorUpload::DescriptorUpload() : host_(1), device_(1) { host() = {}; }

void DescriptorUpload::enqueue(cuda::StreamView stream) const {
  cuda::copy(device_.span(), host_.span(), stream);
}

}  // namespace facepipe::pipeline
