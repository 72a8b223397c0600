#include "video/read/input_access.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace facepipe::video {
namespace {

constexpr std::string_view kFileScheme = "file://";
constexpr int kStopCheckMs = 100;
// These formats read other files, or wait for data from other hosts.
constexpr std::array<std::string_view, 9> kPlaylists{
    "hls", "hls,applehttp", "dash", "concat", "imf", "sdp", "rtp", "vobsub", "webm_dash_manifest"};

std::string path_of(const std::string& url) {
  return url.starts_with(kFileScheme) ? url.substr(kFileScheme.size()) : url;
}

/// Returns the protocols of a URL, the outermost one first: "cache:file" for
/// "cache:file:///clip.mp4".
std::string_view protocols_of(const std::string& url) {
  const std::string_view text = url;
  return text.substr(0, text.find("://"));
}

bool is_local(const std::string& url) {
  if (!is_url(url)) return true;
  const std::string_view protocols = protocols_of(url);
  const std::string_view innermost = protocols.substr(protocols.rfind(':') + 1);
  constexpr std::array<std::string_view, 5> kLocal{"file", "hls+file", "pipe", "fd", "bluray"};
  return protocols.starts_with("concat") ||
         std::find(kLocal.begin(), kLocal.end(), innermost) != kLocal.end();
}

/// Returns whether the URL's protocol itself, not a demuxer, opens the files that a list names.
bool reads_a_list(const std::string& url) {
  return is_url(url) && (protocols_of(url).find("concatf") != std::string_view::npos ||
                         protocols_of(url).find("hls+file") != std::string_view::npos);
}

void check_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) throw Error(ErrorKind::input, path + ": no such file");
  if (std::filesystem::is_directory(status))
    throw Error(ErrorKind::input, path + ": is a directory");
}

[[noreturn]] void refuse(const std::string& url) {
  throw Error(ErrorKind::input,
              url + ": is a playlist that names other files; --allow-references opens it");
}

}  // namespace

bool is_url(const std::string& text) { return text.find("://") != std::string::npos; }

bool may_need_network(const std::string& input) {
  // "concat" joins what other protocols read.
  return !is_local(input) ||
         (is_url(input) && protocols_of(input).find("concat") != std::string_view::npos);
}

bool is_fifo(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  return std::filesystem::is_fifo(status) ||
         (path == kStandardInput && std::filesystem::is_socket(status));
}

InputAccess::InputAccess(const std::string& url, References references, const std::stop_token& stop)
    : url_(url),
      references_(references),
      // With this prefix, FFmpeg doesn't take a path with a colon for a protocol.
      target_(is_url(url) ? url : "file:" + url),
      identity_(is_url(url) ? std::nullopt : identity_of(url)) {
  if (!is_url(url)) check_file(url);
  if (references == References::refuse && reads_a_list(url)) refuse(url);
  if (is_fifo(path_of(url))) open_fifo(path_of(url), stop);
}

InputAccess::~InputAccess() {
  if (fifo_ >= 0) close(fifo_);
}

/// Opens a FIFO without blocking. FFmpeg itself would block in open() until there is a writer, and
/// in read() while the writer stalls.
void InputAccess::open_fifo(const std::string& path, const std::stop_token& stop) {
  int fifo = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fifo < 0 && path == kStandardInput)  // a socket, or the pipe of another user
    fifo = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (fifo < 0) throw Error(ErrorKind::input, path + ": " + std::generic_category().message(errno));
  // poll() waits for data first, because a read without a writer reports the end.
  pollfd data{fifo, POLLIN, 0};
  while (!stop.stop_requested() && poll(&data, 1, kStopCheckMs) <= 0) {
  }
  if (stop.stop_requested()) {
    close(fifo);
    throw Stopped();
  }
  fifo_ = fifo;
}

/// Limits what the context may open. If a file names other files, some demuxers open these through
/// io_open, and some demuxers through contexts of their own. Such contexts inherit the lists of
/// protocols, but not io_open.
void InputAccess::confine(AVFormatContext& context) {
  const bool refuse = references_ == References::refuse;
  // The context frees these lists.
  if (refuse && !is_local(url_)) {
    context.protocol_blacklist = allocated(av_strdup("file,pipe,fd,bluray,concatf"));
    return;
  }
  if (refuse) context.protocol_whitelist = allocated(av_strdup("none"));
  if (!refuse && fifo_ < 0) return;
  open_other_ = context.io_open;
  context.opaque = this;
  context.io_open = &InputAccess::open_file;
}

int InputAccess::open_file(AVFormatContext* context, AVIOContext** file, const char* url, int flags,
                           AVDictionary** options) {
  auto* const self = static_cast<InputAccess*>(context->opaque);
  if (self == nullptr) return AVERROR(EPERM);
  if (url != self->target_) {
    if (self->references_ == References::open)
      return self->open_other_(context, file, url, flags, options);
    self->refused_ = true;
    return AVERROR(EPERM);
  }
  const std::string target = self->fifo_ < 0 ? url : "pipe:" + std::to_string(self->fifo_);
  return avio_open2(file, target.c_str(), flags, &context->interrupt_callback, options);
}

void InputAccess::check_refused() const {
  if (references_ == References::open || !is_local(url_)) return;
  if (refused_ || (fifo_ < 0 && is_playlist())) refuse(url_);
}

/// Returns whether the input is a playlist. If a demuxer opens other files through a context of its
/// own, it doesn't report that these files were refused.
bool InputAccess::is_playlist() const {
  AVIOContext* file = nullptr;
  if (avio_open2(&file, target_.c_str(), AVIO_FLAG_READ, nullptr, nullptr) < 0) return false;
  const AVInputFormat* format = nullptr;
  const int score = av_probe_input_buffer2(file, &format, target_.c_str(), nullptr, 0, 0);
  avio_closep(&file);
  return score >= 0 && format != nullptr &&
         std::find(kPlaylists.begin(), kPlaylists.end(), format->name) != kPlaylists.end();
}

}  // namespace facepipe::video
