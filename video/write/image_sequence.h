// A video as numbered pictures: one file each, all of which get their names at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/files/output_file.h"
#include "core/files/output_lock.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Whether the last part of a path has a place for a number, as FFmpeg writes it: one %d or %0Nd,
/// where %% is a per cent sign.
[[nodiscard]] bool is_sequence_name(const std::filesystem::path& path);

/// The first file there is that picture 0, 1, ... of the sequence would replace; empty if there is
/// none, or no such folder.
[[nodiscard]] std::filesystem::path existing_picture(const std::filesystem::path& pattern);

/// The files of one output. Pictures count from 1. Each is a new, temporary file beside its name,
/// which it gets from commit(), or a partial one from keep_partial(); without either the destructor
/// removes them. Holds the lock on the pattern's name (core/files/output_lock.h). Not thread-safe.
class ImageSequence {
 public:
  /// @param pattern a path of which is_sequence_name() is true
  /// Errors: Error(output) where there is no such folder, or another run writes the sequence.
  ImageSequence(std::filesystem::path pattern, ExistingTarget existing);
  ~ImageSequence();
  ImageSequence(const ImageSequence&) = delete;
  ImageSequence& operator=(const ImageSequence&) = delete;

  /// Makes `muxer` write each picture that it opens to the next file, whatever it is called.
  void attach(AVFormatContext& muxer);

  /// Why a picture could not be written, an errno; 0 if all were.
  [[nodiscard]] int full() const { return full_; }

  /// What of the input is missing, for the record of commit(): OutputLock::ends_damaged().
  void ends_damaged(const std::string& damage) { lock_.ends_damaged(damage); }

  /// Gives all pictures their names. Errors: Error(output) where a name is taken or the system
  /// refuses: pictures named before that stay, the others are kept under partial names.
  void commit();
  /// Gives all pictures the names of "PATTERN.partial.EXT", or "PATTERN.partial-2.EXT" and so on
  /// where there are pictures of that name. The pattern of the names.
  std::filesystem::path keep_partial();

 private:
  static int open_picture(AVFormatContext* muxer, AVIOContext** io, const char* url, int flags,
                          AVDictionary** options);
  static int close_picture(AVFormatContext* muxer, AVIOContext* io);
  [[nodiscard]] int add(std::span<const std::uint8_t> picture);
  [[nodiscard]] std::filesystem::path temporary(int number) const;
  void sync() const noexcept;

  std::filesystem::path pattern_;
  ExistingTarget existing_;
  std::string suffix_;  ///< of temporary files
  OutputLock lock_;
  int first_ = 1;  ///< of those that have no other name yet
  int count_ = 0;
  int full_ = 0;
};

}  // namespace facepipe::video
