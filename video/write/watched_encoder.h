// Wraps an encoder, and reports which data of its pictures are missing in its packets.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "video/notices.h"
#include "video/write/encoder.h"
#include "video/write/streams.h"

namespace facepipe::video {

/// Says which data are looked for in each picture.
struct PictureDataWatch {
  std::set<AVFrameSideDataType> kept;  ///< types that need no notice (kept_picture_data())
  Originals originals = Originals::keep;
  bool strict = false;  ///< lost data are an Error(output)
  std::string output;   ///< for messages
  Notices& notices;     ///< must outlive the encoder
};

/// Returns an encoder that forwards to `encoder`, and reports each kind of lost data once. If
/// `originals` is leave_out, it also removes picture data that no standard describes (SEI messages
/// of users). Errors of encode(): the errors of `encoder`, and Error(output) if `strict`.
[[nodiscard]] std::unique_ptr<Encoder> watched(std::unique_ptr<Encoder> encoder,
                                               PictureDataWatch watch);

}  // namespace facepipe::video
