#include "video/normalizer.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace facepipe {
namespace {

std::string describe(const PictureKind& kind) {
  return to_string(kind.size) + " " + av_get_pix_fmt_name(kind.format);
}

bool is_rgb(AVPixelFormat format) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  return description != nullptr &&
         (description->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
}

// RGB has no matrix of its own: the usual one for the picture's size is used, and written down.
AVColorSpace matrix_for_rgb(int height) {
  return height >= 720 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

}  // namespace

Normalizer::Normalizer(const FrameTarget& target, const PictureKind& first, bool scale_on_change,
                       std::string input, Notices& notices)
    : target_(target), changes_(first, scale_on_change, std::move(input), notices) {}

UniqueAVFrame Normalizer::apply(UniqueAVFrame picture) {
  const PictureKind kind = kind_of(*picture);
  static_cast<void>(changes_.is_changed(kind));
  const bool fits =
      kind.size == target_.size && kind.format == target_.format && target_.rotate.upright();
  if (fits) return picture;
  if (!filter_ || filter_->from() != kind) filter_.emplace(kind, chain_for(*picture));
  const bool from_rgb = is_rgb(kind.format) && !is_rgb(target_.format);
  UniqueAVFrame result = filter_->apply(std::move(picture));
  if (from_rgb) {
    result->colorspace = matrix_for_rgb(target_.size.height);
    result->color_range = AVCOL_RANGE_MPEG;
  }
  return result;
}

std::string Normalizer::chain_for(const AVFrame& picture) const {
  std::string scale = "scale=" + std::to_string(target_.size.width) + ":" +
                      std::to_string(target_.size.height) +
                      ":flags=bicubic+accurate_rnd+full_chroma_int";
  if (is_rgb(static_cast<AVPixelFormat>(picture.format)) && !is_rgb(target_.format))
    scale += matrix_for_rgb(target_.size.height) == AVCOL_SPC_BT709
                 ? ":out_color_matrix=bt709:out_range=tv"
                 : ":out_color_matrix=bt601:out_range=tv";
  return scale + ",format=" + av_get_pix_fmt_name(target_.format) + "," +
         rotation_filters(target_.rotate) + "null";
}

bool ChangeWatch::is_changed(const PictureKind& picture) {
  if (picture.size == first_.size && picture.format == first_.format) return false;
  const std::string change =
      "pictures change from " + describe(first_) + " to " + describe(picture) + " in mid-file";
  if (!scale_on_change_) throw Error(ErrorKind::input, input_ + ": " + change);
  notices_.add(change + "; converted to the first");
  return true;
}

}  // namespace facepipe
