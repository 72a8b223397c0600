#include "video/frames/normalizer.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <spdlog/spdlog.h>

#include "video/frames/chroma_subsampler.h"
#include "video/frames/grey_converter.h"
#include "video/frames/letterboxer.h"

namespace facepipe::video {
namespace {

constexpr const char* kScaling = "bicubic+accurate_rnd+full_chroma_int";

std::string describe(const PictureKind& kind) {
  return to_string(kind.size) + " " + av_get_pix_fmt_name(kind.format);
}

bool is_rgb(AVPixelFormat format) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  return description != nullptr &&
         (description->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
}

// RGB has no matrix of its own. We convert it by the usual matrix for the picture's size, and tag
// the result with this matrix.
AVColorSpace matrix_for_rgb(int height) {
  return height >= 720 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

}  // namespace

Normalizer::Normalizer(const FrameTarget& target, const PictureKind& first, bool scale_on_change,
                       std::string input, Notices& notices, std::shared_ptr<KeptConverters> kept,
                       int threads)
    : target_(target),
      pixel_(first.pixel),
      changes_(first, scale_on_change, std::move(input), notices),
      kept_(std::move(kept)),
      threads_(threads) {}

Normalizer::~Normalizer() { give_back(); }

UniqueAVFrame Normalizer::apply(UniqueAVFrame picture) {
  const PictureKind kind = kind_of(*picture);
  static_cast<void>(changes_.is_changed(kind));
  const bool fits =
      kind.size == target_.size && kind.format == target_.format && target_.rotate.upright();
  if (fits) return picture;
  if (!converter_ || key_.from != kind) take_converter(*picture);
  const bool from_rgb = is_rgb(kind.format) && !is_rgb(target_.format);
  UniqueAVFrame result = convert(std::move(picture));
  if (from_rgb) {
    result->colorspace = matrix_for_rgb(target_.size.height);
    result->color_range = AVCOL_RANGE_MPEG;
  }
  return result;
}

/// Converts a picture. If the converter throws, it isn't used again.
UniqueAVFrame Normalizer::convert(UniqueAVFrame picture) {
  std::unique_ptr<PictureConverter> converter = std::move(converter_);
  UniqueAVFrame result = converter->apply(std::move(picture));
  converter_ = std::move(converter);
  return result;
}

void Normalizer::take_converter(const AVFrame& picture) {
  give_back();
  key_ = {kind_of(picture),        {},
          picture.chroma_location, picture.color_primaries,
          picture.color_trc,       from_av(picture.sample_aspect_ratio)};
  area_ = area_for(key_.from);
  // area_.size is the size after the turn. upright_size() returns the size before the turn, because
  // a quarter turn swaps the sides in both directions.
  key_.chain = chain_for(key_.from.format, upright_size(area_.size, target_.rotate));
  if (area_.size != target_.stored()) key_.whole = target_.stored();
  converter_ = kept_ ? kept_->take(key_) : nullptr;
  if (!converter_) converter_ = new_converter();
}

std::unique_ptr<PictureConverter> Normalizer::new_converter() const {
  const PictureKind& from = key_.from;
  const AVPixelFormat to = target_.format;
  if (from.size == target_.size && target_.rotate.upright()) {
    if (to == AV_PIX_FMT_YUVJ420P && ChromaSubsampler::takes(from, key_.chroma))
      return std::make_unique<ChromaSubsampler>(from, kScaling);
    if (to == AV_PIX_FMT_YUV420P && from.format == AV_PIX_FMT_GRAY8)
      return std::make_unique<GreyConverter>(from, chain_for(from.format, GreyConverter::kTable));
  }
  if (key_.whole != Size{})
    return std::make_unique<Letterboxer>(from, key_.chain, area_, key_.whole, threads_);
  return std::make_unique<FrameFilter>(from, key_.chain, threads_);
}

void Normalizer::give_back() noexcept {
  if (!kept_ || !converter_) return;
  try {
    kept_->give_back(key_, std::move(converter_));
  } catch (const std::exception& failure) {
    spdlog::debug("a converter isn't kept: {}", failure.what());
  }
}

/// Returns the size that a picture gets, and its position in the frame, both after turning.
PictureArea Normalizer::area_for(const PictureKind& from) const {
  const Size whole = target_.stored();
  if (from.size == target_.size) return {0, 0, whole};
  const AVPixFmtDescriptor& format = *av_pix_fmt_desc_get(target_.format);
  const auto turned = [this](PictureShape shape) {
    if (!target_.rotate.swaps_axes()) return shape;
    return PictureShape{{shape.size.height, shape.size.width}, {shape.pixel.den, shape.pixel.num}};
  };
  // The height of a cell is doubled so that each field has whole rows of chroma.
  const Size cell{1 << format.log2_chroma_w, 2 << format.log2_chroma_h};
  return letterbox(turned({from.size, from.pixel}), turned({target_.size, pixel_}), cell);
}

/// Returns the filters that scale a picture to `size`, then convert it, and then turn it.
std::string Normalizer::chain_for(AVPixelFormat source, Size size) const {
  std::string scale = "scale=" + std::to_string(size.width) + ":" + std::to_string(size.height) +
                      ":flags=" + kScaling;
  if (is_rgb(source) && !is_rgb(target_.format))
    scale += matrix_for_rgb(target_.size.height) == AVCOL_SPC_BT709
                 ? ":out_color_matrix=bt709:out_range=tv"
                 : ":out_color_matrix=bt601:out_range=tv";
  return scale + ",format=" + av_get_pix_fmt_name(target_.format) + "," +
         rotation_filters(target_.rotate) + "null";
}

bool ChangeWatch::is_changed(const PictureKind& picture) {
  if (picture.size == first_.size && picture.format == first_.format) return false;
  const std::string change = "pictures change from " + describe(first_) + " to " +
                             describe(picture) + " in the middle of the file";
  if (!scale_on_change_) throw Error(ErrorKind::input, input_ + ": " + change);
  notices_.add(change + "; converted to be like the first");
  return true;
}

}  // namespace facepipe::video
