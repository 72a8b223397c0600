// An encoder that reports which data of its pictures its packets don't hold.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "video/notices.h"
#include "video/write/encoder.h"
#include "video/write/streams.h"

namespace facepipe::video {

/// What is looked for in each picture.
struct PictureDataWatch {
  std::set<AVFrameSideDataType> kept;  ///< types that need no notice (kept_picture_data())
  Originals originals = Originals::keep;
  bool strict = false;  ///< lost data are Error(output)
  std::string output;   ///< for messages
  Notices& notices;     ///< must outlive the encoder
};

/// Returns an encoder that forwards to `encoder`. It reports each kind of lost data once. If
/// nothing may tell of the originals, it removes data of pictures that no standard describes (SEI
/// messages of users). Errors of encode(): as the encoder's, and Error(output) as `watch` says.
[[nodiscard]] std::unique_ptr<Encoder> watched(std::unique_ptr<Encoder> encoder,
                                               PictureDataWatch watch);

}  // namespace facepipe::video
