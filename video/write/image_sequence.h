// Writes a video as numbered pictures, one file each. All files get their names at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/files/output_file.h"
#include "core/files/output_lock.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Returns whether the last component of a path contains FFmpeg's pattern for a number: one %d or
/// %0Nd, where %% means a per cent sign.
[[nodiscard]] bool is_sequence_name(const std::filesystem::path& path);

/// Returns an existing file that a picture of the sequence would replace. Returns an empty path if
/// there is no such file, or if the folder doesn't exist.
[[nodiscard]] std::filesystem::path existing_picture(const std::filesystem::path& pattern);

/// Writes the files of one output. Pictures are numbered from 1. Each picture is a new, temporary
/// file beside its final name. commit() gives the files their final names, and keep_partial() gives
/// them partial names. If neither is called, the destructor removes the files. The object holds the
/// lock on the pattern's name (core/files/output_lock.h). Not thread-safe.
class ImageSequence {
 public:
  /// @param pattern  a path for which is_sequence_name() is true
  /// Throws Error(output) if there is no such folder, or another run writes the sequence.
  ImageSequence(std::filesystem::path pattern, ExistingTarget existing);
  ~ImageSequence();
  ImageSequence(const ImageSequence&) = delete;
  ImageSequence& operator=(const ImageSequence&) = delete;

  /// Makes `muxer` write each picture that it opens to the next file. The names that the muxer asks
  /// for are ignored.
  void attach(AVFormatContext& muxer);

  /// Returns the errno of a picture that could not be written; 0 if all were written.
  [[nodiscard]] int full() const { return full_; }

  /// Says what is missing in the input. commit() records it: see OutputLock::ends_damaged().
  void ends_damaged(const std::string& damage) { lock_.ends_damaged(damage); }

  /// Gives all pictures their names. Throws Error(output) if a name is taken or the system refuses.
  /// Pictures that have their final names by then keep them, and the other pictures get partial
  /// names.
  void commit();
  /// Gives all pictures the names of "PATTERN.partial.EXT". If pictures have such names already, it
  /// uses "PATTERN.partial-2.EXT", and so on. Returns the pattern of the names.
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
  std::string suffix_;  ///< suffix of temporary files
  OutputLock lock_;
  int first_ = 1;  ///< number of the first picture that still has its temporary name
  int count_ = 0;
  int full_ = 0;
};

}  // namespace facepipe::video
