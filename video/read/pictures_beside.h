// Lists what may show pictures in an input beside its video: other streams, covers, attached files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "video/read/demuxer.h"

namespace facepipe::video {

/// One place with pictures. Either `stream` or `file` says where they are, or `unreadable` says why
/// nobody here can look at them.
struct PicturesBeside {
  std::string name;           ///< for example "stream 1 (mjpeg, attached picture)"
  std::optional<int> stream;  ///< index in the input, for FrameSourceOptions::stream
  bool timed = false;         ///< its pictures are shown at times, as those of the video
  /// An attachment, or a part of a still image's file, as it would be on a disk. It may be no
  /// picture.
  std::span<const std::byte> file;
  /// Holds `file`, and parts of the same file in other places.
  std::shared_ptr<const std::vector<std::byte>> owner;
  bool surely = true;  ///< `file` begins as a picture does, or its name or type says that it is one
  std::string unreadable;
};

/// Returns a place whose pictures nobody here can look at.
[[nodiscard]] PicturesBeside unreadable(std::string name, std::string why);

/// Returns all places that may hold pictures, except the chosen video:
/// * streams of video and pictures, and subtitles that are pictures;
/// * attachments, except fonts. A font is known by its first bytes, and not by its name;
/// * pictures in tags, and what Demuxer::left_out() tells;
/// * the pictures that a still image's file holds beside it: thumbnails, and what is appended. All
///   its bytes are searched.
/// After the last packet has been read, this includes streams that began late. Attachments of more
/// than 256 MiB are unreadable.
[[nodiscard]] std::vector<PicturesBeside> pictures_beside(const Demuxer& demuxer);

}  // namespace facepipe::video
