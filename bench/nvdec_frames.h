// Decodes the frames of a clip by NVDEC, without any later stage. NVDEC has the same setup as in
// facepipe.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/cuda/devices.h"
#include "tests/support/all_pictures.h"
#include "video/cuda/decoder.h"
#include "video/read/first_picture.h"
#include "video/write/encoder.h"

namespace facepipe::bench {

/// Passes frames to `take` until it returns false or the clip ends. Returns the decoder's name. At
/// most `frames_alive` frames may exist at the same time. Throws what the decoder throws, and
/// std::runtime_error if the clip has no picture.
inline std::string decode_by_nvdec(const std::string& clip, int frames_alive,
                                   const std::function<bool(Frame)>& take) {
  const Device device{DeviceKind::cuda, 0};
  cuda::use_device(device);
  video::Demuxer demuxer(clip, {});
  video::Notices notices(clip);
  video::DecoderOptions options;
  options.frames_alive = frames_alive;
  const auto open = [&](video::DecoderChoice) {
    return video::make_nvdec_decoder(demuxer, options, device, notices);
  };
  video::FirstPicture begin = video::read_first_picture(
      demuxer, open, video::DecoderChoice::nvdec,
      [](const AVPacket&, const video::Decoder&) { return false; }, notices);
  if (!begin.picture) throw std::runtime_error(clip + ": no picture");
  video::Decoder& decoder = *begin.decoder;
  const video::PictureFacts facts = decoder.facts_of(*begin.picture->picture);
  const auto frames =
      decoder.make_frames(*begin.picture->picture, {facts.size, facts.format, {}, {}});
  test::all_pictures(demuxer, begin, [&](video::DecodedPicture picture) {
    return take(frames->make(std::move(picture)).frame);
  });
  return decoder.name();
}

}  // namespace facepipe::bench
