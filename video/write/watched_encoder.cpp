#include "video/write/watched_encoder.h"

#include <span>
#include <utility>

#include "video/frames/pictures.h"
#include "video/write/forwarding_encoder.h"
#include "video/write/picture_data.h"

namespace facepipe::video {
namespace {

class WatchedEncoder final : public ForwardingEncoder {
 public:
  WatchedEncoder(std::unique_ptr<Encoder> encoder, PictureDataWatch watch)
      : ForwardingEncoder(std::move(encoder)), watch_(std::move(watch)) {}

  void encode(Frame frame, FrameRecord record, const Sink& sink) override {
    check(unwrap(frame));
    ForwardingEncoder::encode(std::move(frame), std::move(record), sink);
  }

 private:
  void check(AVFrame& picture) {
    if (watch_.originals == Originals::leave_out)
      av_frame_remove_side_data(&picture, AV_FRAME_DATA_SEI_UNREGISTERED);
    const std::span all(picture.side_data, static_cast<std::size_t>(picture.nb_side_data));
    for (const AVFrameSideData* const data : all) {
      const char* const data_name = name_of_picture_data(*data);
      if (data_name == nullptr || !watch_.kept.insert(data->type).second) continue;
      note_lost(watch_.notices, std::string(data_name) + " lost: " + name() + " doesn't write them",
                watch_.strict, watch_.output);
    }
  }

  PictureDataWatch watch_;  // data that have been reported are added to `kept`
};

}  // namespace

std::unique_ptr<Encoder> watched(std::unique_ptr<Encoder> encoder, PictureDataWatch watch) {
  return std::make_unique<WatchedEncoder>(std::move(encoder), std::move(watch));
}

}  // namespace facepipe::video
