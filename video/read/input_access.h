// Limits what may be opened for an input: the input itself, but no file that it names.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/files/file_identity.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// Names the process's standard input: a file, a pipe or a socket.
inline constexpr const char* kStandardInput = "/dev/stdin";

/// Says whether an input may name other files, as a playlist does (HLS, DASH, ffconcat).
enum class References {
  /// No other file is opened, and an input that names other files is an error. There is one
  /// exception: a playlist from the network may name other URLs in the network. These URLs are
  /// opened, because the user asked for the playlist, but no file of this machine is opened.
  refuse,
  open,
};

/// Returns whether `text` is a URL with a scheme, and not a path.
[[nodiscard]] bool is_url(const std::string& text);

/// Returns whether an input of this name may be read from another host.
[[nodiscard]] bool may_need_network(const std::string& input);

/// Returns whether the path names a FIFO, or is kStandardInput with a pipe or a socket behind it.
/// Such an input can be opened only once, because bytes that were read from it are gone.
[[nodiscard]] bool is_fifo(const std::string& path);

/// Gives FFmpeg access to one input. It must outlive the context that it limits.
class InputAccess {
 public:
  /// If `url` is the path of a FIFO, waits for its first data until `stop` is requested. Errors:
  /// Error(input) if `url` doesn't exist, is a directory, is a FIFO that can't be opened, or has a
  /// protocol that reads a list of files; Stopped.
  InputAccess(const std::string& url, References references, const std::stop_token& stop);
  ~InputAccess();
  InputAccess(const InputAccess&) = delete;
  InputAccess& operator=(const InputAccess&) = delete;

  /// Returns the input's name for avformat_open_input().
  [[nodiscard]] const std::string& target() const { return target_; }

  /// Returns the identity of the file, taken just before the file is opened; nullopt if the input
  /// is not a regular file.
  [[nodiscard]] const std::optional<FileIdentity>& identity() const { return identity_; }

  /// Sets what the context may open. Must be called before the context opens target().
  void confine(AVFormatContext& context);

  /// Throws Error(input) if the input names other files, which were not opened. Call it after the
  /// input could not be opened.
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
  int fifo_ = -1;                  // descriptor without blocking; -1 if the input is not a FIFO
  OpenFile open_other_ = nullptr;  // FFmpeg's own function that opens files
  bool refused_ = false;           // the context tried to open another file
};

}  // namespace facepipe::video
