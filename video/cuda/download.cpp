#include "video/cuda/download.h"

#include <utility>

#include "core/cuda/check.h"
#include "core/error.h"
#include "video/cuda/pictures.h"
#include "video/pictures.h"

namespace facepipe {

DownloadingFrame::~DownloadingFrame() {
  if (copied_) static_cast<void>(cudaEventSynchronize(copied_->get()));
}

Frame DownloadingFrame::wait() {
  copied_->synchronize();
  copied_.reset();
  source_ = Frame();
  return std::move(target_);
}

PictureDownload::PictureDownload(Size size, int bits, std::size_t frames, CopyCounter& copies)
    : layout_(picture_layout(size, bits)),
      sample_bytes_(bits > 8 ? 2 : 1),
      copies_(copies),
      slots_(frames, [bytes = layout_.bytes] { return std::make_unique<Slot>(bytes); }) {}

void PictureDownload::copy_plane(const Plane& from, std::byte* to, Size samples,
                                 cuda::StreamView stream) {
  const std::size_t row = static_cast<std::size_t>(samples.width) * sample_bytes_;
  const auto rows = static_cast<std::size_t>(samples.height);
  FACEPIPE_CUDA_CHECK(cudaMemcpy2DAsync(to, static_cast<std::size_t>(layout_.stride), from.data,
                                        static_cast<std::size_t>(from.stride), row, rows,
                                        cudaMemcpyDeviceToHost, stream.get()));
  copies_.add(CopyKind::download, row * rows);
}

DownloadingFrame PictureDownload::start(Frame frame, cuda::StreamView stream) {
  const bool expected = frame.device.kind == DeviceKind::cuda && frame.size == layout_.size &&
                        frame.format == workable_format(layout_.format);
  if (!expected)
    throw Error(ErrorKind::internal, "download: a picture of another size, format or device");
  const std::shared_ptr<Slot> slot = slots_.lease();
  hold_back_until_ready(frame, stream);
  const Size chroma = frame.chroma_size();
  copy_plane(frame.planes[0], slot->host.data(), frame.size, stream);
  copy_plane(frame.planes[1], slot->host.data() + layout_.luma_bytes,
             {2 * chroma.width, chroma.height}, stream);
  slot->copied.record(stream);
  Frame target =
      wrap(picture_over(slot->host.data(), layout_, unwrap(frame), slot), layout_.format, {});
  target.info() = frame.info();
  return {std::move(frame), std::move(target),
          std::shared_ptr<const cuda::Event>(slot, &slot->copied)};
}

}  // namespace facepipe
