#include "video/frames/letterboxer.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <array>
#include <cstddef>
#include <utility>

#include "video/frames/pictures.h"

namespace facepipe::video {
namespace {

constexpr const char* kWhat = "a picture with black beside it";

/// Makes a black picture of `size` with the format and all properties of `like`.
UniqueAVFrame black(const AVFrame& like, Size size) {
  UniqueAVFrame picture = new_av_frame();
  check_av(av_frame_copy_props(picture.get(), &like), ErrorKind::internal, kWhat);
  picture->format = like.format;
  picture->width = size.width;
  picture->height = size.height;
  check_av(av_frame_get_buffer(picture.get(), kPlaneAlignment), ErrorKind::internal, kWhat);
  const auto format = static_cast<AVPixelFormat>(like.format);
  const bool full = is_full_range_yuv(format) || like.color_range == AVCOL_RANGE_JPEG;
  check_av(fill_black(*picture, full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG), ErrorKind::internal,
           kWhat);
  return picture;
}

void copy_into(AVFrame& whole, const AVFrame& part, const PictureArea& area) {
  const auto format = static_cast<AVPixelFormat>(whole.format);
  const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
  std::array<int, 4> steps{};
  av_image_fill_max_pixsteps(steps.data(), nullptr, &d);
  std::array<std::uint8_t*, 4> to{};
  for (std::size_t i = 0; i < to.size() && whole.data[i] != nullptr; ++i) {
    const bool chroma = i == 1 || i == 2;
    const int x = chroma ? area.x >> d.log2_chroma_w : area.x;
    const int y = chroma ? area.y >> d.log2_chroma_h : area.y;
    to[i] = whole.data[i] + std::ptrdiff_t{y} * whole.linesize[i] + std::ptrdiff_t{x} * steps[i];
  }
  std::array<const std::uint8_t*, 4> from{part.data[0], part.data[1], part.data[2], part.data[3]};
  av_image_copy(to.data(), whole.linesize, from.data(), part.linesize, format, part.width,
                part.height);
}

}  // namespace

UniqueAVFrame Letterboxer::apply(UniqueAVFrame picture) {
  const UniqueAVFrame part = filter_.apply(std::move(picture));
  UniqueAVFrame whole = black(*part, whole_);
  copy_into(*whole, *part, area_);
  return whole;
}

}  // namespace facepipe::video
