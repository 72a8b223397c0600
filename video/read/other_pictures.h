// Lists the things in an input that can show pictures, besides its video: other streams, covers,
// attached files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "video/read/demuxer.h"

namespace facepipe::video {

/// Describes one source of pictures in an input. Either `stream` or `file` says where the pictures
/// are, or `unreadable` says why facepipe can't examine them.
struct OtherPictures {
  std::string name;           ///< for example "stream 1 (mjpeg, attached picture)"
  std::optional<int> stream;  ///< index in the input, for FrameSourceOptions::stream
  bool timed = false;         ///< its pictures are shown at certain times, as in a video
  /// Bytes of an attachment or of a part of a still image's file, as if they were a file of their
  /// own. They need not be a picture.
  std::span<const std::byte> file;
  /// Owns the bytes of `file`. Other entries of the same file share the bytes.
  std::shared_ptr<const std::vector<std::byte>> owner;
  bool surely = true;  ///< `file` begins like a picture, or its name or type says that it is one
  std::string unreadable;
};

/// Returns an entry for pictures that facepipe can't examine.
[[nodiscard]] OtherPictures unreadable(std::string name, std::string why);

/// Returns all sources of pictures in the input, except the chosen video:
/// * streams of video and pictures, and subtitles that are pictures;
/// * attachments, except fonts. A font is recognised by its first bytes, not by its name;
/// * pictures in tags, and what Demuxer::left_out() returns;
/// * pictures in a still image's file besides the image: thumbnails, and appended pictures. All
///   bytes of the file are searched.
/// After the last packet has been read, the list includes streams that began late. Attachments of
/// more than 256 MiB are unreadable.
[[nodiscard]] std::vector<OtherPictures> other_pictures(const Demuxer& demuxer);

}  // namespace facepipe::video
