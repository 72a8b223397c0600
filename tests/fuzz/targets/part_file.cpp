// Part files. What follows the frames and their facts is the position of the facts, eight bytes,
// and a hash. The target writes both anew behind the input, so that mutated inputs have a right
// hash. The first two bytes of the input are the length of the facts at its end.
#include "pipeline/parts/part_file.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "tests/fuzz/targets.h"
#include "video/bitstream/murmur_hash.h"

namespace facepipe::fuzz {
namespace {

std::string with_end(std::string content, std::size_t facts) {
  const auto position = static_cast<std::int64_t>(content.size() - std::min(facts, content.size()));
  content.append(reinterpret_cast<const char*>(&position), sizeof position);
  video::MurmurHash hash;
  hash.add(std::as_bytes(std::span(content)));
  const video::MurmurHash::Value value = hash.finish();
  content.append(reinterpret_cast<const char*>(value.data()), value.size());
  return content;
}

}  // namespace

void fuzz_part_file(Bytes input) {
  static const MemoryFile file;
  Pieces pieces(input);
  const std::size_t facts = pieces.two_bytes();
  file.hold(with_end(std::string(text_of(pieces.rest())), facts));
  static_cast<void>(parsed(ErrorKind::input, [&] {
    pipeline::PartReader reader(file.path());
    std::int64_t frames = 0;
    while (const auto frame = reader.next()) {
      ++frames;
      const Detections& faces = frame->record.faces;
      require(frame->record.index >= 0, "a frame has a number");
      require(faces.scores.size() == faces.size(), "each face has a score");
      require(faces.landmarks.empty() || faces.landmarks.size() == faces.size(),
              "each face has landmarks, or none has");
      require(frame->record.face_tracks.empty() || frame->record.face_tracks.size() == faces.size(),
              "each face has a track, or none has");
    }
    if (const auto& hidden = reader.facts().hidden)
      for (const auto& [id, track] : hidden->tracks.tracks) {
        require(id >= 0, "a track has a number");
        for (const std::uint32_t index : track.alone)
          require(index < track.boxes.size(), "a track hides boxes that it has");
      }
    require(frames == reader.facts().frames, "a part has as many frames as it says");
    return frames;
  }));
}

}  // namespace facepipe::fuzz
