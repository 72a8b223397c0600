#include "video/write/pictured_encoder.h"

#include <utility>

#include "core/error.h"
#include "video/write/forwarding_encoder.h"

namespace facepipe::video {
namespace {

class PicturedEncoder final : public ForwardingEncoder {
 public:
  PicturedEncoder(std::unique_ptr<Encoder> encoder, PictureWish wish)
      : ForwardingEncoder(std::move(encoder)), wish_(std::move(wish)) {}

  void encode(Frame frame, FrameRecord record, const Sink& sink) override {
    if (next_ < wish_.count && frame.device.kind == DeviceKind::cpu) offer(frame);
    ForwardingEncoder::encode(std::move(frame), std::move(record), sink);
  }

 private:
  void offer(const Frame& frame) {
    if (!has_begun_) begin_ = frame.pts;
    has_begun_ = true;
    const double time_s = static_cast<double>(frame.pts - begin_) *
                          static_cast<double>(frame.time_base.num) /
                          static_cast<double>(frame.time_base.den);
    if (time_s < preview_time(next_, wish_.count, wish_.duration_s)) return;
    try {
      wish_.take(preview_of(frame, time_s));
      ++next_;
    } catch (const Error&) {  // the video is worth more than pictures of it
      next_ = wish_.count;
    }
  }

  const PictureWish wish_;
  int next_ = 0;
  bool has_begun_ = false;
  std::int64_t begin_ = 0;
};

}  // namespace

std::unique_ptr<Encoder> with_pictures(std::unique_ptr<Encoder> encoder, PictureWish wish) {
  return std::make_unique<PicturedEncoder>(std::move(encoder), std::move(wish));
}

}  // namespace facepipe::video
