// Reads the index of packets that some containers have.
#pragma once

#include <cstdint>
#include <optional>

#include "video/read/demuxer.h"

namespace facepipe::video {

/// Returns the sum of the sizes of all packets of a stream from `from_s` up to `to_s`, in seconds
/// of the stream's own time stamps. Returns nullopt if the container has no index that covers the
/// whole stream: only MP4 and QuickTime have one, unless they are fragmented. Reads nothing from
/// the input.
[[nodiscard]] std::optional<std::int64_t> indexed_bytes(const Demuxer& demuxer, int stream_index,
                                                        double from_s, double to_s);

}  // namespace facepipe::video
