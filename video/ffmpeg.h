// FFmpeg's C structs: one owner alias for each, one check of return codes, one place for its log.
// No av_*_free elsewhere.
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

using UniqueAVFrame = std::unique_ptr<AVFrame, FFmpegDelete<av_frame_free>>;
using UniqueAVBuffer = std::unique_ptr<AVBufferRef, FFmpegDelete<av_buffer_unref>>;
using UniqueAVPacket = std::unique_ptr<AVPacket, FFmpegDelete<av_packet_free>>;
using UniqueCodecContext = std::unique_ptr<AVCodecContext, FFmpegDelete<avcodec_free_context>>;
using UniqueCodecParameters =
    std::unique_ptr<AVCodecParameters, FFmpegDelete<avcodec_parameters_free>>;
using UniqueParser = std::unique_ptr<AVCodecParserContext, FFmpegDelete<av_parser_close>>;
using UniqueInputContext = std::unique_ptr<AVFormatContext, FFmpegDelete<avformat_close_input>>;
using UniqueFilterGraph = std::unique_ptr<AVFilterGraph, FFmpegDelete<avfilter_graph_free>>;

/// Its I/O context is somebody else's.
using UniqueOutputContext = std::unique_ptr<AVFormatContext, FFmpegDelete<avformat_free_context>>;

/// AVDictionaries with the same entries; FFmpeg's calls replace the pointers, so they get
/// address().
class Dictionary {
 public:
  /// @param count  for calls that take one for each stream of an input
  explicit Dictionary(std::size_t count = 1) : all_(count) {}
  ~Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  void set(const std::string& key, const std::string& value);
  [[nodiscard]] AVDictionary** address() { return all_.data(); }
  /// The first entry of the first one that no FFmpeg call has taken; nullptr if none is left.
  [[nodiscard]] const char* first_key() const;

 private:
  std::vector<AVDictionary*> all_;
};

/// FFmpeg's own text for an error code.
[[nodiscard]] std::string av_error_text(int code);

/// Throws Error(kind, "subject: FFmpeg's text") if `code` is negative, else returns it; where the
/// system has no memory or no thread left, that is no fault of an input or output, and the error's
/// kind is internal. The place and the failed call are logged at debug level. Not for calls that
/// answer AVERROR(EAGAIN) to be called again.
int check_av(int code, ErrorKind kind, std::string_view subject,
             std::source_location place = std::source_location::current());

/// Roughly what a packet takes of memory: an empty one takes some, too.
[[nodiscard]] inline std::int64_t memory_of(const AVPacket& packet) { return 512 + packet.size; }

/// What FFmpeg has just allocated; throws std::bad_alloc for nullptr.
template <typename T>
[[nodiscard]] T* allocated(T* object) {
  if (object == nullptr) throw std::bad_alloc();
  return object;
}

/// New, empty objects; throw std::bad_alloc.
[[nodiscard]] inline UniqueAVFrame new_av_frame() {
  return UniqueAVFrame(allocated(av_frame_alloc()));
}
[[nodiscard]] inline UniqueAVPacket new_av_packet() {
  return UniqueAVPacket(allocated(av_packet_alloc()));
}
[[nodiscard]] inline UniqueCodecParameters new_codec_parameters() {
  return UniqueCodecParameters(allocated(avcodec_parameters_alloc()));
}
/// Not open; `codec` may be nullptr.
[[nodiscard]] inline UniqueCodecContext new_codec_context(const AVCodec* codec) {
  return UniqueCodecContext(allocated(avcodec_alloc_context3(codec)));
}

/// Another reference to the same data.
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

/// FFmpeg's messages go to the program's log from now on: errors and warnings at debug level,
/// because what matters to a user is told by us with the file's name.
void redirect_ffmpeg_log();

/// Collects what FFmpeg logs as errors, on any thread, while it lives; one at a time. Afterwards
/// the log goes where redirect_ffmpeg_log() sends it.
class FFmpegErrors {
 public:
  /// @param of  the object (an AVCodecContext, say) whose errors count; nullptr: all
  explicit FFmpegErrors(const void* of = nullptr);
  ~FFmpegErrors();
  FFmpegErrors(const FFmpegErrors&) = delete;
  FFmpegErrors& operator=(const FFmpegErrors&) = delete;

  /// The first line, and in brackets the last warning before it: they name the cause. Empty if
  /// there was no error.
  [[nodiscard]] std::string first() const;
};

}  // namespace facepipe::video
