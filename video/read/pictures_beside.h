// What of an input may show pictures beside its video: other streams, covers, attached files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "video/read/demuxer.h"

namespace facepipe::video {

/// One of them. Either `stream` or `file` says where its pictures are, or `unreadable` why nobody
/// here can look at them.
struct PicturesBeside {
  std::string name;           ///< "stream 1 (mjpeg, attached picture)"
  std::optional<int> stream;  ///< of the input, for FrameSourceOptions::stream
  bool timed = false;         ///< its pictures are shown at times, as the video's
  /// Of an attachment, or a part of a still image's: as it would be on a disk; may be no picture.
  std::span<const std::byte> file;
  std::shared_ptr<const std::vector<std::byte>> owner;  ///< of `file`, and of others' parts of it
  bool surely = true;  ///< `file` begins as a picture does, or is called one
  std::string unreadable;
};

/// Pictures of which nobody here can look at any.
[[nodiscard]] PicturesBeside unreadable(std::string name, std::string why);

/// All that may hold pictures, the chosen video left out: streams of video and pictures, subtitles
/// that are pictures, attachments but fonts (whatever they call themselves, fonts begin as fonts
/// do), pictures in tags, what Demuxer::left_out() tells of; and of a still image, of which all
/// bytes are searched, the pictures that its file holds beside it: thumbnails, what is appended.
/// After the last packet has been read also streams that began late. Attachments of more than 256
/// MiB are unreadable.
[[nodiscard]] std::vector<PicturesBeside> pictures_beside(const Demuxer& demuxer);

}  // namespace facepipe::video
