#include "video/cuda/pictures.h"

#include <utility>

#include "core/cuda/check.h"
#include "core/error.h"

namespace facepipe {

void expect_device_picture(const Frame& frame) {
  const PixelFormat& format = frame.format;
  const bool fits = frame.device.kind == DeviceKind::cuda && format.semi_planar &&
                    format.log2_chroma_w == 1 && format.log2_chroma_h == 1;
  if (!fits)
    throw Error(ErrorKind::internal, "a picture on " + to_string(frame.device) +
                                         " where semi-planar 4:2:0 on cuda is expected");
}

void attach_ready(Frame& frame, std::shared_ptr<const cuda::Event> event) {
  struct Held {
    std::shared_ptr<void> owner;
    std::shared_ptr<const cuda::Event> event;
  };
  frame.ready = event->get();
  auto held = std::make_shared<Held>(Held{std::move(frame.owner), std::move(event)});
  void* const owner = held->owner.get();  // what unwrap() looks for
  frame.owner = std::shared_ptr<void>(std::move(held), owner);
}

void hold_back_until_ready(const Frame& frame, cuda::StreamView stream) {
  if (frame.ready == nullptr) return;
  FACEPIPE_CUDA_CHECK(cudaStreamWaitEvent(stream.get(), frame.ready, 0));
}

}  // namespace facepipe
