// Defines owners of FFmpeg's C structs (one alias for each), and functions that check its return
// codes and redirect its log. No other file calls av_*_free.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
}

#include <memory>
#include <new>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/geometry.h"

namespace facepipe::video {

/// Adapts FFmpeg's two kinds of destructor, T* and T**, to unique_ptr.
template <auto Function>
struct FFmpegDelete {
  template <typename T>
  void operator()(T* object) const noexcept {
    if constexpr (requires { Function(&object); })
      Function(&object);
    else
      Function(object);
  }
};

/// Closes and frees an input that avformat_open_input() has opened, or frees a context that only
/// describes an input, and has no URL.
void close_input(AVFormatContext** input) noexcept;

using UniqueAVFrame = std::unique_ptr<AVFrame, FFmpegDelete<av_frame_free>>;
using UniqueAVBuffer = std::unique_ptr<AVBufferRef, FFmpegDelete<av_buffer_unref>>;
using UniqueAVPacket = std::unique_ptr<AVPacket, FFmpegDelete<av_packet_free>>;
using UniqueCodecContext = std::unique_ptr<AVCodecContext, FFmpegDelete<avcodec_free_context>>;
using UniqueCodecParameters =
    std::unique_ptr<AVCodecParameters, FFmpegDelete<avcodec_parameters_free>>;
using UniqueParser = std::unique_ptr<AVCodecParserContext, FFmpegDelete<av_parser_close>>;
using UniqueInputContext = std::unique_ptr<AVFormatContext, FFmpegDelete<close_input>>;
using UniqueFilterGraph = std::unique_ptr<AVFilterGraph, FFmpegDelete<avfilter_graph_free>>;

/// Doesn't own the output's I/O context, which has another owner.
using UniqueOutputContext = std::unique_ptr<AVFormatContext, FFmpegDelete<avformat_free_context>>;

/// Holds AVDictionaries with the same entries. FFmpeg's functions replace the pointers, so pass
/// address() to them.
class Dictionary {
 public:
  /// @param count  number of dictionaries, for calls that take one for each stream of an input
  explicit Dictionary(std::size_t count = 1) : all_(count) {}
  ~Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  void set(const std::string& key, const std::string& value);
  [[nodiscard]] AVDictionary** address() { return all_.data(); }
  /// Returns the key of an entry that no FFmpeg call has used: the first such key in the first
  /// dictionary. Returns nullptr if all entries were used.
  [[nodiscard]] const char* first_key() const;

 private:
  std::vector<AVDictionary*> all_;
};

/// Returns FFmpeg's own text for an error code.
[[nodiscard]] std::string av_error_text(int code);

/// Returns `code`, or throws Error(kind, "subject: FFmpeg's text") if `code` is negative; a
/// PassingError for an output whose errno is_passing(). If the system lacks memory or threads, it
/// is a PassingError(internal), because the file is not to blame, except for the kind `device`. The
/// place and the failed call are logged at debug level. Don't use this function for calls that
/// return AVERROR(EAGAIN) to be called again.
int check_av(int code, ErrorKind kind, std::string_view subject,
             std::source_location place = std::source_location::current());

/// Returns roughly how much memory a packet takes, in bytes. Even an empty packet takes some
/// memory.
[[nodiscard]] inline std::int64_t memory_of(const AVPacket& packet) { return 512 + packet.size; }

/// Returns `object`, which FFmpeg has just allocated. Throws std::bad_alloc for nullptr.
template <typename T>
[[nodiscard]] T* allocated(T* object) {
  if (object == nullptr) throw std::bad_alloc();
  return object;
}

/// These functions make new, empty objects. They throw std::bad_alloc.
[[nodiscard]] inline UniqueAVFrame new_av_frame() {
  return UniqueAVFrame(allocated(av_frame_alloc()));
}
[[nodiscard]] inline UniqueAVPacket new_av_packet() {
  return UniqueAVPacket(allocated(av_packet_alloc()));
}
[[nodiscard]] inline UniqueCodecParameters new_codec_parameters() {
  return UniqueCodecParameters(allocated(avcodec_parameters_alloc()));
}
/// The context is not open. `codec` may be nullptr.
[[nodiscard]] inline UniqueCodecContext new_codec_context(const AVCodec* codec) {
  return UniqueCodecContext(allocated(avcodec_alloc_context3(codec)));
}

/// These functions return another reference to the same data. They throw std::bad_alloc.
[[nodiscard]] inline UniqueAVFrame reference(const AVFrame& picture) {
  UniqueAVFrame referring(av_frame_clone(&picture));
  if (!referring) throw std::bad_alloc();
  return referring;
}
[[nodiscard]] inline UniqueAVPacket reference(const AVPacket& packet) {
  return UniqueAVPacket(allocated(av_packet_clone(&packet)));
}

[[nodiscard]] inline AVRational to_av(Rational value) { return {value.num, value.den}; }
[[nodiscard]] inline Rational from_av(AVRational value) { return {value.num, value.den}; }

/// Sends FFmpeg's messages to the program's log from now on. Errors and warnings go to debug level,
/// because facepipe itself reports important errors to the user, with the file's name.
void redirect_ffmpeg_log();

/// Collects what FFmpeg logs as errors, on any thread, as long as this object exists. Only one such
/// object may exist at a time. The destructor sends FFmpeg's messages to the program's log again,
/// as redirect_ffmpeg_log() does.
class FFmpegErrors {
 public:
  /// @param of  the object (for example an AVCodecContext) whose errors count; nullptr: all objects
  explicit FFmpegErrors(const void* of = nullptr);
  ~FFmpegErrors();
  FFmpegErrors(const FFmpegErrors&) = delete;
  FFmpegErrors& operator=(const FFmpegErrors&) = delete;

  /// Returns the first error, followed by the last warning before it in brackets, because this
  /// warning often names the cause. Returns an empty text if there was no error.
  [[nodiscard]] std::string first() const;
};

}  // namespace facepipe::video
