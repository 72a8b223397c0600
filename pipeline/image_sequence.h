// A video as numbered pictures: one file each, all of which get their names at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace facepipe {

/// Whether the last part of a path has a place for a number, as FFmpeg writes it: one %d or %0Nd,
/// where %% is a per cent sign.
[[nodiscard]] bool is_sequence_name(const std::filesystem::path& path);

/// The first file there is that picture 0, 1, ... of the sequence would replace; empty if there is
/// none, or no such folder.
[[nodiscard]] std::filesystem::path existing_picture(const std::filesystem::path& pattern);

/// The files of one output. Pictures count from 1 and are written beside it, by the names of
/// "PATTERN.partial.EXT", or "PATTERN.partial-2.EXT" and so on where pictures of an interrupted run
/// have that name.
class ImageSequence {
 public:
  /// @param pattern a path of which is_sequence_name() is true
  /// Errors: Error(output) where there is no such folder.
  explicit ImageSequence(std::filesystem::path pattern);

  /// Where pictures are until publish(): the name with the place for their number.
  [[nodiscard]] const std::filesystem::path& partial() const { return partial_; }

  /// The same as FFmpeg's image muxer wants it: a "%" in a folder's name is not one of a number.
  [[nodiscard]] std::string muxer_name() const;

  /// One more picture goes to the muxer, `bytes` long.
  void add(std::int64_t bytes) { bytes_.push_back(bytes); }

  /// Gives all pictures their names. Unless `replace`, files that have one stay.
  /// Errors: Error(output) where a picture's file is shorter than the picture, because the disk is
  /// full; where a name is taken; where the system refuses. Pictures renamed before that stay.
  void publish(bool replace);

  /// Removes what publish() has not named.
  void discard() noexcept;

 private:
  std::filesystem::path pattern_;
  std::filesystem::path partial_;
  std::vector<std::int64_t> bytes_;  ///< of each picture, the first being number 1
  std::size_t published_ = 0;
};

}  // namespace facepipe
