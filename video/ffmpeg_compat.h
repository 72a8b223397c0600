// Handles every difference between FFmpeg 5.1 and 7 that facepipe meets, and nothing else.
#pragma once

extern "C" {
#include <libavutil/display.h>
}

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "video/ffmpeg.h"

namespace facepipe::video::compat {

#ifdef AV_PROFILE_MJPEG_HUFFMAN_BASELINE_DCT
inline constexpr int kBaselineJpeg = AV_PROFILE_MJPEG_HUFFMAN_BASELINE_DCT;
#else
inline constexpr int kBaselineJpeg = FF_PROFILE_MJPEG_HUFFMAN_BASELINE_DCT;
#endif

// A tag is a number that travels with a packet through the decoder to the frame that came from it.
// libavcodec 60 copies AVPacket::opaque. In older versions, AVCodecContext::reordered_opaque does
// the same.
#if LIBAVCODEC_VERSION_MAJOR >= 60
inline void enable_tags(AVCodecContext& decoder) { decoder.flags |= AV_CODEC_FLAG_COPY_OPAQUE; }
inline void set_tag(AVCodecContext&, AVPacket& packet, std::int64_t tag) {
  packet.opaque = reinterpret_cast<void*>(static_cast<std::intptr_t>(tag));
}
inline std::int64_t tag_of(const AVFrame& frame) {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(frame.opaque));
}
inline std::int64_t tag_of(const AVCodecContext&, const AVPacket& packet) {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(packet.opaque));
}
inline void set_tag(AVFrame& frame, std::int64_t tag) {
  frame.opaque = reinterpret_cast<void*>(static_cast<std::intptr_t>(tag));
}
#else
inline void enable_tags(AVCodecContext&) {}
inline void set_tag(AVCodecContext& decoder, AVPacket&, std::int64_t tag) {
  decoder.reordered_opaque = tag;
}
inline std::int64_t tag_of(const AVFrame& frame) { return frame.reordered_opaque; }
inline std::int64_t tag_of(const AVCodecContext& decoder, const AVPacket&) {
  return decoder.reordered_opaque;
}
inline void set_tag(AVFrame& frame, std::int64_t tag) { frame.reordered_opaque = tag; }
#endif

// kMayGoOn says whether an open decoder can be used for another stream. A decoder compares a
// picture's two stamps with the stamps of earlier pictures. Since libavcodec 61, no caller can make
// the decoder forget the earlier stamps. Since 60.31, a decoder holds side data of the stream for
// which it was opened.
#if LIBAVCODEC_VERSION_MAJOR < 60
inline constexpr bool kMayGoOn = true;
inline void forget_stamps(AVCodecContext& decoder) {
  decoder.pts_correction_num_faulty_pts = 0;
  decoder.pts_correction_num_faulty_dts = 0;
  decoder.pts_correction_last_pts = INT64_MIN;
  decoder.pts_correction_last_dts = INT64_MIN;
}
#else
inline constexpr bool kMayGoOn = false;
inline void forget_stamps(AVCodecContext&) {}
#endif

// Returns the colour arguments for a filter graph's source. Before libavfilter 10 there are none.
#if LIBAVFILTER_VERSION_MAJOR >= 10
inline std::string color_arguments(AVColorSpace matrix, AVColorRange range) {
  return ":colorspace=" + std::to_string(matrix) + ":range=" + std::to_string(range);
}
#else
inline std::string color_arguments(AVColorSpace, AVColorRange) { return {}; }
#endif

