// Says how a job makes one part of an output, and how a job joins the parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace facepipe::pipeline {

/// A job with this option works only on one part of its input: on the pictures between two cuts. It
/// writes them to a part file (part_file.h) instead of a video. OutputOptions::path then only says
/// how the joined video will be called, and so decides its container and encoder; nothing is
/// written there. Jobs for all parts can run on different machines.
struct PartJob {
  std::filesystem::path file;  ///< the part file; a file of this name is replaced
  std::string key;             ///< names the plan and the part
  /// Where the whole input is cut (video::Segmenter): indices of packets of the video, which
  /// increase. The parts are numbered from 0 to `cuts.size()`.
  std::vector<std::int64_t> cuts;
  std::size_t number = 0;
  std::uint64_t hash = 0;  ///< video::PacketHash of the part's own packets
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
