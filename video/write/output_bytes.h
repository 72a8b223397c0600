// Counts the bytes of an output by what they contain.
#pragma once

#include <cstdint>

namespace facepipe::video {

struct OutputBytes {
  std::int64_t video = 0;        ///< all packets of the encoded video, as the encoder makes them
  std::int64_t first_video = 0;  ///< the first of these packets
  std::int64_t others = 0;       ///< packets of all other streams
  std::int64_t whole = 0;        ///< the file, or the files of a sequence
};

}  // namespace facepipe::video
