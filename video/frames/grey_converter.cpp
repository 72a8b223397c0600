#include "video/frames/grey_converter.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace facepipe::video {
namespace {

std::size_t bytes(int stride, Size plane) {
  return static_cast<std::size_t>(stride) * static_cast<std::size_t>(plane.height);
}

/// Makes a picture that contains every grey, row by row.
UniqueAVFrame all_greys(const PictureKind& like) {
  UniqueAVFrame greys = new_av_frame();
  greys->format = like.format;
  greys->color_range = like.range;
  greys->colorspace = like.matrix;
  greys->width = GreyConverter::kTable.width;
  greys->height = GreyConverter::kTable.height;
  check_av(av_frame_get_buffer(greys.get(), 0), ErrorKind::internal, "picture of greys");
  for (int grey = 0; grey < 256; ++grey)
    greys->data[0][grey / greys->width * greys->linesize[0] + grey % greys->width] =
        static_cast<std::uint8_t>(grey);
  return greys;
}

}  // namespace

GreyConverter::GreyConverter(const PictureKind& from, const std::string& chain)
    : luma_(from.size),
      chroma_{(luma_.width + 1) / 2, (luma_.height + 1) / 2},
      strides_{FFALIGN(luma_.width, kPlaneAlignment), FFALIGN(chroma_.width, kPlaneAlignment)},
      pool_(allocated(av_buffer_pool_init(
          bytes(strides_[0], luma_) + 2 * bytes(strides_[1], chroma_) + kPlaneAlignment,
          nullptr))) {
  ask(from, chain);
}

void GreyConverter::ask(const PictureKind& from, const std::string& chain) {
  UniqueAVFrame greys = all_greys(from);
  const UniqueAVFrame made = FrameFilter(kind_of(*greys), chain).apply(std::move(greys));
  for (int y = 0; y < kTable.height; ++y)
    std::copy_n(made->data[0] + y * made->linesize[0], kTable.width,
                luma_of_.begin() + static_cast<std::ptrdiff_t>(y) * kTable.width);
  chroma_of_ = {made->data[1][0], made->data[2][0]};
  range_ = made->color_range;
  matrix_ = made->colorspace;
}

UniqueAVFrame GreyConverter::apply(UniqueAVFrame picture) {
  UniqueAVFrame result = new_av_frame();
  check_av(av_frame_copy_props(result.get(), picture.get()), ErrorKind::internal,
           "a picture's properties");
  result->format = AV_PIX_FMT_YUV420P;
  result->color_range = range_;
  result->colorspace = matrix_;
  result->width = luma_.width;
  result->height = luma_.height;
  result->buf[0] = allocated(av_buffer_pool_get(pool_.get()));
  result->data[0] = result->buf[0]->data;
  result->linesize[0] = strides_[0];
  for (int y = 0; y < luma_.height; ++y) {
    const std::uint8_t* const row = picture->data[0] + std::ptrdiff_t{y} * picture->linesize[0];
    std::transform(row, row + luma_.width, result->data[0] + std::ptrdiff_t{y} * strides_[0],
                   [this](std::uint8_t grey) { return luma_of_[grey]; });
  }
  std::uint8_t* plane = result->data[0] + bytes(strides_[0], luma_);
  for (std::size_t c = 0; c < chroma_of_.size(); ++c, plane += bytes(strides_[1], chroma_)) {
    result->data[c + 1] = plane;
    result->linesize[c + 1] = strides_[1];
    std::fill_n(plane, bytes(strides_[1], chroma_), chroma_of_[c]);
  }
  return result;
}

}  // namespace facepipe::video
