// An encoder that tells what its pictures carry and its packets don't.
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
  std::set<AVFrameSideDataType> kept;  ///< types that need not be told (kept_picture_data())
  Originals originals = Originals::keep;
  bool strict = false;  ///< what is lost is Error(output)
  std::string output;   ///< for messages
  Notices& notices;     ///< outlives the encoder
};

/// Forwards to `encoder`. Each kind of data that is lost is told once. Where nothing may tell of
/// the originals, pictures lose what no standard describes (SEI messages of users). Errors of
/// encode(): as the encoder's, and Error(output) as `watch` says.
[[nodiscard]] std::unique_ptr<Encoder> watched(std::unique_ptr<Encoder> encoder,
                                               PictureDataWatch watch);

}  // namespace facepipe::video
