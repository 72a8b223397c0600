// Says how a job makes one part of an output, and how a job joins the parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "video/read/packet_place.h"

namespace facepipe::pipeline {

/// Where the part after a part begins, if faces are followed: with a frame that begins a scene,
/// because nothing of a scene depends on the scenes before. The frames between the cut and this
/// frame belong to the part before the cut.
struct SceneAfterCut {
  std::int64_t packets = 0;  ///< so many packets behind the cut are enough to decode the frame
  std::uint64_t hash = 0;    ///< video::PacketHash of these packets
  std::int64_t frames = 0;  ///< frames from the cut up to this frame, in presentation order; over 0
  friend bool operator==(const SceneAfterCut&, const SceneAfterCut&) = default;
};

/// A part file that says which faces a job has found in the frames of a part, and nothing more.
struct SearchedPart {
  std::filesystem::path file;
  std::string key;  ///< the part file must have this key
};

/// A job with this option works only on one part of its input: on the pictures between two cuts. It
/// writes them to a part file (part_file.h) instead of a video. OutputOptions::path then only says
/// how the joined video will be called, and so decides its container and encoder; nothing is
/// written there. Jobs for all parts can run on different machines.
struct PartJob {
  std::filesystem::path file;  ///< the part file; a file of this name is replaced
  std::string key;             ///< names the plan and the part
  /// Where the input is cut (video::Segmenter): indices of packets of the video, which increase.
  /// The segments between them are numbered from 0 to `cuts.size()`.
  std::vector<std::int64_t> cuts;
  std::size_t number = 0;     ///< of the segment that the part works on
  std::uint64_t hash = 0;     ///< video::PacketHash of this segment's packets
  std::int64_t left_out = 0;  ///< frames at the beginning of the segment that the part before has
  /// Packets before the segment, from which its first packet follows. A job that finds them reads
  /// no packets before them; nullopt: it reads the input from its beginning.
  std::optional<video::PacketPlace> before{};
  bool begins_input = false;  ///< no part is before this one
  bool ends_input = false;    ///< no part is after this one
  /// If it is set, the part also has the frames of the next segment that come before this scene.
  /// The next segment has SceneAfterCut::packets packets.
  std::optional<SceneAfterCut> next;
  /// If no scene begins behind a cut, the faces of both parts must be followed in one pass. The
  /// jobs of these parts only look for faces: the part file has the detections of all scores that
  /// tracks need, and nothing is hidden. Only with JobOptions::hide.
  bool searches_only = false;
  /// If it isn't empty, the job looks for no faces, but follows and hides those that other jobs
  /// have found in its frames. The parts are in the order of the frames.
  std::vector<SearchedPart> searched{};
};

/// A part that is joined.
struct JoinedPart {
  std::filesystem::path file;
  std::string key;           ///< the part file must have this key
  std::int64_t packets = 0;  ///< packets of the input that belong to the part
  std::uint64_t hash = 0;    ///< video::PacketHash of these packets
};

/// A job with this option makes its output of part files, in the order of the list. It decodes no
/// more than the first picture, and searches nothing. It copies the other streams from the input.
struct JoinJob {
  std::vector<JoinedPart> parts;
};

}  // namespace facepipe::pipeline
