// Decodes all pictures of an input in one thread, for tests and measurements of decoders.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "video/read/decoder.h"
#include "video/read/first_picture.h"

namespace facepipe::test {

/// Calls take() for each picture, in order, until take() returns false. `begin` is the result of
/// read_first_picture().
inline void all_pictures(video::Demuxer& demuxer, video::FirstPicture& begin,
                         const std::function<bool(video::DecodedPicture)>& take) {
  bool wanted = begin.picture && take(std::move(*begin.picture));
  const auto take_ready = [&] {
    while (wanted) {
      std::optional<video::DecodedPicture> picture = begin.decoder->next();
      if (!picture) return;
      wanted = take(std::move(*picture));
    }
  };
  take_ready();
  while (wanted && (!begin.packets.empty() || !begin.ended)) {
    if (begin.packets.empty()) {
      video::ReadPacket read = video::read_packet(demuxer);
      begin.ended = read.packet == nullptr;
      if (!begin.ended && read.packet->stream_index == demuxer.video_index())
        begin.packets.push_back(std::move(read));
      continue;
    }
    begin.decoder->send(begin.packets.front());
    begin.packets.pop_front();
    take_ready();
  }
  begin.decoder->finish();
  take_ready();
}

/// Decodes the packets of `demuxer`, and passes the pictures in order to take().
/// @param wanted  if set, says whether the decoder gets packet n (n = 0, 1, ...); if empty, the
/// decoder gets all packets
inline void all_pictures(video::Demuxer& demuxer, video::Decoder& decoder,
                         const std::function<void(const video::DecodedPicture&)>& take,
                         const std::function<bool(int)>& wanted = {}) {
  const auto take_ready = [&] {
    while (const std::optional<video::DecodedPicture> picture = decoder.next()) take(*picture);
  };
  for (int number = 0; video::UniqueAVPacket packet = demuxer.read(); ++number) {
    if (wanted && !wanted(number)) continue;
    decoder.send({std::move(packet), {}});
    take_ready();
  }
  decoder.finish();
  take_ready();
}

}  // namespace facepipe::test
