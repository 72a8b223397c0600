#include "overlay/cuda/hide.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "overlay/cuda/hide_kernels.h"
#include "overlay/hide_image.h"
#include "overlay/hide_plan.h"

namespace facepipe::overlay {
namespace {

void check_frame(const Frame& frame) {
  if (frame.device.kind != DeviceKind::cuda)
    throw Error(ErrorKind::internal,
                "hide: the frame is on " + to_string(frame.device) + ", not on a CUDA device");
  const PixelFormat& format = frame.format;
  if (!format.semi_planar || !format.has_chroma || format.log2_chroma_w != 1 ||
      format.log2_chroma_h != 1)
    throw Error(ErrorKind::internal, "hide: a frame on a CUDA device is not semi-planar 4:2:0");
}

HidePlanes planes_of(const Frame& frame, Size cell) {
  return {frame.planes[0].data,
          frame.planes[1].data,
          frame.planes[0].stride,
          frame.planes[1].stride,
          cell,
          {frame.format.bits, frame.format.shift}};
}

bool overlap(const PixelRect& a, const PixelRect& b) {
  return a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2;
}

bool has_room(const HideBatch& batch, const HideMask& mask, bool may_overlap) {
  if (batch.count == HideBatch::kCapacity) return false;
  return may_overlap ||
         std::none_of(batch.masks, batch.masks + batch.count,
                      [&](const HideMask& other) { return overlap(other.area, mask.area); });
}

std::size_t scratch_samples(Size stored) {
  const auto even = [](int side) { return static_cast<std::size_t>(side + 1) / 2 * 2; };
  return even(stored.width) * even(stored.height) * 3 / 2;
}

}  // namespace

Size HideBatch::largest() const {
  Size size;
  for (unsigned i = 0; i < count; ++i) {
    const PixelRect& area = masks[i].area;
    size.width = std::max(size.width, area.x2 - area.x1);
    size.height = std::max(size.height, area.y2 - area.y1);
  }
  return size;
}

CudaFaceHider::CudaFaceHider(HideOptions options, Size stored)
    : options_(std::move(options)), stored_(stored) {
  check_hide_options(options_);
  if (options_.style == HideStyle::blur)
    scratch_ = cuda::DeviceBuffer<std::uint16_t>(2 * scratch_samples(stored));
}
CudaFaceHider::CudaFaceHider(CudaFaceHider&&) noexcept = default;
CudaFaceHider& CudaFaceHider::operator=(CudaFaceHider&&) noexcept = default;
CudaFaceHider::~CudaFaceHider() = default;

// The old samples can be freed here, because freeing waits for the kernels that still read them.
void CudaFaceHider::prepare_image(const Frame& frame) {
  if (image_ && image_->suits(frame)) return;
  auto composed = std::make_unique<ComposedImage>(compose(*options_.image, options_.color, frame));
  cuda::DeviceBuffer<std::uint16_t> samples(composed->samples.size());
  const cuda::Stream stream;
  cuda::copy(samples.span(), std::span(composed->samples), stream);
  stream.synchronize();
  image_samples_ = std::move(samples);
  image_ = std::move(composed);
}

/// Divides masks, in their order, into batches. One launch hides a batch. The masks of a batch
/// don't overlap, so their order makes no difference. Only masks of HideStyle::solid may overlap.
class CudaFaceHider::Batches {
 public:
  Batches(const CudaFaceHider& hider, const Frame& frame, Size cell, cuda::StreamView stream)
      : hider_(hider),
        color_(yuv_color(hider.options_.color, frame.format, frame.color, frame.size)),
        stream_(stream) {
    batch_.planes = planes_of(frame, cell);
  }

  void add(const HideMask& mask) {
    if (!has_room(batch_, mask, hider_.options_.style == HideStyle::solid)) flush();
    batch_.masks[batch_.count++] = mask;
  }

  void flush() {
    if (batch_.count == 0) return;
    switch (hider_.options_.style) {
      case HideStyle::solid:
        launch_hide_color(batch_, color_, stream_.get());
        break;
      case HideStyle::blur:
        launch_hide_blur(batch_, scratch(), stream_.get());
        break;
      case HideStyle::mosaic:
        launch_hide_mosaic(batch_, stream_.get());
        break;
      case HideStyle::image:
        launch_hide_image(batch_, levels(), stream_.get());
        break;
    }
    batch_.count = 0;
  }

 private:
  /// Returns a part of the scratch memory for each mask. The memory is large enough, because masks
  /// that don't overlap have no more samples than the picture.
  [[nodiscard]] BlurScratch scratch() const {
    BlurScratch scratch;
    scratch.even = hider_.scratch_.data();
    scratch.odd = hider_.scratch_.data() + hider_.scratch_.size() / 2;
    std::uint32_t used = 0;
    for (unsigned i = 0; i < batch_.count; ++i) {
      scratch.begin[i] = used;
      used += scratch_offset(batch_.masks[i], 3);
    }
    return scratch;
  }

  [[nodiscard]] ImageLevels levels() const {
    ImageLevels levels;
    levels.samples = hider_.image_samples_.data();
    for (unsigned i = 0; i < batch_.count; ++i)
      levels.levels[i] = level_for(*hider_.image_, batch_.masks[i].whole);
    return levels;
  }

  const CudaFaceHider& hider_;
  YuvColor color_;
  cuda::StreamView stream_;
  HideBatch batch_;
};

void CudaFaceHider::enqueue(const Frame& frame, std::span<const Box> faces,
                            cuda::StreamView stream) {
  check_frame(frame);
  if (frame.size.width > stored_.width || frame.size.height > stored_.height)
    throw Error(ErrorKind::internal, "hide: the frame is " + to_string(frame.size) +
                                         ", larger than " + to_string(stored_));
  const HidePlan plan = plan_hiding(frame, faces, options_);
  if (plan.masks.empty()) return;
  if (options_.style == HideStyle::image) prepare_image(frame);
  Batches batches(*this, frame, plan.cell, stream);
  for (const HideMask& mask : plan.masks) batches.add(mask);
  batches.flush();
}

void enqueue_hide_all(const Frame& frame, const Rgb& color, cuda::StreamView stream) {
  check_frame(frame);
  HideBatch batch;
  batch.planes = planes_of(frame, {1, 1});
  batch.count = 1;
  batch.masks[0].whole = batch.masks[0].area = {0, 0, frame.size.width, frame.size.height};
  launch_hide_color(batch, yuv_color(color, frame.format, frame.color, frame.size), stream.get());
}

}  // namespace facepipe::overlay
