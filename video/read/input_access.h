// What opening an input may open: the input itself, and nothing that it names.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/files/file_identity.h"
#include "video/ffmpeg.h"

namespace facepipe::video {

/// The input that is the process's standard input, whatever that is.
inline constexpr const char* kStandardInput = "/dev/stdin";

/// Whether an input may be one that names other files: a playlist (HLS, DASH, ffconcat), for one.
enum class References {
  refuse,  ///< none of them is opened, which is an error; what a playlist that comes over a network
           ///< names in the network is opened, as who asks for it wants, but no file of this
           ///< machine
  open,
};

/// True where `text` is a URL with a scheme rather than a path.
[[nodiscard]] bool is_url(const std::string& text);

/// True for a FIFO's path, and for kStandardInput where it is a pipe or a socket: what is read from
/// it is gone, so it can be opened only once.
[[nodiscard]] bool is_fifo(const std::string& path);

/// How FFmpeg gets at one input. It must outlive the context that it confines.
class InputAccess {
 public:
  /// Waits for the first data where `url` is the path of a FIFO, until `stop` is requested.
  /// Errors: Error(input): there is no such file, it is a directory, a FIFO that can't be opened,
  /// or a URL whose protocol reads a list of files; Stopped.
  InputAccess(const std::string& url, References references, const std::stop_token& stop);
  ~InputAccess();
  InputAccess(const InputAccess&) = delete;
  InputAccess& operator=(const InputAccess&) = delete;

  /// The input as avformat_open_input() gets it.
  [[nodiscard]] const std::string& target() const { return target_; }

  /// Of the file, taken just before it is opened; nullopt for what is no regular file.
  [[nodiscard]] const std::optional<FileIdentity>& identity() const { return identity_; }

  /// Sets what the context may open; called before it opens target().
  void confine(AVFormatContext& context);

  /// After a failure to open it: throws Error(input) where the input names other files, which were
  /// not opened.
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
  int fifo_ = -1;                  // without blocking; else -1
  OpenFile open_other_ = nullptr;  // FFmpeg's own
  bool refused_ = false;           // another file was wanted
};

}  // namespace facepipe::video