// In libavutil 58, frame flags became bits of AVFrame::flags.
#if LIBAVUTIL_VERSION_MAJOR >= 58
inline bool is_interlaced(const AVFrame& f) { return (f.flags & AV_FRAME_FLAG_INTERLACED) != 0; }
inline bool is_top_field_first(const AVFrame& f) {
  return (f.flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
}
inline std::int64_t duration_of(const AVFrame& frame) { return frame.duration; }
inline void set_duration(AVFrame& frame, std::int64_t duration) { frame.duration = duration; }
inline void set_fields(AVFrame& frame, bool interlaced, bool top_first) {
  constexpr int kOfFields = AV_FRAME_FLAG_INTERLACED | AV_FRAME_FLAG_TOP_FIELD_FIRST;
  frame.flags = (frame.flags & ~kOfFields) | (interlaced ? AV_FRAME_FLAG_INTERLACED : 0) |
                (top_first ? AV_FRAME_FLAG_TOP_FIELD_FIRST : 0);
}
#else
inline bool is_interlaced(const AVFrame& frame) { return frame.interlaced_frame != 0; }
inline bool is_top_field_first(const AVFrame& frame) { return frame.top_field_first != 0; }
inline std::int64_t duration_of(const AVFrame& frame) { return frame.pkt_duration; }
inline void set_duration(AVFrame& frame, std::int64_t duration) { frame.pkt_duration = duration; }
inline void set_fields(AVFrame& frame, bool interlaced, bool top_first) {
  frame.interlaced_frame = interlaced ? 1 : 0;
  frame.top_field_first = top_first ? 1 : 0;
}
#endif

// In libavformat 60.31, the side data of a whole stream moved from AVStream to AVCodecParameters.
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
inline std::span<const AVPacketSideData> stream_side_data(const AVStream& stream) {
  return {stream.codecpar->coded_side_data,
          static_cast<std::size_t>(stream.codecpar->nb_coded_side_data)};
}
inline std::uint8_t* new_stream_side_data(AVStream& stream, AVPacketSideDataType type,
                                          std::size_t size) {
  AVPacketSideData* entry = av_packet_side_data_new(
      &stream.codecpar->coded_side_data, &stream.codecpar->nb_coded_side_data, type, size, 0);
  return entry != nullptr ? entry->data : nullptr;
}
#else
inline std::span<const AVPacketSideData> stream_side_data(const AVStream& stream) {
  return {stream.side_data, static_cast<std::size_t>(stream.nb_side_data)};
}
inline std::uint8_t* new_stream_side_data(AVStream& stream, AVPacketSideDataType type,
                                          std::size_t size) {
  return av_stream_new_side_data(&stream, type, size);
}
#endif

// Names the type of the bytes that AVIOContext's write callback gets. The type is const since
// libavformat 61.
#if LIBAVFORMAT_VERSION_MAJOR >= 61
using WrittenBytes = const std::uint8_t;
#else
using WrittenBytes = std::uint8_t;
#endif

// Since libavformat 61, the Matroska muxer writes a display matrix (as projection roll).
inline bool muxer_writes_rotation(const AVOutputFormat& format) {
  const auto is = [&](const char* name) { return std::strcmp(format.name, name) == 0; };
  for (const char* const of_mov : {"mp4", "mov", "ipod", "3gp", "3g2", "psp", "f4v", "ismv"})
    if (is(of_mov)) return true;
  return LIBAVFORMAT_VERSION_MAJOR >= 61 && (is("matroska") || is("webm"));
}

// Keeps decoded pictures in NVDEC's own surfaces. Since 60.26, libavcodec copies them unless this
// flag is set. Older versions never copy them.
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT
inline void keep_decoder_surfaces(AVCodecContext& decoder) {
  decoder.hwaccel_flags |= AV_HWACCEL_FLAG_UNSAFE_OUTPUT;
}
#else
inline void keep_decoder_surfaces(AVCodecContext&) {}
#endif

// Names the driver's decoder object that has decoded a picture by NVDEC, and the picture's number
// in this decoder. FFmpeg has no interface for them. They lie in a private structure of the surface
// (NVDECFrame in libavcodec/nvdec.h). Only the layouts of libavcodec 59 and 61 are known here;
// libavcodec 60 had two layouts. For all other versions nvdec_picture() returns nullopt.
struct NvdecPicture {
  void* decoder = nullptr;  ///< CUvideodecoder
  int number = 0;
};
#if LIBAVCODEC_VERSION_MAJOR == 59 || LIBAVCODEC_VERSION_MAJOR == 61
inline constexpr bool kKnowsNvdecPictures = true;
struct NvdecFrame {
  unsigned number;
  unsigned reference_number;
  void* number_ref;
  void* reference_number_ref;
#if LIBAVCODEC_VERSION_MAJOR == 59
  AVBufferRef* decoder;  ///< holds a structure that begins with the driver's decoder
#else
  void* const* decoder;  ///< points to a structure that begins with the driver's decoder
#endif
};
inline std::optional<NvdecPicture> nvdec_picture(const AVFrame& surface) {
  const AVBufferRef* const behind = surface.buf[1];
  if (behind == nullptr || behind->size != sizeof(NvdecFrame)) return std::nullopt;
  NvdecFrame frame{};
  std::memcpy(&frame, behind->data, sizeof(frame));
  if (frame.decoder == nullptr) return std::nullopt;
  NvdecPicture picture;
  picture.number = static_cast<int>(frame.number);
#if LIBAVCODEC_VERSION_MAJOR == 59
  std::memcpy(&picture.decoder, frame.decoder->data, sizeof(picture.decoder));
#else
  picture.decoder = *frame.decoder;
#endif
  return picture;
}
#else
inline constexpr bool kKnowsNvdecPictures = false;
inline std::optional<NvdecPicture> nvdec_picture(const AVFrame&) { return std::nullopt; }
#endif

// Returns the pixel formats that an encoder takes. libavcodec 61.13 introduced
// avcodec_get_supported_config() and deprecated AVCodec::pix_fmts.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
inline std::span<const AVPixelFormat> pixel_formats(const AVCodec& codec) {
  const void* list = nullptr;
  int count = 0;
  if (avcodec_get_supported_config(nullptr, &codec, AV_CODEC_CONFIG_PIX_FORMAT, 0, &list, &count) <
      0)
    return {};
  return {static_cast<const AVPixelFormat*>(list), static_cast<std::size_t>(count)};
}
#else
inline std::span<const AVPixelFormat> pixel_formats(const AVCodec& codec) {
  if (codec.pix_fmts == nullptr) return {};
  std::size_t count = 0;
  while (codec.pix_fmts[count] != AV_PIX_FMT_NONE) ++count;
  return {codec.pix_fmts, count};
}
#endif

}  // namespace facepipe::video::compat
