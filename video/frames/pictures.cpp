#include "video/frames/pictures.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <array>
#include <atomic>
#include <cstddef>
#include <string_view>

namespace facepipe::video {
namespace {

std::atomic<std::int64_t> live_count = 0;

std::shared_ptr<AVFrame> counted(UniqueAVFrame picture) {
  ++live_count;
  return {picture.release(), [](AVFrame* frame) {
            av_frame_free(&frame);
            --live_count;
          }};
}

bool is_full_range(const AVFrame& picture, const AVPixFmtDescriptor& description) {
  return is_full_range_yuv(static_cast<AVPixelFormat>(picture.format)) ||
         (description.flags & AV_PIX_FMT_FLAG_RGB) != 0 || picture.color_range == AVCOL_RANGE_JPEG;
}

// The format decides whether planes are GBR. If a YUV format has the tag for RGB, the tag is wrong.
int matrix_of(const AVFrame& picture, const AVPixFmtDescriptor& description) {
  if ((description.flags & AV_PIX_FMT_FLAG_RGB) != 0) return ColorInfo::kIdentityMatrix;
  return picture.colorspace == AVCOL_SPC_RGB ? ColorInfo::kUnspecified
                                             : static_cast<int>(picture.colorspace);
}

void point_planes(Frame& frame, AVFrame& picture) {
  for (std::size_t i = 0; i < frame.planes.size(); ++i)
    frame.planes[i] = {reinterpret_cast<std::byte*>(picture.data[i]), picture.linesize[i]};
}

int sign(std::int32_t value) { return (value > 0) - (value < 0); }

// Returns {a, b, c, d}: `orientation` moves the point (x, y) to (a x + c y, b x + d y).
std::array<int, 4> signs_of(Orientation orientation) {
  std::array<int, 4> m{orientation.mirrored ? -1 : 1, 0, 0, 1};
  for (int i = 0; i < orientation.quarter_turns; ++i)  // clockwise, y down: (x, y) -> (-y, x)
    m = {-m[1], m[0], -m[3], m[2]};
  return m;
}

}  // namespace

std::optional<PixelFormat> workable_format(AVPixelFormat format) {
  const AVPixFmtDescriptor* d = av_pix_fmt_desc_get(format);
  if (d == nullptr || d->nb_components < 3) return std::nullopt;
  constexpr std::uint64_t kRefused = AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
                                     AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER |
                                     AV_PIX_FMT_FLAG_FLOAT;
  if ((d->flags & kRefused) != 0 || (d->flags & AV_PIX_FMT_FLAG_PLANAR) == 0) return std::nullopt;
  PixelFormat result;
  result.bits = d->comp[0].depth;
  result.shift = d->comp[0].shift;
  result.log2_chroma_w = d->log2_chroma_w;
  result.log2_chroma_h = d->log2_chroma_h;
  if (result.bits < 8 || result.bits > 16) return std::nullopt;
  if (result.bits > 8 && (d->flags & AV_PIX_FMT_FLAG_BE) != 0) return std::nullopt;
  const int planes = av_pix_fmt_count_planes(format);
  result.semi_planar = planes == 2;
  result.has_alpha = planes == 4 && video::has_alpha(format);
  // NV21 and similar formats hold V before U.
  if (result.semi_planar && d->comp[1].offset > d->comp[2].offset) return std::nullopt;
  if (!result.semi_planar && planes < 3) return std::nullopt;
  return result;
}

bool is_full_range_yuv(AVPixelFormat format) {
  return std::string_view(av_get_pix_fmt_name(format)).starts_with("yuvj");
}

bool has_alpha(AVPixelFormat format) {
  const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
  constexpr std::uint64_t kEither = AV_PIX_FMT_FLAG_ALPHA | AV_PIX_FMT_FLAG_PAL;
  return d != nullptr && (d->flags & kEither) == AV_PIX_FMT_FLAG_ALPHA;
}

bool is_grey(AVPixelFormat format) {
  const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
  return d != nullptr && d->nb_components > 0 && d->nb_components < 3 &&
         (d->flags & AV_PIX_FMT_FLAG_PAL) == 0;
}

int bits_of(AVPixelFormat format) { return av_pix_fmt_desc_get(format)->comp[0].depth; }

std::optional<Orientation> orientation_of(const std::int32_t* matrix) {
  const std::array<int, 4> wanted{sign(matrix[0]), sign(matrix[1]), sign(matrix[3]),
                                  sign(matrix[4])};
  for (const bool mirrored : {false, true})
    for (int turns = 0; turns < 4; ++turns)
      if (signs_of({turns, mirrored}) == wanted) return Orientation{turns, mirrored};
  return std::nullopt;
}

Orientation orientation_of_exif(int tag) {
  constexpr std::array<Orientation, 9> kTable{{{0, false},
                                               {0, false},
                                               {0, true},
                                               {2, false},
                                               {2, true},
                                               {3, true},
                                               {1, false},
                                               {1, true},
                                               {3, false}}};
  return tag >= 1 && tag <= 8 ? kTable[static_cast<std::size_t>(tag)] : Orientation{};
}

Frame wrap(UniqueAVFrame picture) {
  const auto format = static_cast<AVPixelFormat>(picture->format);
  return wrap(std::move(picture), format, {});
}

Frame wrap(UniqueAVFrame picture, AVPixelFormat layout, Device device) {
  const std::optional<PixelFormat> workable = workable_format(layout);
  if (!workable) throw Error(ErrorKind::internal, "no stage can work on this pixel format");
  const AVPixFmtDescriptor& description = *av_pix_fmt_desc_get(layout);
  Frame frame;
  frame.device = device;
  frame.format = *workable;
  frame.size = {picture->width, picture->height};
  frame.color.matrix = matrix_of(*picture, description);
  frame.color.primaries = picture->color_primaries;
  frame.color.transfer = picture->color_trc;
  frame.color.full_range = is_full_range(*picture, description);
  frame.color.chroma_location = picture->chroma_location;
  frame.field_order = FieldOrder::progressive;
  point_planes(frame, *picture);
  frame.owner = counted(std::move(picture));
  return frame;
}

AVFrame& unwrap(const Frame& frame) { return *static_cast<AVFrame*>(frame.owner.get()); }

std::int64_t live_frames() { return live_count; }

int fill_black(AVFrame& picture, AVColorRange range) {
  const std::array<std::ptrdiff_t, 4> strides{picture.linesize[0], picture.linesize[1],
                                              picture.linesize[2], picture.linesize[3]};
  return av_image_fill_black(picture.data, strides.data(),
                             static_cast<AVPixelFormat>(picture.format), range, picture.width,
                             picture.height);
}

void make_writable(Frame& frame) {
  AVFrame& picture = unwrap(frame);
  check_av(av_frame_make_writable(&picture), ErrorKind::internal, "copy of a picture");
  point_planes(frame, picture);
}

}  // namespace facepipe::video
