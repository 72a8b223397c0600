// Limits what may be opened for an input: the input itself, and no file that it names.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/files/file_identity.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// The name of the input that is the process's standard input: a file, a pipe or a socket.
inline constexpr const char* kStandardInput = "/dev/stdin";

/// Says whether an input may name other files, as a playlist does (HLS, DASH, ffconcat).
enum class References {
  /// No other file is opened, and an input that names some is an error. There is one exception: a
  /// playlist that comes over a network may name things in the network. These are opened, because
  /// the user asks for them, but no file of this machine is.
  refuse,
  open,
};

/// Returns whether `text` is a URL with a scheme, and not a path.
[[nodiscard]] bool is_url(const std::string& text);

/// Returns whether the path is that of a FIFO, or is kStandardInput and this is a pipe or a socket.
/// Bytes that were read from it are gone, so it can be opened only once.
[[nodiscard]] bool is_fifo(const std::string& path);

/// Gives FFmpeg access to one input. It must outlive the context that it confines.
class InputAccess {
 public:
  /// If `url` is the path of a FIFO, waits for its first data until `stop` is requested. Errors:
  /// Error(input) if there is no such file, it is a directory, a FIFO that can't be opened, or a
  /// URL whose protocol reads a list of files; Stopped.
  InputAccess(const std::string& url, References references, const std::stop_token& stop);
  ~InputAccess();
  InputAccess(const InputAccess&) = delete;
  InputAccess& operator=(const InputAccess&) = delete;

  /// Returns the input's name for avformat_open_input().
  [[nodiscard]] const std::string& target() const { return target_; }

  /// Returns the identity of the file, taken just before it is opened; nullopt if the input is no
  /// regular file.
  [[nodiscard]] const std::optional<FileIdentity>& identity() const { return identity_; }

  /// Sets what the context may open. Must be called before the context opens target().
  void confine(AVFormatContext& context);

  /// Must be called after the input could not be opened. Throws Error(input) if the input names
  /// other files, which were not opened.
  void check_refused() const;

 private:
  using OpenFile = int (*)(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**);

  static int open_file(AVFormatContext* context, AVIOContext** file, const char* url, int flags,
                       AVDictionary** options);
  void open_fifo(const std::string& path, const std::stop_token& stop);
  [[nodiscard]] bool is_playlist() const;

  const std::string url_;
  const References references_;
  const std::string target_;
  const std::optional<FileIdentity> identity_;
  int fifo_ = -1;                  // descriptor that doesn't block; -1 if the input is no FIFO
  OpenFile open_other_ = nullptr;  // FFmpeg's own function
  bool refused_ = false;           // the context wanted to open another file
};

}  // namespace facepipe::video
